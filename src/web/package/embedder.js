// Descriptions of embedders: what `KnowledgeBase.memory({ embedder })` takes.

import { invalid, onlyKnown, unsupported, VademecumError } from "./error.js";

const absolute = (url, base) => new URL(url, base).href;
const here = () => globalThis.document?.baseURI ?? globalThis.location?.href;

/** What tells two models apart wherever they are served: the end of the address, and what changes the vectors. */
function identity(model, options) {
  const name = new URL(model).pathname.split("/").slice(-2).join("/");
  const told = Object.entries(options).sort().map(([key, value]) => ` ${key}=${value}`);
  return name + told.join("");
}

/** Makes descriptions of embedders. */
export const Embedder = {
  /** A sentence encoder in ONNX form, run in `workers` workers. Relative addresses count from the page. */
  onnx(options = {}) {
    onlyKnown("Embedder.onnx", options, [
      "model", "tokenizer", "runtime", "workers", "threshold", "maxTokens", "queryPrefix", "documentPrefix", "id",
    ]);
    const { model, tokenizer, runtime, workers = 1, threshold = 0.5, id, ...rest } = options;
    if (typeof model !== "string") throw invalid("model", "the address of a model.onnx", typeof model);
    if (typeof tokenizer !== "string") throw invalid("tokenizer", "the address of a tokenizer.json", typeof tokenizer);
    if (rest.maxTokens !== undefined && !(Number.isInteger(rest.maxTokens) && rest.maxTokens >= 3)) {
      throw invalid("maxTokens", "a whole number from 3", String(rest.maxTokens));
    }
    if (!Number.isInteger(workers) || workers < 1) throw invalid("workers", "a whole number from 1", String(workers));
    if (typeof Worker === "undefined") {
      throw unsupported(
        "`Embedder.onnx` needs a browser's workers, and there are none here. In Node, embed by `Embedder.custom` with an encoder of your own, " +
          "or search by words.",
      );
    }
    return {
      type: "onnx",
      workers,
      threshold,
      id: id ?? identity(absolute(model, here()), rest),
      files: {
        model: absolute(model, here()),
        tokenizer: absolute(tokenizer, here()),
        // Without one, the worker that loads it knows where the package is.
        runtime: runtime === undefined ? undefined : absolute(runtime.replace(/\/*$/, "/"), here()),
        options: rest,
      },
    };
  },

  /** A function `(texts, { kind, signal }) => vectors` of yours, an array of numbers a text. */
  custom(embed, options = {}) {
    onlyKnown("Embedder.custom", options, ["threshold", "concurrency", "id"]);
    const { threshold = 0.5, concurrency = 1, id = "custom" } = options;
    if (!Number.isInteger(concurrency) || concurrency < 1) throw invalid("concurrency", "a whole number from 1", String(concurrency));
    if (typeof embed !== "function") throw invalid("embed", "a function", typeof embed);
    return { type: "custom", threshold, concurrency, id, embed };
  },
};

/** What a custom embedder returned, flat. */
export function flatten(vectors) {
  const wrong = (expected, got) =>
    new VademecumError(`The embedder must return ${expected}, but returned ${got}.`, { code: "vector_shape" });
  if (!Array.isArray(vectors)) throw wrong("an array of vectors", typeof vectors);
  const dimensions = vectors[0]?.length ?? 0;
  const values = new Float32Array(vectors.length * dimensions);
  vectors.forEach((vector, at) => {
    if (vector?.length !== dimensions) throw wrong(`vectors of ${dimensions} numbers each`, `one of ${vector?.length}`);
    values.set(vector, at * dimensions);
  });
  return { dimensions, values, truncated: vectors.map(() => false) };
}
