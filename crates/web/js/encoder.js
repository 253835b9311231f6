// One sentence encoder: the handlers of its worker, or, where there are no workers, in place.

import start, { OnnxEmbedder } from "./module.js";

/** @param beside where the ONNX runtime is unless named */
export function encoderHandlers(beside) {
  let embedder = null;
  return {
    /** `{ files, tokenizer, compiled }`: addresses and options, the tokenizer's bytes, and the module where another has compiled it. */
    async load({ files, tokenizer, compiled }, { signal, emit }) {
      await start(compiled);
      const onProgress = (loaded, total) => emit({ phase: "model", loaded, total });
      embedder = await OnnxEmbedder.load({ ...files, runtime: files.runtime ?? beside() }, tokenizer, onProgress, signal);
      return { pooling: embedder.pooling };
    },
    embed: ({ texts, kind }, { signal }) => embedder.embed(texts, kind, signal),
    tokenIds: ({ text }) => [...embedder.tokenIds(text)],
  };
}
