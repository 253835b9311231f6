/** The lite build: everything but the sentence encoder in ONNX form. */

import type { Embedder as FullEmbedder } from "../index.js";

export * from "../index.js";

/** Makes descriptions of embedders. `Embedder.onnx` is in "vademecum" alone. */
export const Embedder: Omit<typeof FullEmbedder, "onnx">;
