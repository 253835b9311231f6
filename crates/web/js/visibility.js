// Whether the page is visible.

/** Calls `tell(isHidden)` whenever the page is hidden or shown; returns `{ now(), end() }`. Outside of a page, nothing is ever hidden. */
export function watchVisibility(tell) {
  const page = globalThis.document;
  const now = () => tell(page?.visibilityState === "hidden");
  page?.addEventListener?.("visibilitychange", now);
  return { now, end: () => page?.removeEventListener?.("visibilitychange", now) };
}
