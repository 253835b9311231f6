// Descriptions of models for the build that runs none.

import { custom } from "../embedder-custom.js";
import { noEncoders, without } from "./no-encoders.js";

export const Embedder = { custom, onnx: noEncoders };
export const Reranker = { onnx: without("Reranker.onnx") };
export const Reader = { onnx: without("Reader.onnx") };

/** `Searcher.chroma` is in the full build alone. */
export const Searcher = {};
