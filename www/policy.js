// Has module workers inherit the page's policy, and theirs that of the worker: each is started from a blob that imports its script. The policy of a worker
// that is started from the script's own address comes with that, and static hosts send none: without one it could connect to other origins.
// Blobs cannot be shared between tabs: a shared worker gets its policy from the service worker, and is started only where that is in control.

const Own = globalThis.Worker;

if (Own) {
  globalThis.Worker = class Worker extends Own {
    constructor(address, options) {
      super(options?.type === "module" ? inheriting(String(address)) : address, options);
    }
  };
}

function inheriting(address) {
  if (address.startsWith("blob:")) return address;
  const { href, pathname } = new URL(address, import.meta.url);
  const scripts = [import.meta.url, href].map((url) => `import ${JSON.stringify(url)};`);
  return `${URL.createObjectURL(new Blob(scripts, { type: "text/javascript" }))}#${pathname}`; // the browser's tools show which one it is
}
