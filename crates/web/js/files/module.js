// The wasm module that reads files, in Node.

import init, * as files from "../vademecum-files.js";
import { starter } from "../start.js";

const start = starter(init, new URL("../vademecum-files_bg.wasm", import.meta.url), null);

/** Returns the module's functions once it is started. */
export async function filesModule() {
  await start();
  return files;
}
