// The key of an endpoint, kept in the session's storage if the user wants it: it is gone with the tab, and never in the browser's lasting storage.

const NAME = "vademecum.key";

/** Keeps a key for an endpoint, or with null removes it. */
export function keepKey(kept) {
  try {
    if (kept === null) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, JSON.stringify(kept));
  } catch {
    // the key is then asked for again
  }
}

/** @returns {{ endpoint: string, key: string } | null} */
export function keptKey() {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? "null");
  } catch {
    return null;
  }
}
