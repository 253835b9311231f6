// `Reranker` and `Reader`: models that read a question and a passage together, in workers of their own.

import { here } from "./embedder.js";
import { PAIR_MODEL_DEFAULTS, PAIR_MODEL_OPTIONS, WORK_OPTIONS } from "./generated/embedder-table.js";
import { checked, list, string, text } from "./options.js";

const passages = list("texts", string);
/** Returns the text of a passage, or of a chunk. */
const textOf = (passage) => (typeof passage === "string" ? passage : passage?.text);

/**
 * Creates descriptions of models, each of which loads its pool of workers when it is first used.
 * @param {() => Promise<typeof import("./pair-pool.js")>} part loads the pool's code
 * @param {(own?: any) => any} spawn starts a worker
 */
export function pairModels(part, spawn) {
  /** Returns the methods that all models have, and `pool()`. */
  function model(where, task, options) {
    const { model, tokenizer, runtime, workers, timeout, worker, ...rest } = { ...PAIR_MODEL_DEFAULTS, ...checked(where, options, PAIR_MODEL_OPTIONS) };
    const absolute = (url) => new URL(url, here()).href;
    const files = {
      model: absolute(text(`${where}.model`, model)),
      tokenizer: absolute(text(`${where}.tokenizer`, tokenizer)),
      runtime: runtime === undefined ? undefined : absolute(runtime.replace(/\/*$/, "/")),
      timeout,
      options: rest,
    };
    let pool = null;
    const started = async () => {
      const { PairPool } = await part();
      pool ??= new PairPool({ task, files, workers }, () => spawn(worker));
      return pool;
    };
    const close = () => {
      pool?.close();
      pool = null;
    };
    const methods = {
      /** Loads the model, which the first call would do. */
      async load(options) {
        const { onProgress, signal } = checked("load", options, WORK_OPTIONS);
        await (await started()).load(signal, onProgress);
      },
      /** What computes the model, once it is loaded. */
      stats: () => ({ backend: pool?.loaded.backend ?? null, instructions: pool?.loaded.instructions ?? null }),
      /** Ends the workers; a later call starts others. */
      close,
      [Symbol.dispose ?? Symbol.for("Symbol.dispose")]: close,
    };
    return { methods, started };
  }

  return {
    Reranker: {
      /** A cross-encoder in the form of ONNX or safetensors: a function of a question and chunks that returns ratings. */
      onnx(options) {
        const { methods, started } = model("Reranker.onnx", "rerank", options);
        /** Rates passages until `deadlineMs` is over: null for those that were not rated. */
        async function rate(question, given, { signal, deadlineMs } = {}) {
          return (await started()).rate(string("question", question), passages("passages", [...given].map(textOf)), { signal, deadlineMs });
        }
        const rank = (question, chunks, context) => rate(question, chunks, { signal: context?.signal });
        return Object.assign(rank, methods, { rate });
      },
    },
    Reader: {
      /** A model for extractive question answering: a function of a question and chunks that returns answers. */
      onnx(options) {
        const { methods, started } = model("Reader.onnx", "read", options);
        async function read(question, given, { signal } = {}) {
          return (await started()).read(string("question", question), passages("passages", [...given].map(textOf)), { signal });
        }
        return Object.assign((question, chunks, context) => read(question, chunks, { signal: context?.signal }), methods, { read });
      },
    },
  };
}
