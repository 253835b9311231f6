// Remembers the user's choices for the next visit, if the browser stores anything.

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
    // the choice is then not remembered
  }
}

/** Returns whether choices are remembered: some browsers store nothing for the page. */
export function canRemember() {
  try {
    localStorage.setItem(`${PREFIX}probe`, "");
    localStorage.removeItem(`${PREFIX}probe`);
    return true;
  } catch {
    return false;
  }
}
