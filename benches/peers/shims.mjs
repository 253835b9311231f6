// Two of the peers look for a page around them; this is as much of one as they touch.

globalThis.window ??= globalThis;
globalThis.self ??= globalThis;
globalThis.location ??= { href: "http://localhost/", pathname: "/" };
globalThis.document ??= { currentScript: null, baseURI: "http://localhost/" };
