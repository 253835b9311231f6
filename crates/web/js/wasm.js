// The index without documents, in a wasm module of its own.

import init from "./vademecum-index.js";
import { starter } from "./start.js";

export { initSync, KeywordIndex, VectorIndex } from "./vademecum-index.js";

const start = starter(init, new URL("./vademecum-index_bg.wasm", import.meta.url), null);

/** Starts the module; pass an address or a compiled module in the form that wasm-bindgen expects. */
export default (input) => (input === undefined ? start() : init(input));
