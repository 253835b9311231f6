// Descriptions of embedders for `KnowledgeBase.memory({ embedder })` and `open`.

import { custom } from "./embedder-custom.js";
import { ONNX_DEFAULTS, ONNX_OPTIONS } from "./generated/embedder-table.js";
import { sourceOf } from "./model-source.js";
import { checked } from "./options.js";
import { checkBackend } from "./refuse-runtime.js";
import { sharedEmbedder, sharedName } from "./spawn-shared-embedder.js";
import { watchVisibility } from "./visibility.js";
import { workerCount } from "./worker-count.js";

/**
 * Returns an id that identifies a model wherever it is served: the end of its address, and the options that change vectors. The pooling
 * is known when the model is loaded, unless it is set; mean pooling is omitted. A folder `onnx`, which many models are published with, is no
 * name.
 */
function identity(model, { pooling = "?", backend: _, ...options }) {
  const path = new URL(model).pathname.split("/");
  const name = path.slice(path.at(-2) === "onnx" ? -3 : -2).join("/");
  const told = Object.entries(options).sort().map(([key, value]) => ` ${key}=${value}`);
  return name + told.join("") + (pooling === "mean" ? "" : ` pooling=${pooling}`);
}

/** Creates descriptions of embedders. */
export const Embedder = {
  /** A sentence encoder in ONNX form, run in `workers` workers. Addresses are relative to the page. */
  onnx(options) {
    const given = { ...ONNX_DEFAULTS, ...checked("Embedder.onnx", options, ONNX_OPTIONS) };
    const { model, tokenizer, runtime, timeout, integrity, cache, workers = "auto", pauseWhenHidden = false, shared = false, threshold, id, expected, ...rest } = given;
    const source = sourceOf("Embedder.onnx", { model, tokenizer, runtime, timeout, integrity, cache });
    checkBackend("Embedder.onnx", rest);
    const files = { ...source, options: { ...rest, expected } };
    return {
      type: "onnx",
      // What concerns the page: what it adds to this, whether it is visible, and what its engine asks it for.
      page: {
        describe: async (own) => ({ workers: await workerCount(workers), shared: shared ? await sharedName(files, own) : undefined }),
        watch: pauseWhenHidden ? watchVisibility : undefined,
        handlers: { sharedEmbedder },
      },
      threshold,
      id: id ?? identity(source.model, rest),
      files,
    };
  },

  custom,
};
