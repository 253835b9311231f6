// Serialises opening and closing of a library on one page.

const openings = new Map();
const closings = new Map();

/** Holds a promise under a name until it is settled; waits for `before` as well. */
function note(map, name, promise, before) {
  const over = Promise.allSettled([before, promise]).then(() => map.get(name) === over && map.delete(name));
  map.set(name, over);
  return promise;
}

/**
 * Opens a library after pending openings and closings of it on this page. An unneeded one, as from the first of two effects in React's
 * strict mode, is often closed in a promise's callback, one task after it was open, or after this is called.
 *
 * @param waits whether it may wait without a limit: then others do not wait for it
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
