// Descriptions of embedders for a build that has no encoder of its own.

import { Embedder as full } from "../embedder.js";
import { unsupported } from "../error.js";

export function noEncoders() {
  throw unsupported('`Embedder.onnx` is not in the lite build. Import from "vademecum" instead of "vademecum/lite", or use `Embedder.custom`.');
}

export const Embedder = { custom: full.custom, onnx: noEncoders };
