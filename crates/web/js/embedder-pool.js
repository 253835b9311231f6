// Embedding workers behind one queue. Questions take precedence over documents, so a search waits for at most one job.

import { aborted, closed, fromPlain, toPlain } from "./error.js";
import { modelFile, unavailable } from "./model-files.js";
import { published } from "./pooling.js";

/** Suffix of the id of a model that is not loaded yet, as the engine expects it. */
const UNSETTLED = " pooling=?";
/** The build of the kernel whose instructions are the same in every browser. */
const PLAIN = { name: "plain" };
/** Errors of files that are not what they should be: stored ones are removed, so that the next loading asks the server. */
const WRONG_FILES = ["model_corrupt", "tokenizer_invalid", "tokenizer_mismatch"];

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
  /** @type {Promise<import("./model-files.js").ModelFile> | null} */
  #tokenizer = null;
  #isPaused = false;
  #downloads = new AbortController(); // aborted when the current loading fails, or by `close`
  /** @type {Modules} */
  #modules;
  #settle = () => {};
  /**
   * Loads a model in workers: set by the current loading.
   * @type {(workers: any[], model: { bytes: Uint8Array }, build?: any) => Promise<any[]>}
   */
  #load = async () => [];

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
    this.loaded = { pooling: null, backend: null, instructions: null, stored: null }; // known once the model is loaded
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
   * Fetches the model once and loads it in every worker; `emit({phase: "model", loaded, total})` counts bytes. Callers share one
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
    this.#downloads = new AbortController();
    const { signal } = this.#downloads;
    try {
      for (let n = 0; n < this.#size; n++) this.#workers.push(this.#spawn());
      const { options, model: url } = this.#files;
      const [tokenizer, ofModel, build, model] = await Promise.all([
        this.#tokenizerFile(),
        options?.pooling ? undefined : published(url, async (url) => (await this.#fetch(url, { signal })).bytes),
        this.#prepare(),
        this.#model(signal),
      ]);
      const files = { ...this.#files, options: { ...options, ...(ofModel && { published: ofModel }) } };
      this.#load = (workers, { bytes }, own = build) => loadAll(workers, { files, tokenizer: tokenizer.bytes, build: own }, bytes);
      const loaded = await this.#load(this.#workers, model).catch(async (thrown) => {
        if (WRONG_FILES.includes(thrown.code)) await Promise.all([model, tokenizer].map((file) => file.forget()));
        throw thrown;
      });
      if (this.#state === "closed") throw closed();
      const about = { ...loaded[0], stored: null };
      this.loaded = about;
      void Promise.resolve(model.isStored).then((stored) => (about.stored = stored));
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
      const error = this.#state === "closed" ? closed() : fromPlain(toPlain(thrown));
      if (this.#state !== "closed") this.#state = "failed";
      this.#downloads.abort();
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
  async tokenizer() {
    const { tokenizer: url } = this.#files;
    try {
      const file = { bytes: (await this.#tokenizerFile()).bytes, url };
      return { ...file, counter: async (limit) => this.#modules.tokenCounter?.(file, limit) };
    } catch {
      return undefined;
    }
  }

  #tokenizerFile() {
    const { tokenizer: url } = this.#files;
    this.#tokenizer ??= this.#fetch(url).catch((thrown) => {
      this.#tokenizer = null; // the next document tries again
      throw unavailable("The tokenizer", url, thrown);
    });
    return this.#tokenizer;
  }

  #model(signal) {
    const { model: url, integrity } = this.#files;
    const onProgress = (loaded, total) => this.#tell({ phase: "model", loaded, total });
    return this.#fetch(url, { integrity, signal, onProgress }).catch((thrown) => {
      throw unavailable("The model", url, thrown);
    });
  }

  /** @param {string} url @param {{ integrity?: string, signal?: AbortSignal, onProgress?: (loaded: number, total: number) => void }} [how] */
  #fetch(url, { integrity, ...how } = {}) {
    const { timeout, cache } = this.#files;
    return modelFile({ url, timeout, integrity, cache }, how);
  }

  /** Starts the kernel's module in every worker while the model is on its way; returns the compiled module. */
  async #prepare() {
    const build = this.#files.options?.backend === "onnxruntime" ? undefined : await this.#modules.build?.();
    await Promise.all(this.#workers.map((worker) => worker.call("prepare", { build })));
    return build;
  }

  /** Returns the tokenizer's ids of a text. */
  async tokenIds(text) {
    await this.load();
    return this.#workers[0].call("tokenIds", { text });
  }

  /** Embeds no documents until it is called with false; questions are embedded all the same. */
  pause(isPaused) {
    this.#isPaused = isPaused;
    this.#next();
  }

  #next() {
    while (this.#idle.length > 0 && this.#queue.length > 0) {
      const question = this.#queue.findIndex((job) => job.kind === "query");
      if (question < 0 && this.#isPaused) return;
      const [job] = this.#queue.splice(Math.max(question, 0), 1);
      const worker = this.#idle.pop();
      worker
        .call("embed", { texts: job.texts, kind: job.kind }, { signal: job.signal })
        .then((vectors) => vectors ?? this.#again(worker, job))
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

  /** Repeats a job by the plain build: the browser's relaxed instructions are not exact any more. */
  async #again(worker, { texts, kind, signal }) {
    await this.#load([worker], await this.#model(this.#downloads.signal), PLAIN);
    return worker.call("embed", { texts, kind }, { signal });
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
    this.#downloads.abort();
    this.#loading.catch(() => {});
    this.#terminate();
    this.#fail(closed());
  }
}

/** Loads a model in workers. The last one gets the bytes themselves, and every other one a copy, so that none is left here. */
function loadAll(workers, params, model) {
  const isWhole = model.byteLength === model.buffer.byteLength; // a part of another buffer is always copied
  return Promise.all(
    workers.map((worker, at) => worker.call("load", { ...params, model }, { transfer: isWhole && at === workers.length - 1 ? [model.buffer] : [] })),
  );
}

const whenAborted = (signal) =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(aborted());
    signal.addEventListener("abort", () => reject(aborted()), { once: true });
  });
