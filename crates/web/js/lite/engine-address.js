// The engine's module for this browser. Without SIMD it is another one, which the same glue starts.

import { hasSimd } from "../simd.js";

export const engineAddress = hasSimd() ? new URL("./vademecum_bg.wasm", import.meta.url) : new URL("./vademecum-baseline_bg.wasm", import.meta.url);
