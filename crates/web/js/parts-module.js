// The wasm modules that read libraries in parts: a small one for words in English, which a page loads first, and one for everything. The glue
// of both is imported at once, because bundlers make a worker one file.

import initAll, { PartsReader as ReaderOfAll } from "./vademecum-parts.js";
import initWords, { PartsReader } from "./vademecum-parts-words.js";
import { starter } from "./start.js";

/** Reads English libraries by words. */
export const words = { start: starter(initWords, new URL("./vademecum-parts-words_bg.wasm", import.meta.url)), PartsReader };

const startAll = starter(initAll, new URL("./vademecum-parts_bg.wasm", import.meta.url));

/** Returns the class of readers of all else, once its module is started. */
export async function all() {
  await startAll();
  return ReaderOfAll;
}
