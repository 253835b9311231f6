// Descriptions of embedders for `KnowledgeBase.memory({ embedder })` and `open`.

import { custom } from "./embedder-custom.js";
import { invalid } from "./error.js";
import { ONNX_DEFAULTS, ONNX_OPTIONS } from "./generated/embedder-table.js";
import { here } from "./here.js";
import { isIntegrity } from "./integrity.js";
import { checked, shown, text } from "./options.js";
import { refuseRuntime } from "./refuse-runtime.js";
import { watchVisibility } from "./visibility.js";
import { workerCount } from "./worker-count.js";

const absolute = (url, base) => new URL(url, base).href;

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
      // What concerns the page: the number of workers, and whether it is visible.
      page: { workers: () => workerCount(workers), watch: pauseWhenHidden ? watchVisibility : undefined },
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

  custom,
};
