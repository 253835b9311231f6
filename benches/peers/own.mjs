// The package as it was built, its raw module started in place.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** The raw classes, and the bytes of the module's memory; null where only peers are to be measured. */
export async function ownModule(folder) {
  if (!folder) return null;
  const module = await import(pathToFileURL(path.resolve(folder, "vademecum-index.js")).href);
  const exports = module.initSync({ module: fs.readFileSync(path.join(folder, "vademecum-index_bg.wasm")) });
  for (const name of ["VectorIndex", "KeywordIndex"]) {
    if (!module[name]) throw new Error(`${folder}/vademecum-index.js exports no ${name}: build the package anew`);
  }
  return { ...module, memory: () => exports.memory.buffer.byteLength };
}
