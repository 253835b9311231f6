// Descriptions of embedders for the build without its own encoder.

import { Embedder as full } from "../embedder.js";
import { noEncoders } from "./no-encoders.js";

export const Embedder = { custom: full.custom, onnx: noEncoders };
