// The wasm modules that read libraries in parts: a small one for words in English, which a page loads first, and one for everything.

import init, { PartsReader } from "./vademecum-parts-words.js";
import { starter } from "./start.js";

/** Reads English libraries by words. */
export const words = { start: starter(init, new URL("./vademecum-parts-words_bg.wasm", import.meta.url)), PartsReader };

/** Returns the same for all else, once it is started. */
export async function all() {
  const { start, PartsReader } = await import("./parts-module-all.js");
  await start();
  return PartsReader;
}
