/** @type {Promise<{ usage: number | null, quota: number | null }> | null} */
let asked = null; // until the browser has replied

/** Returns the bytes of the whole origin: `{ usage, quota }`, each null if the browser does not report it. */
export const estimate = () => (asked ??= ask().finally(() => (asked = null)));

async function ask() {
  try {
    const { usage = null, quota = null } = (await globalThis.navigator?.storage?.estimate?.()) ?? {};
    return { usage, quota };
  } catch {
    return { usage: null, quota: null };
  }
}
