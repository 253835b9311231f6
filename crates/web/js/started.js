// Starts a worker and finds out its address. Bundlers look for `new Worker(new URL(…))` literally, so nothing can be inserted between
// the two: while `start` runs, `Worker` is a function that records the address.

/**
 * Returns what `start` returns, with the address that it gave to `new Worker`, if it called it.
 *
 * @param {() => any} start
 * @param {(address: string, url: string | URL) => any} [instead] returns a worker that is there already, or the address to use
 * @returns {{ worker: any, address?: string }}
 */
export function started(start, instead = (_, url) => url) {
  const Own = globalThis.Worker;
  if (!Own) return { worker: start() };
  /** @type {string | undefined} */
  let address;
  const recording = function (url, options) {
    address = String(url);
    const found = instead(address, url);
    return found instanceof Own ? found : new Own(found, options);
  };
  Reflect.set(globalThis, "Worker", recording);
  try {
    return { worker: start(), address };
  } finally {
    Reflect.set(globalThis, "Worker", Own);
  }
}
