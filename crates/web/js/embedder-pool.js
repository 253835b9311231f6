// Embedding workers behind one queue. Questions take precedence over documents, so a search waits for at most one job.

import { download } from "./download.js";
import { modelFiles } from "./model-files.js";
import { ModelPool } from "./model-pool.js";
import { published } from "./published.js";

/** Suffix of the id of a model that is not loaded yet, as the engine expects it. */
const UNSETTLED = " pooling=?";

/**
 * `build` resolves to the compiled wasm module, which the workers share; `tokenCounter` to a function that counts tokens by the general
 * tokenizer.
 * @typedef {{ build?: () => Promise<any>, tokenCounter?: (file: any, limit: number) => Promise<(text: string) => number> }} Modules
 */

export class EmbedderPool extends ModelPool {
  #files;
  /** @type {Promise<{ bytes: Uint8Array, url: string, counter: (limit: number) => Promise<((text: string) => number) | undefined> } | void> | null} */
  #tokenizer = null;
  /** @type {Modules} */
  #modules;
  #settle = () => {};

  /**
   * @param {any} kind the embedder's description
   * @param {() => any} spawn starts a worker
   * @param {Modules} modules
   */
  constructor({ files, workers, threshold, id }, spawn, modules = {}) {
    super(workers, spawn);
    this.#files = files;
    this.#modules = modules;
    this.id = id;
    this.concurrency = workers + 1; // one batch waits here, so that no worker waits for the engine
    this.threshold = threshold;
  }

  /** Sets a callback for when the model's identity is known; an exception in it fails the loading. */
  onSettled(settle) {
    this.#settle = settle;
  }

  /** Shared files are fetched once. */
  async files() {
    const { options, model, timeout } = this.#files;
    const [tokenizer, ofModel, own, build] = await Promise.all([
      this.tokenizer(),
      options?.pooling ? {} : published(model, timeout),
      modelFiles(model, timeout),
      options?.backend === "onnxruntime" ? undefined : this.#modules.build?.(),
    ]);
    const { pooling, dense = [] } = ofModel;
    const files = { ...this.#files, dense: dense.map((one) => one.activation), options: { ...options, ...(pooling && { published: pooling }) } };
    return { files, contents: { tokenizer: tokenizer?.bytes, dense: dense.map((one) => one.weights), ...own }, build };
  }

  async settled() {
    const unsettled = this.id;
    if (unsettled?.endsWith(UNSETTLED)) {
      this.id = unsettled.slice(0, -UNSETTLED.length) + (this.loaded.pooling === "mean" ? "" : ` pooling=${this.loaded.pooling}`);
    }
    try {
      await this.#settle();
    } catch (mismatch) {
      this.id = unsettled; // otherwise the library would be saved with this model as the origin of its vectors
      throw mismatch;
    }
  }

  /** Embeds `texts`: returns `{dimensions, values, truncated}`. Waits for the model while it is loading. */
  embed(texts, kind, signal) {
    return this.call("embed", { texts, kind }, { signal, first: kind === "query" });
  }

  /**
   * Returns the tokenizer's file, for counting tokens without a model: `{ bytes, url, counter(limit) }`, or nothing if it is
   * unavailable. The counter is for tokenizers that the engine does not know.
   */
  tokenizer() {
    const { tokenizer: url, timeout } = this.#files;
    this.#tokenizer ??= (async () => {
      const file = { bytes: await download(url, timeout), url };
      return { ...file, counter: async (limit) => this.#modules.tokenCounter?.(file, limit) };
    })()
      .catch(() => {
        this.#tokenizer = null; // the next document tries again
      });
    return this.#tokenizer;
  }

  /** Returns the tokenizer's ids of a text. */
  tokenIds(text) {
    return this.ask("tokenIds", { text });
  }
}
