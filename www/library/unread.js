// The number of files that are still to be read, for the next load of the page: it then says that they are missing. In the session
// of the tab, which survives a reload and a crash.

const KEY = "vademecum.unread";

/** Keeps the number of files that are lost if the page is left. */
export function keepUnread(count) {
  try {
    if (count > 0) sessionStorage.setItem(KEY, String(count));
    else sessionStorage.removeItem(KEY);
  } catch {
    // the next load of the page then says nothing
  }
}

/** Returns the number of files that were lost when the page was left, once: 0 in a copy of a tab, which has its session as well. */
export function takeUnread() {
  const [{ type } = { type: "" }] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  if (type === "navigate") return 0;
  try {
    const count = Number(sessionStorage.getItem(KEY));
    keepUnread(0);
    return count;
  } catch {
    return 0;
  }
}
