// The openings and closings of one page, library by library, one after the other.

const openings = new Map();
const closings = new Map();

/** Keeps a promise under a name until it is settled; waits for `before` as well. */
function note(map, name, promise, before) {
  const over = Promise.allSettled([before, promise]).then(() => map.get(name) === over && map.delete(name));
  map.set(name, over);
  return promise;
}

/**
 * Opens after what opens or closes this library on this page. What was opened in vain, as by the first of two effects in React's
 * strict mode, is often asked to close by a promise's callback, so a task later than it was open, or than this is called.
 *
 * @param waits whether it may wait for ever: then no other waits for it
 */
export function opening(name, waits, open) {
  const before = openings.get(name);
  const begin = async () => {
    await before;
    await new Promise((resolve) => setTimeout(resolve));
    await closings.get(name);
    return open();
  };
  return waits ? begin() : note(openings, name, begin(), before);
}

export const closing = (name, promise) => note(closings, name, promise, closings.get(name));
