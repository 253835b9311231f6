// Descriptions of embedders for the build without its own encoder.

import { custom } from "../embedder-custom.js";
import { noEncoders } from "./no-encoders.js";

export const Embedder = { custom, onnx: noEncoders };
