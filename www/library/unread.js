// The number of files that were still to be read when the page was left, for its next load in the tab, which reports them.

const KEY = "vademecum.unread";

/** Keeps the number of files that are lost with the page. */
export function keepUnread(count) {
  try {
    if (count > 0) sessionStorage.setItem(KEY, String(count));
    else sessionStorage.removeItem(KEY);
  } catch {
    // the next load of the page then says nothing
  }
}

/** Returns the number of files that were lost when the page was left, once. */
export function takeUnread() {
  try {
    const count = Number(sessionStorage.getItem(KEY));
    keepUnread(0);
    return count;
  } catch {
    return 0;
  }
}
