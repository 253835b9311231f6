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

async function loaded({ files, tokenizer, model, build }) {
  let reason;
  if (files.options?.backend !== "onnxruntime") {
    const KernelEmbedder = await kernelEmbedder(build);
    const embedder = KernelEmbedder.load(files, tokenizer, model);
    if (embedder.reason === undefined) {
      if (embedder.isExact() || build?.name === PLAIN.name) return embedder;
      embedder.free();
      return loaded({ files, tokenizer, model, build: PLAIN });
    }
    ({ reason } = embedder);
  }
  const OnnxEmbedder = await onnxEmbedder(reason);
  return OnnxEmbedder.load({ ...files, runtime: files.runtime ?? beside() }, tokenizer, model);
}

export function encoderHandlers() {
  let embedder = null;
  return {
    /** Starts the kernel's module, which `build` contains compiled. */
    async prepare({ build }) {
      if (build) await kernelEmbedder(build);
    },
    /**
     * `{ files, tokenizer, model, build }`: addresses and options, the contents of the files, and the kernel's module if another
     * encoder has compiled it.
     */
    async load(given) {
      embedder?.free();
      embedder = null;
      embedder = await loaded(given);
      return { pooling: embedder.pooling, backend: embedder.isExact ? "kernel" : "onnxruntime", instructions: embedder.instructions ?? null };
    },
    /** Returns null if the vectors may be wrong: then the plain build must be loaded. */
    async embed({ texts, kind }, { signal }) {
      const vectors = await embedder.embed(texts, kind, signal);
      // Browsers compile functions anew after some calls, and relaxed instructions may change with it.
      return embedder.isExact?.() ?? true ? vectors : null;
    },
    tokenIds: ({ text }) => [...embedder.tokenIds(text)],
  };
}
