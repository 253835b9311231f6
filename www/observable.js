// A value that tells its listeners when it changes: how the parts of the page know of each other.

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
    /** Calls `listener` now and whenever the value changes; gives back what ends that. */
    on(listener) {
      listeners.add(listener);
      listener(value);
      return () => listeners.delete(listener);
    },
  };
}
