// Two of the peers look for a page around them; this is as much of one as they touch.

const page = /** @type {any} */ (globalThis);
page.window ??= globalThis;
page.self ??= globalThis;
page.location ??= { href: "http://localhost/", pathname: "/" };
page.document ??= { currentScript: null, baseURI: "http://localhost/" };
