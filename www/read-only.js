// Only one tab at a time writes the library; others can read it until that one is closed.

/** Milliseconds between two checks: soon enough, and cheap. */
const PAUSE = 2000;

export const isReadOnly = async (kb) => (await kb.stats()).library?.readOnly ?? false;

export async function untilWritable(kb) {
  while (await isReadOnly(kb)) await new Promise((resolve) => setTimeout(resolve, PAUSE));
}
