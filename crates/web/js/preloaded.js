// Where `vademecum/preload` leaves what it has started for the first engine of the page. Bundlers may put the two into files that
// share no modules, so it is a property of the page.

const KEY = Symbol.for("vademecum preload");

/**
 * A worker, `hasStarted` once its scripts are loaded, by its address, and compiled modules by theirs. It `isLate` once an engine has started, which
 * needs neither any more.
 *
 * @returns {{ workers: Map<string, { worker: Worker, hasStarted: boolean, release: () => void }>, modules: Map<string, Promise<WebAssembly.Module | undefined>>, isLate: boolean }}
 */
export function preloaded() {
  const page = /** @type {any} */ (globalThis);
  page[KEY] ??= { workers: new Map(), modules: new Map(), isLate: false };
  return page[KEY];
}

/** Returns the worker of an address, once; undefined if there is none, or it could not be started. */
export function takeWorker(address) {
  const all = preloaded();
  all.isLate = true;
  const { workers } = all;
  const found = workers.get(address);
  workers.delete(address);
  found?.release();
  return found;
}

/** Returns the module of an address, as it is compiled; undefined if there is none. */
export const takeModule = ({ href }) => preloaded().modules.get(href);
