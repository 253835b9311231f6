// One sentence encoder: the handlers of its worker, or, where there are no workers, in place.

import { invalid } from "./error.js";
import start, { OnnxEmbedder } from "./module.js";

/**
 * Where the ONNX runtime is unless named: in the folder `ort` beside this script. Not by `import.meta.url`, for which some bundlers
 * write the path of the file on the machine that built the page.
 */
function beside() {
  const { href } = globalThis.location ?? {}; // neither Node nor Bun has one
  if (!href) throw invalid("Embedder.onnx.runtime", "the folder of the ONNX runtime's three files", "undefined");
  return new URL("ort/", href.replace(/^blob:/, "")).href;
}

export function encoderHandlers() {
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
