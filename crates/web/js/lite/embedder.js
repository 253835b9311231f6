// Descriptions of models for the build that runs none.

import { custom } from "../embedder-custom.js";
import { noEncoders } from "./no-encoders.js";

export const Embedder = { custom, onnx: noEncoders };
export const Reranker = { onnx: noEncoders };
export const Reader = { onnx: noEncoders };
