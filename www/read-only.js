// One tab at a time writes the library: in any other it can be read, until that one is closed.

/** It is soon enough, and hardly any work. */
const PAUSE = 2000;

export const isReadOnly = async (kb) => (await kb.stats()).library?.readOnly ?? false;

export async function untilWritable(kb) {
  while (await isReadOnly(kb)) await new Promise((resolve) => setTimeout(resolve, PAUSE));
}
