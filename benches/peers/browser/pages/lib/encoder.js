// transformers.js with files of this origin alone: the same model and tokenizer, 8-bit weights, WebAssembly.

import { env, pipeline } from "@huggingface/transformers";

export async function encoder() {
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = "/hub/";
  env.backends.onnx.wasm.wasmPaths = "/runtime/";
  const extractor = await pipeline("feature-extraction", "minilm", { dtype: "q8", device: "wasm" });
  /** Unit vectors of some texts. */
  return async (texts) => (await extractor(texts, { pooling: "mean", normalize: true })).tolist();
}
