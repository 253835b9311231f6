// The wasm module of the full build.

import init from "./vademecum.js";
import { starter } from "./start.js";

export * from "./vademecum.js";

const start = starter(init, new URL("./vademecum_bg.wasm", import.meta.url));

/** Starts the module; whoever has it elsewhere, or compiled already, says so as wasm-bindgen wants it. */
export default (input) => (input === undefined ? start() : init(input));
