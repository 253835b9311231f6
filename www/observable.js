// A value with listeners, by which the parts of the page communicate.

export function observable(value) {
  const listeners = new Set();
  return {
    get value() {
      return value;
    },
    set value(next) {
      value = next;
      for (const listener of [...listeners]) listener(value);
    },
    /** Calls `listener` now and at every change; returns a function that removes it. */
    on(listener) {
      listeners.add(listener);
      listener(value);
      return () => listeners.delete(listener);
    },
  };
}
