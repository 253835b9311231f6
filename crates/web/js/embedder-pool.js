// Embedding workers behind one queue. Questions take precedence over documents, so a search waits for at most one job.

import { download } from "./download.js";
import { aborted, closed, fromPlain, toPlain } from "./error.js";
import { published } from "./pooling.js";

/** Suffix of the id of a model that is not loaded yet, as the engine expects it. */
const UNSETTLED = " pooling=?";

/**
 * `build` resolves to the compiled wasm module, which the workers share; `tokenCounter` to a function that counts tokens by the general
 * tokenizer.
 * @typedef {{ build?: () => Promise<any>, tokenCounter?: (file: any, limit: number) => Promise<(text: string) => number> }} Modules
 */

export class EmbedderPool {
  #spawn;
  #files;
  #size;
  #workers = [];
  #idle = [];
  #queue = [];
  #state = "new";
  #loading = Promise.resolve(); // the current loading, or its outcome
  #listeners = new Set();
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
    this.#files = files;
    this.#spawn = spawn;
    this.#modules = modules;
    this.id = id;
    this.loaded = { pooling: null, backend: null, instructions: null }; // known once the model is loaded
    this.#size = workers;
    this.concurrency = workers + 1; // one batch waits here, so that no worker waits for the engine
    this.threshold = threshold;
  }

  /** False while the model is loading: searches do not wait for it. After a failure, embedding reports the reason. */
  isReady = () => this.#state === "ready" || this.#state === "failed";

  /** Sets a callback for when the model's identity is known; an exception in it fails the loading. */
  onSettled(settle) {
    this.#settle = settle;
  }

  /**
   * Loads the model in every worker, once; `emit({phase: "model", loaded, total})` counts bytes. Callers share one
   * loading: a signal ends a caller's wait, not the loading.
   */
  load(signal, emit) {
    if (this.#state === "closed") return Promise.reject(closed());
    const listener = (progress) => emit?.(progress);
    this.#listeners.add(listener);
    if (this.#state !== "loading" && this.#state !== "ready") this.#loading = this.#start();
    const waiting = signal ? Promise.race([this.#loading, whenAborted(signal)]) : this.#loading;
    return waiting.finally(() => this.#listeners.delete(listener));
  }

  async #start() {
    this.#state = "loading";
    this.#terminate();
    try {
      for (let n = 0; n < this.#size; n++) this.#workers.push(this.#spawn());
      const { options, model, timeout } = this.#files;
      // Shared files are fetched once.
      const [tokenizer, ofModel, build] = await Promise.all([
        this.tokenizer(),
        options?.pooling ? undefined : published(model, timeout),
        options?.backend === "onnxruntime" ? undefined : this.#modules.build?.(),
      ]);
      const files = { ...this.#files, options: { ...options, ...(ofModel && { published: ofModel }) } };
      const params = { files, tokenizer: tokenizer?.bytes, build };
      const loaded = await Promise.all(
        this.#workers.map((worker, at) => worker.call("load", params, { onEvent: at === 0 ? (progress) => this.#tell(progress) : undefined })),
      );
      if (this.#state === "closed") throw closed();
      if (loaded[0]) this.loaded = loaded[0];
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
      this.#state = "ready";
      this.#idle = [...this.#workers];
      this.#next();
    } catch (thrown) {
      const error = fromPlain(toPlain(thrown));
      if (this.#state !== "closed") this.#state = "failed";
      this.#terminate(error);
      this.#fail(error);
      throw error;
    }
  }

  /** Embeds `texts`: returns `{dimensions, values, truncated}`. Waits for the model while it is loading. */
  embed(texts, kind, signal) {
    if (this.#state === "closed") return Promise.reject(closed());
    if (signal?.aborted) return Promise.reject(aborted());
    if (this.#state === "failed") return this.#loading.then(() => this.embed(texts, kind, signal));
    if (this.#state === "new") this.load().catch(() => {}); // the failure is reported through the queue
    return new Promise((resolve, reject) => {
      const job = { texts, kind, signal, resolve, reject };
      this.#queue.push(job);
      signal?.addEventListener("abort", () => this.#forget(job), { once: true });
      this.#next();
    });
  }

  /** Aborts a queued job; a running one is aborted through its signal. */
  #forget(job) {
    const at = this.#queue.indexOf(job);
    if (at < 0) return;
    this.#queue.splice(at, 1);
    job.reject(aborted());
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
  async tokenIds(text) {
    await this.load();
    return this.#workers[0].call("tokenIds", { text });
  }

  #next() {
    while (this.#idle.length > 0 && this.#queue.length > 0) {
      const question = this.#queue.findIndex((job) => job.kind === "query");
      const [job] = this.#queue.splice(Math.max(question, 0), 1);
      const worker = this.#idle.pop();
      worker
        .call("embed", { texts: job.texts, kind: job.kind }, { signal: job.signal })
        .then(job.resolve, (error) => {
          job.reject(error);
          // A worker that is gone belonged to an earlier loading, or was ended by another one's crash.
          if (error.code === "worker_failed" && this.#workers.includes(worker)) this.#crashed(error);
        })
        .finally(() => {
          if (this.#workers.includes(worker)) this.#idle.push(worker);
          this.#next();
        });
    }
  }

  /** After a crash of one worker, all jobs fail with its error, and `load` starts again. */
  #crashed(error) {
    if (this.#state === "closed") return;
    this.#state = "failed";
    const failed = Promise.reject(error);
    failed.catch(() => {});
    this.#loading = failed;
    this.#terminate(error);
    this.#fail(error);
  }

  #tell(progress) {
    for (const listener of this.#listeners) listener(progress);
  }

  #fail(error) {
    for (const job of this.#queue.splice(0)) job.reject(error);
  }

  #terminate(why) {
    for (const worker of this.#workers.splice(0)) worker.terminate(why);
    this.#idle = [];
  }

  close() {
    this.#state = "closed";
    this.#loading.catch(() => {});
    this.#terminate();
    this.#fail(closed());
  }
}

const whenAborted = (signal) =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(aborted());
    signal.addEventListener("abort", () => reject(aborted()), { once: true });
  });
