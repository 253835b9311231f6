// Starts a worker and finds out its address. Bundlers look for `new Worker(new URL(…))` literally, so nothing can be inserted between
// the two: while `start` runs, `Worker` or `SharedWorker` is a function that records the address.

/**
 * Returns what `start` returns, with the address that it gave to `new Worker`, if it called it.
 *
 * @param {() => any} start
 * @param {(address: string, url: string | URL, options: any) => any} [instead] returns a worker that is there already, or the address to use
 * @param {"Worker" | "SharedWorker"} [kind]
 * @returns {{ worker: any, address?: string }}
 */
export function started(start, instead = (_, url) => url, kind = "Worker") {
  const Own = globalThis[kind];
  if (!Own) return { worker: start() };
  /** @type {string | undefined} */
  let address;
  const recording = function (url, options) {
    address = String(url);
    const found = instead(address, url, options);
    return found instanceof Own ? found : new Own(found, options);
  };
  Reflect.set(globalThis, kind, recording);
  try {
    return { worker: start(), address };
  } finally {
    Reflect.set(globalThis, kind, Own);
  }
}
