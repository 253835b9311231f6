/** Returns the bytes of the whole origin: `{ usage, quota }`, each null if the browser does not report it. */
export async function estimate() {
  try {
    const { usage = null, quota = null } = (await globalThis.navigator?.storage?.estimate?.()) ?? {};
    return { usage, quota };
  } catch {
    return { usage: null, quota: null };
  }
}
