// `Reranker` and `Reader`: models that read a question and a passage together, in workers of their own.

import { invalid } from "./error.js";
import { PAIR_MODEL_DEFAULTS, PAIR_MODEL_OPTIONS } from "./generated/embedder-table.js";
import { SEARCH_RERANK, WORK_OPTIONS } from "./generated/knowledge-base-table.js";
import { sourceOf } from "./model-source.js";
import { checked, list, shown, signal as kindOfSignal, string } from "./options.js";
import { checkBackend } from "./refuse-runtime.js";
import { timed } from "./remaining.js";
import { workerCount } from "./worker-count.js";

const passages = list("texts", string);
/** Returns the text of a passage, or of a chunk. */
const textOf = (passage) => (typeof passage === "string" ? passage : passage?.text);

/** Returns the texts of several passages. A single string would be taken as a list of its letters. */
function textsOf(given) {
  if (typeof given === "string" || typeof given?.[Symbol.iterator] !== "function") {
    throw invalid("passages", "a list of texts or of chunks", shown(given));
  }
  return passages("passages", [...given].map(textOf));
}

const RATE_OPTIONS = { signal: kindOfSignal, deadlineMs: SEARCH_RERANK.deadlineMs };

/**
 * Creates descriptions of models, each of which loads its pool of workers when it is first used.
 * @param {() => Promise<typeof import("./pair-pool.js")>} part loads the pool's code
 * @param {(own?: any) => any} spawn starts a worker
 * @param {number} [most] how many workers pay at most
 */
export function pairModels(part, spawn, most = Infinity) {
  /** Returns the methods that all models have, and `pool()`. */
  function model(where, task, options) {
    const given = { ...PAIR_MODEL_DEFAULTS, ...checked(where, options, PAIR_MODEL_OPTIONS) };
    const { model, tokenizer, runtime, timeout, integrity, cache, workers = 1, worker, ...rest } = given;
    const files = { ...sourceOf(where, { model, tokenizer, runtime, timeout, integrity, cache }), options: rest };
    checkBackend(where, rest);
    let pool = null; // known once it has started
    let starting = null;
    const started = () => {
      if (starting) return starting;
      const own = Promise.all([part(), workerCount(workers)]).then(([{ PairPool }, size]) => new PairPool({ task, files, workers: Math.min(size, most) }, () => spawn(worker)));
      own.then(
        (made) => starting === own && (pool = made),
        () => starting === own && (starting = null),
      );
      return (starting = own);
    };
    const close = () => {
      starting?.then((made) => made.close(), () => {});
      [starting, pool] = [null, null];
    };
    const methods = {
      /** Loads the model, which the first call would do. */
      async load(options) {
        const { onProgress, signal } = checked("load", options, WORK_OPTIONS);
        await (await started()).load(signal, onProgress && timed(onProgress));
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
        /**
         * Rates passages until `deadlineMs` is over: null for those that were not rated.
         * @param {string} question @param {Iterable<any>} given @param {{ signal?: AbortSignal, deadlineMs?: number }} [how]
         */
        async function rate(question, given, how) {
          const [asked, texts, checkedHow] = [string("question", question), textsOf(given), checked("rate", how, RATE_OPTIONS)];
          return (await started()).rate(asked, texts, checkedHow);
        }
        const rank = (question, chunks, context) => rate(question, chunks, { signal: context?.signal });
        return Object.assign(rank, methods, { rate });
      },
    },
    Reader: {
      /** A model for extractive question answering: a function of a question and chunks that returns answers. */
      onnx(options) {
        const { methods, started } = model("Reader.onnx", "read", options);
        /** @param {string} question @param {Iterable<any>} given @param {{ signal?: AbortSignal }} [how] */
        async function read(question, given, how) {
          const [asked, texts, checkedHow] = [string("question", question), textsOf(given), checked("read", how, { signal: kindOfSignal })];
          return (await started()).read(asked, texts, checkedHow);
        }
        return Object.assign((question, chunks, context) => read(question, chunks, { signal: context?.signal }), methods, { read });
      },
    },
  };
}
