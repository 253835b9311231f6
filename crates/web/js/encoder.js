// One sentence encoder: the handlers of its worker, or of the calling thread if there are no workers.

import { invalid } from "./error.js";
import start, { OnnxEmbedder } from "./module.js";

/**
 * The default location of the ONNX runtime: the folder `ort` beside this script. Not by `import.meta.url`, which some bundlers
 * replace with a path of the build machine.
 */
function beside() {
  const { href } = globalThis.location ?? {}; // undefined in Node and Bun
  if (!href) throw invalid("Embedder.onnx.runtime", "the folder of the ONNX runtime's three files", "undefined");
  return new URL("ort/", href.replace(/^blob:/, "")).href;
}

export function encoderHandlers() {
  let embedder = null;
  return {
    /** `{ files, tokenizer, compiled }`: addresses and options, the tokenizer's bytes, and the module if another encoder has compiled it. */
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
