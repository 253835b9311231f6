// One writer per library, across tabs and workers: a Web Lock held as long as the storage is open. The browser
// releases it when a tab or worker ends for any reason.

const nameOf = (library) => `vademecum:${library}`;

/** Insecure pages and old browsers have no locks: there, every opener may write. */
export const NO_LOCK = { release: async () => {} };

/** Takes the library's lock; null while another opener has it. `release` resolves when the next one may take it. */
export const tryLock = (library) => request(nameOf(library), { ifAvailable: true });

/** Waits for the lock. Rejects when `signal` is aborted. */
export const waitForLock = (library, signal) => waitFor(nameOf(library), signal);

/** Waits for a lock by its whole name. */
export const waitFor = (name, signal) => request(name, { signal });

function request(name, options) {
  const locks = globalThis.navigator?.locks;
  if (!locks) return Promise.resolve(NO_LOCK);
  return new Promise((resolve, reject) => {
    const over = locks.request(name, options, (lock) => {
      if (!lock) return resolve(null);
      return new Promise((/** @type {(value?: unknown) => void} */ done) => resolve({ release: () => (done(), over) }));
    });
    // A page without permission for locks may not use storage either, which reports a better error.
    over.catch((thrown) => (thrown.name === "SecurityError" ? resolve(NO_LOCK) : reject(thrown)));
  });
}
