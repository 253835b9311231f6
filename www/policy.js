// Has module workers inherit the page's policy, and theirs that of the worker: each is started from a blob that imports its script. The policy of a worker
// that is started from the script's own address comes with that, and static hosts send none: without one it could connect to other origins.
// Blobs cannot be shared between tabs: a shared worker gets its policy from the service worker, and is started only where that is in control.
// `startThread` starts such a worker before its scripts are to be loaded.

const Own = globalThis.Worker;
/** Workers that wait for their scripts, by the address of the script that each will be asked for. */
const waiting = new Map();

if (Own) {
  globalThis.Worker = new Proxy(Own, {
    construct: (_, [address, options], target) => (options?.type === "module" ? inheriting(String(address), options) : Reflect.construct(Own, [address, options], target)),
  });
}

function inheriting(address, options) {
  if (address.startsWith("blob:")) return new Own(address, options);
  const { href } = new URL(address, import.meta.url);
  const scripts = [import.meta.url, href]; // this one first, for the workers that the worker starts
  const worker = waiting.get(href);
  if (!worker) return started(href, scripts.map((url) => `import ${JSON.stringify(url)};`).join("\n"), options);
  waiting.delete(href);
  worker.postMessage(scripts);
  return worker;
}

/** Starts a worker with a script of its own in place of the one at an address, which its name shows in the browser's tools. */
const started = (href, script, options) => new Own(`${URL.createObjectURL(new Blob([script], { type: "text/javascript" }))}#${new URL(href).pathname}`, options);

/** Starts the thread of a module worker that will be needed soon. This takes longer than fetching its scripts, and needs no connection. */
export function startThread(address) {
  if (!Own) return;
  const { href } = new URL(address, import.meta.url);
  const worker = started(href, `(${waitForScripts})();`, { type: "module" });
  waiting.set(href, worker);
  worker.addEventListener("error", () => waiting.delete(href), { once: true }); // the next one starts anew, and its error is reported
}

/** Runs in the worker: imports the scripts that the first message names. Keeps later messages until all of these can receive them. */
function waitForScripts() {
  const early = [];
  const keep = (event) => {
    event.stopImmediatePropagation(); // one of the scripts may listen already
    early.push(event);
  };
  addEventListener("message", ({ data: scripts }) => {
    addEventListener("message", keep);
    Promise.all(scripts.map((url) => import(url))).then(
      () => {
        removeEventListener("message", keep);
        for (const { data, ports } of early) dispatchEvent(new MessageEvent("message", { data, ports })); // anew: Chromium keeps that an event was stopped
      },
      (error) => setTimeout(() => { throw error; }), // which the page receives as the worker's error
    );
  }, { once: true });
}
