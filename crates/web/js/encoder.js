// One model: the handlers of its worker, or of the calling thread if there are no workers. A sentence encoder embeds; a reranker
// rates, and a reader finds answers.

import { kernelModule } from "./encoder-module.js";
import { invalid } from "./error.js";
import { onnxModule } from "./onnx-module.js";
import { explained, needed } from "./refuse-runtime.js";

/**
 * The default location of the ONNX runtime: the folder `ort` beside this script. Not by `import.meta.url`, which some bundlers
 * replace with a path of the build machine.
 */
function beside(task, reason) {
  const { href } = globalThis.location ?? {}; // undefined in Node and Bun
  if (!href) {
    const hint = reason === undefined ? "" : ` ${needed(reason)}`;
    throw invalid(`${KINDS[task] ?? "Embedder"}.onnx.runtime`, "the folder of the ONNX runtime's three files", "undefined", hint);
  }
  return new URL("ort/", href.replace(/^blob:/, "")).href;
}

/** The names of the classes, by task. */
const KINDS = { rerank: "Reranker", read: "Reader" };
const PLAIN = { name: "plain" };

async function loaded({ task, files, contents, build }) {
  let reason;
  if (files.options?.backend !== "onnxruntime") {
    const { KernelEmbedder, KernelPairEncoder } = await kernelModule(build);
    const model = task ? KernelPairEncoder.load(task, files, contents) : KernelEmbedder.load(files, contents);
    if (model.reason === undefined) {
      if (model.isExact() || build?.name === PLAIN.name) return model;
      model.free();
      return loaded({ task, files, contents, build: PLAIN });
    }
    ({ reason } = model);
  }
  try {
    const { OnnxEmbedder, OnnxPairEncoder } = await onnxModule(reason);
    const all = { ...files, runtime: files.runtime ?? beside(task, reason) };
    return await (task ? OnnxPairEncoder.load(task, all, contents) : OnnxEmbedder.load(all, contents));
  } catch (thrown) {
    throw explained(thrown, reason);
  }
}

export function encoderHandlers() {
  let model = null;
  let running = 0; // calls that borrow the model
  let isEnded = false;
  /** Releases the model, unless a call borrows it: the last one does it then. */
  function free() {
    if (running > 0) return;
    model?.free();
    model = null;
  }
  /**
   * Returns null if the result may be wrong: then the plain build must be loaded. Browsers compile functions anew after some calls, and
   * relaxed instructions may change with it.
   */
  const exact = async (compute) => {
    const own = model;
    running++;
    try {
      const value = await compute(own);
      return own.isExact?.() ?? true ? value : null;
    } finally {
      running--;
      if (isEnded) free();
    }
  };
  return {
    /** Starts the kernel's module, which `build` contains compiled. */
    async prepare({ build }) {
      if (build) await kernelModule(build);
    },
    /**
     * `{ task, files, contents, build }`: `rerank`, `read` or nothing of a sentence encoder; addresses and options; the contents of the
     * files; and the kernel's module if another worker has compiled it.
     */
    async load(given) {
      model?.free();
      model = null;
      model = await loaded(given);
      const about = { pooling: model.pooling ?? null, backend: model.isExact ? "kernel" : "onnxruntime", instructions: model.instructions ?? null };
      if (isEnded) free();
      return about;
    },
    embed: ({ texts, kind }, { signal }) => exact((own) => own.embed(texts, kind, signal)),
    /** Embeds documents, and compares them with words of a question; `{}` if the model's back end cannot. */
    align: async ({ texts, question, words }, { signal }) => (model.align ? exact((own) => own.align(texts, question, words, signal)) : {}),
    rate: ({ question, passages }, { signal }) => exact((own) => own.rate(question, passages, signal).then((ratings) => [...ratings])),
    read: ({ question, passages }, { signal }) => exact((own) => own.read(question, passages, signal)),
    tokenIds: ({ text }) => [...model.tokenIds(text)],
    /** Releases the model: at once, or when the calls that run have ended. */
    end() {
      isEnded = true;
      free();
    },
  };
}
