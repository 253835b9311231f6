// What the lite build has in place of encoders in ONNX form.

import { unsupported } from "../error.js";

export function noEncoders() {
  throw unsupported('`Embedder.onnx` is not in the lite build. Import from "vademecum" instead of "vademecum/lite", or use `Embedder.custom`.');
}
