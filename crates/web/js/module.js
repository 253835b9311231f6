// The wasm module of the full build's engine.

import init from "./vademecum.js";
import { engineAddress } from "./engine-address.js";
import { starter } from "./start.js";

export { Engine, useHtml } from "./vademecum.js";

/** Starts the module. */
export default starter(init, engineAddress);
