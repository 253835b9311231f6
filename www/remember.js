// What a person chose, for their next visit. A browser that keeps nothing forgets it, and that is all.

const PREFIX = "vademecum.";

export function remembered(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Nothing depends on it.
  }
}
