// One writer a library, across tabs and workers: a Web Lock held as long as the storage is open. The browser itself
// releases it when a tab or worker ends, however that happens.

const nameOf = (library) => `vademecum:${library}`;

/** Insecure pages have no locks, nor have old browsers: there, who opens a library writes. */
export const NO_LOCK = { release: async () => {} };

/** The library's lock, or null while someone else has it. `release` resolves when the next may take it. */
export const tryLock = (library) => request(library, { ifAvailable: true });

/** Waits in line for the lock. Rejects when `signal` aborts first. */
export const waitForLock = (library, signal) => request(library, { signal });

function request(library, options) {
  const locks = globalThis.navigator?.locks;
  if (!locks) return Promise.resolve(NO_LOCK);
  return new Promise((resolve, reject) => {
    const over = locks.request(nameOf(library), options, (lock) => {
      if (!lock) return resolve(null);
      return new Promise((/** @type {(value?: unknown) => void} */ done) => resolve({ release: () => (done(), over) }));
    });
    // A page that may use no locks may use no storage either, which the storage says better.
    over.catch((thrown) => (thrown.name === "SecurityError" ? resolve(NO_LOCK) : reject(thrown)));
  });
}
