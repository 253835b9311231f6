// One model: the handlers of its worker, or of the calling thread if there are no workers. A sentence encoder embeds; a reranker
// rates, and a reader finds answers.

import { kernelModule } from "./encoder-module.js";
import { invalid } from "./error.js";
import { onnxModule } from "./onnx-module.js";

/**
 * The default location of the ONNX runtime: the folder `ort` beside this script. Not by `import.meta.url`, which some bundlers
 * replace with a path of the build machine.
 */
function beside() {
  const { href } = globalThis.location ?? {}; // undefined in Node and Bun
  if (!href) throw invalid("runtime", "the folder of the ONNX runtime's three files", "undefined");
  return new URL("ort/", href.replace(/^blob:/, "")).href;
}

const PLAIN = { name: "plain" };

export function encoderHandlers() {
  let model = null;
  /** What to load again by the plain build. */
  let again = null;

  async function load({ task, files, contents = {}, build }, signal, onProgress) {
    const rest = [onProgress, signal];
    const given = task ? [task, files] : [files];
    let own = contents;
    let reason;
    if (files.options?.backend !== "onnxruntime") {
      const { KernelEmbedder, KernelPairEncoder } = await kernelModule(build);
      const loaded = await (task ? KernelPairEncoder : KernelEmbedder).load(...given, contents, ...rest);
      if (loaded.reason === undefined) {
        if (loaded.isExact() || build?.name === PLAIN.name) return loaded;
        loaded.free();
        return load({ task, files, contents, build: PLAIN }, signal, onProgress);
      }
      reason = loaded.reason;
      own = { ...contents, model: loaded.model };
    }
    const { OnnxEmbedder, OnnxPairEncoder } = await onnxModule(reason);
    given[given.length - 1] = { ...files, runtime: files.runtime ?? beside() };
    return (task ? OnnxPairEncoder : OnnxEmbedder).load(...given, own, ...rest);
  }

  /** Calls the model. Browsers compile functions anew after some calls, and relaxed instructions may change with it. */
  async function call(method, given, signal) {
    const result = await model[method](...given, signal);
    if (model.isExact?.() ?? true) return result;
    model.free();
    model = await load({ ...again, build: PLAIN }, signal, () => {});
    return model[method](...given, signal);
  }

  return {
    /**
     * `{ task, files, contents, build }`: `rerank`, `read` or nothing of a sentence encoder; addresses and options; the bytes of files; and
     * the kernel's module if another worker has compiled it.
     */
    async load(given, { signal, emit }) {
      again = given;
      model = await load(given, signal, (loaded, total) => emit({ phase: "model", loaded, total }));
      return { pooling: model.pooling ?? null, backend: model.isExact ? "kernel" : "onnxruntime", instructions: model.instructions ?? null };
    },
    embed: ({ texts, kind }, { signal }) => call("embed", [texts, kind], signal),
    rate: async ({ question, passages }, { signal }) => [...(await call("rate", [question, passages], signal))],
    read: ({ question, passages }, { signal }) => call("read", [question, passages], signal),
    tokenIds: ({ text }) => [...model.tokenIds(text)],
  };
}
