// The wasm module that reads libraries in parts by words of all languages and by vectors, with filters.

import init from "./vademecum-parts.js";
import { starter } from "./start.js";

export { PartsReader } from "./vademecum-parts.js";

/** Starts the module. */
export const start = starter(init, new URL("./vademecum-parts_bg.wasm", import.meta.url));
