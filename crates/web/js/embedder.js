// Descriptions of embedders for `KnowledgeBase.memory({ embedder })` and `open`.

import { invalid, VademecumError } from "./error.js";
import { CUSTOM_EMBEDDER_DEFAULTS, CUSTOM_EMBEDDER_OPTIONS, ONNX_DEFAULTS, ONNX_OPTIONS } from "./generated/embedder-table.js";
import { isIntegrity } from "./integrity.js";
import { checked, func, shown, text } from "./options.js";
import { refuseRuntime } from "./refuse-runtime.js";

const absolute = (url, base) => new URL(url, base).href;
/** Returns the base of relative addresses. */
export const here = () => globalThis.document?.baseURI ?? globalThis.location?.href ?? workingFolder();

/** Whether this is Node. */
function workingFolder() {
  const folder = globalThis.process?.cwd?.();
  return folder && `file:///${folder.replaceAll("\\", "/").replace(/^\//, "")}/`;
}

/**
 * Returns an id that identifies a model wherever it is served: the end of its address, and the options that change vectors. The pooling
 * is known when the model is loaded, unless it is set; mean pooling is omitted.
 */
function identity(model, { pooling = "?", backend: _, ...options }) {
  const name = new URL(model).pathname.split("/").slice(-2).join("/");
  const told = Object.entries(options).sort().map(([key, value]) => ` ${key}=${value}`);
  return name + told.join("") + (pooling === "mean" ? "" : ` pooling=${pooling}`);
}

/** Creates descriptions of embedders. */
export const Embedder = {
  /** A sentence encoder in ONNX form, run in `workers` workers. Addresses are relative to the page. */
  onnx(options) {
    const given = { ...ONNX_DEFAULTS, ...checked("Embedder.onnx", options, ONNX_OPTIONS) };
    const { model, tokenizer, runtime, workers = "auto", pauseWhenHidden = false, threshold, id, timeout, expected, integrity, cache, ...rest } = given;
    text("Embedder.onnx.model", model);
    text("Embedder.onnx.tokenizer", tokenizer);
    if (integrity !== undefined && !isIntegrity(integrity)) throw invalid("Embedder.onnx.integrity", "a hash such as `sha256-…` in base64", shown(integrity));
    if (rest.backend === "onnxruntime") refuseRuntime();
    return {
      type: "onnx",
      workers,
      pauseWhenHidden,
      threshold,
      id: id ?? identity(absolute(model, here()), rest),
      files: {
        model: absolute(model, here()),
        tokenizer: absolute(tokenizer, here()),
        // Without it, the worker that loads the runtime finds it beside the package.
        runtime: runtime === undefined ? undefined : absolute(runtime.replace(/\/*$/, "/"), here()),
        timeout,
        integrity,
        cache,
        options: { ...rest, expected },
      },
    };
  },

  /** A function `(texts, { kind, signal }) => vectors`, which returns one array of numbers per text. */
  custom(embed, options) {
    func("embed", embed);
    const { threshold, concurrency, id } = { ...CUSTOM_EMBEDDER_DEFAULTS, ...checked("Embedder.custom", options, CUSTOM_EMBEDDER_OPTIONS) };
    return { type: "custom", threshold, concurrency, id, embed };
  },
};

/** Flattens the result of a custom embedder. */
export function flatten(vectors) {
  const wrong = (expected, got) =>
    new VademecumError(`The embedder must return ${expected}, but returned ${got}.`, { code: "vector_shape" });
  const isVector = (one) => ArrayBuffer.isView(one) || (Array.isArray(one) && one.every((value) => typeof value === "number"));
  if (!Array.isArray(vectors)) throw wrong("an array of vectors", typeof vectors);
  const other = vectors.find((one) => !isVector(one));
  if (other !== undefined || vectors.includes(undefined)) throw wrong("arrays of numbers", shown(other));
  const dimensions = vectors[0]?.length ?? 0;
  const values = new Float32Array(vectors.length * dimensions);
  vectors.forEach((vector, at) => {
    if (vector?.length !== dimensions) throw wrong(`vectors of ${dimensions} numbers each`, `one of ${vector?.length}`);
    values.set(vector, at * dimensions);
  });
  return { dimensions, values, truncated: vectors.map(() => false) };
}
