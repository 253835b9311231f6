// One writer per library, across tabs and workers: a Web Lock held as long as the storage is open. The browser
// releases it when a tab or worker ends for any reason.

const nameOf = (library) => `vademecum:${library}`;

/** Insecure pages and old browsers have no locks: there, every opener may write. */
export const NO_LOCK = { release: async () => {} };

/** Takes the library's lock; null while another opener has it. `release` resolves when the next one may take it. */
export const tryLock = (library) => request(library, { ifAvailable: true });

/** Waits for the lock. Rejects when `signal` is aborted. */
export const waitForLock = (library, signal) => request(library, { signal });

function request(library, options) {
  const locks = globalThis.navigator?.locks;
  if (!locks) return Promise.resolve(NO_LOCK);
  return new Promise((resolve, reject) => {
    const over = locks.request(nameOf(library), options, (lock) => {
      if (!lock) return resolve(null);
      return new Promise((/** @type {(value?: unknown) => void} */ done) => resolve({ release: () => (done(), over) }));
    });
    // A page without permission for locks may not use storage either, which reports a better error.
    over.catch((thrown) => (thrown.name === "SecurityError" ? resolve(NO_LOCK) : reject(thrown)));
  });
}
