// One sentence encoder: the handlers of its worker, or of the calling thread if there are no workers.

import { kernelEmbedder } from "./encoder-module.js";
import { invalid } from "./error.js";
import { onnxEmbedder } from "./onnx-module.js";

/**
 * The default location of the ONNX runtime: the folder `ort` beside this script. Not by `import.meta.url`, which some bundlers
 * replace with a path of the build machine.
 */
function beside() {
  const { href } = globalThis.location ?? {}; // undefined in Node and Bun
  if (!href) throw invalid("Embedder.onnx.runtime", "the folder of the ONNX runtime's three files", "undefined");
  return new URL("ort/", href.replace(/^blob:/, "")).href;
}

const PLAIN = { name: "plain" };

export function encoderHandlers() {
  let embedder = null;
  /** The files again, for the plain build; null once that is in use. */
  let again = null;

  async function load({ files, tokenizer, build }, signal, onProgress) {
    let given, reason;
    if (files.options?.backend !== "onnxruntime") {
      const KernelEmbedder = await kernelEmbedder(build);
      const loaded = await KernelEmbedder.load(files, tokenizer, undefined, onProgress, signal);
      if (loaded.reason === undefined) {
        if (loaded.isExact() || build?.name === PLAIN.name) return loaded;
        loaded.free();
        return load({ files, tokenizer, build: PLAIN }, signal, onProgress);
      }
      ({ model: given, reason } = loaded);
    }
    const OnnxEmbedder = await onnxEmbedder(reason);
    return OnnxEmbedder.load({ ...files, runtime: files.runtime ?? beside() }, tokenizer, given, onProgress, signal);
  }

  return {
    /**
     * `{ files, tokenizer, build }`: addresses and options, the tokenizer's bytes, and the kernel's module if another encoder has
     * compiled it.
     */
    async load(given, { signal, emit }) {
      again = given;
      embedder = await load(given, signal, (loaded, total) => emit({ phase: "model", loaded, total }));
      return { pooling: embedder.pooling, backend: embedder.isExact ? "kernel" : "onnxruntime", instructions: embedder.instructions ?? null };
    },
    async embed({ texts, kind }, { signal }) {
      const vectors = await embedder.embed(texts, kind, signal);
      // Browsers compile functions anew after some calls, and relaxed instructions may change with it.
      if (embedder.isExact?.() ?? true) return vectors;
      embedder.free();
      embedder = await load({ ...again, build: PLAIN }, signal, () => {});
      return embedder.embed(texts, kind, signal);
    },
    tokenIds: ({ text }) => [...embedder.tokenIds(text)],
  };
}
