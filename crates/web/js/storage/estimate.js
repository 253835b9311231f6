/** Bytes of the whole origin: `{ usage, quota }`, each null where the browser does not tell. */
export async function estimate() {
  try {
    const { usage = null, quota = null } = (await globalThis.navigator?.storage?.estimate?.()) ?? {};
    return { usage, quota };
  } catch {
    return { usage: null, quota: null };
  }
}
