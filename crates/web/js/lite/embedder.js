// Descriptions of embedders for a build that has no encoder of its own.

import { Embedder as full } from "../embedder.js";
import { noEncoders } from "./no-encoders.js";

export const Embedder = { custom: full.custom, onnx: noEncoders };
