// Workers that embed. Questions take precedence over documents, so a search waits for at most one job.

import { ModelPool } from "./model-pool.js";
import { published } from "./published.js";

/** The models whose pooling was assumed, and said so. */
const told = new Set();
/** Suffix of the id of a model that is not loaded yet, as the engine expects it. */
const UNSETTLED = " pooling=?";

/**
 * `build` resolves to the compiled wasm module, which the workers share; `tokenCounter` to a function that counts tokens by the general
 * tokenizer.
 * @typedef {{ build?: () => Promise<any>, tokenCounter?: (file: any, limit: number) => Promise<(text: string) => number> }} Modules
 */

export class EmbedderPool extends ModelPool {
  #files;
  /** @type {Modules} */
  #modules;
  #settle = () => {};
  #hasDense = false;
  /** Whether neither the options nor the model's files say how it is pooled. */
  #isAssumed = false;

  /**
   * @param {any} kind the embedder's description
   * @param {(at: number) => any} spawn starts the worker of a number from 0
   * @param {Modules} modules
   */
  constructor({ files, workers, threshold, id }, spawn, modules = {}) {
    super({ files, workers }, spawn, modules.build);
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

  async published(beside) {
    const { options, model } = this.#files;
    if (options?.pooling) return {};
    const { pooling, dense = [] } = await published(model, beside);
    this.#hasDense = dense.length > 0;
    this.#isAssumed = pooling === undefined;
    return {
      files: { dense: dense.map(({ activation }) => activation), options: { ...options, ...(pooling && { published: pooling }) } },
      contents: { dense: dense.map(({ weights }) => weights) },
    };
  }

  async settled() {
    const { model } = this.#files;
    if (this.#isAssumed && this.loaded.pooling === "mean" && !told.has(model)) {
      told.add(model);
      console.warn(`vademecum: nothing beside ${model} says how it is pooled, so the mean of its token vectors is taken. Name the option \`pooling\` of Embedder.onnx.`);
    }
    const unsettled = this.id;
    if (unsettled?.endsWith(UNSETTLED)) {
      this.id = unsettled.slice(0, -UNSETTLED.length) + (this.loaded.pooling === "mean" ? "" : ` pooling=${this.loaded.pooling}`) + (this.#hasDense ? " dense" : "");
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
    return this.call("embed", { texts, kind }, { signal, isUrgent: kind === "query" });
  }

  /** Embeds documents, and compares them with words of a question: `matches` beside what `embed` returns, or `{}`. */
  align(texts, question, words, signal) {
    return this.call("align", { texts, question, words }, { signal, isUrgent: true });
  }

  /**
   * Returns the tokenizer's file, for counting tokens without a model: `{ bytes, url, counter(limit) }`, or nothing if it is
   * unavailable. The counter is for tokenizers that the engine does not know.
   */
  async tokenizer() {
    const { tokenizer: url } = this.#files;
    try {
      const file = { bytes: (await this.tokenizerFile()).bytes, url };
      return { ...file, counter: async (limit) => this.#modules.tokenCounter?.(file, limit) };
    } catch {
      return undefined;
    }
  }

  /** Returns the tokenizer's ids of a text. */
  tokenIds(text) {
    return this.ask("tokenIds", { text });
  }
}
