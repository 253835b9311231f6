// The wasm module that reads libraries in parts.

import init from "./vademecum-parts.js";
import { starter } from "./start.js";

export { PartsReader } from "./vademecum-parts.js";

/** Starts the module. */
export default starter(init, new URL("./vademecum-parts_bg.wasm", import.meta.url));
