// Replaces ONNX encoders in the lite build.

import { unsupported } from "../error.js";

export function noEncoders() {
  throw unsupported('`Embedder.onnx` is not in the lite build. Import from "vademecum" instead of "vademecum/lite", or use `Embedder.custom`.');
}
