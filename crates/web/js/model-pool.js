// Workers that run one model, behind one queue.

import { aborted, closed as libraryClosed, fromPlain, toPlain } from "./error.js";
import { modelFile, optionalFile, unavailable } from "./model-files.js";

/** The build of the kernel whose instructions are the same in every browser. */
const PLAIN = { name: "plain" };
/** Errors of files that are not what they should be: stored ones are removed, so that the next loading asks the server. */
const WRONG_FILES = ["model_corrupt", "tokenizer_invalid", "tokenizer_mismatch"];

/**
 * Where a model is: addresses, and settings of the model.
 * @typedef {{ model: string, tokenizer: string, runtime?: string, timeout?: number, integrity?: string, cache?: boolean, options?: any }} Files
 */

/** A subclass says what else is published with the model, and what its workers are called for. */
export class ModelPool {
  #spawn;
  #files;
  #task;
  #build;
  /** Number of workers. */
  size;
  #workers = [];
  #idle = [];
  #queue = [];
  #state = "new";
  #loading = Promise.resolve(); // the current loading, or its outcome
  /** @type {Error & { retryable?: boolean } | null} */
  failure = null; // of the last loading, until one succeeds
  #listeners = new Set();
  /** @type {Promise<import("./model-files.js").ModelFile> | null} */
  #tokenizer = null;
  /** @type {(() => Promise<void>)[]} */
  #fetched = []; // functions that remove the files from the store
  #isPaused = false;
  #downloads = new AbortController(); // aborted when the current loading fails, or by `close`
  /**
   * Loads a model in a worker: set by the current loading.
   * @type {(worker: any, model: { bytes: Uint8Array }, how?: { isLast?: boolean, build?: any }) => Promise<any>}
   */
  #load = async () => ({});

  /**
   * @param {{ files: Files, workers: number, task?: string }} kind `task` is `rerank` or `read`; without it, the model embeds
   * @param {(at: number) => any} spawn starts the worker of a number from 0; one that tabs share has a method `loaded`: what `load` did for another tab, or null
   * @param {() => Promise<any>} [build] compiles the kernel's module, which the workers share
   */
  constructor({ files, workers, task }, spawn, build) {
    this.#files = files;
    this.#task = task;
    this.size = workers;
    this.#spawn = spawn;
    this.#build = build;
    this.loaded = { pooling: null, backend: null, instructions: null, stored: null, shared: null }; // known once the model is loaded
  }

  /**
   * Returns what is published with the model: settings that are added to `files`, and `contents`.
   * @param {import("./published.js").Beside} _beside
   * @returns {Promise<{ files?: any, contents?: any }>}
   */
  async published(_beside) {
    return {};
  }

  /** Returns the error of calls that `close` ends. */
  closed = libraryClosed;

  /** Called when the model is loaded; an exception fails the loading. */
  async settled() {}

  /** False while the model is loading: searches do not wait for it. After a failure, a call reports the reason. */
  isReady = () => this.#state === "ready" || this.#state === "failed";

  /**
   * Fetches the model once and loads it; resolves when one worker has it, and the others follow. `emit({phase: "model", loaded, total})` counts bytes. Callers share one
   * loading: a signal ends a caller's wait, not the loading.
   */
  load(signal, emit) {
    if (this.#state === "closed") return Promise.reject(this.closed());
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
    if (!this.#tokenizer) this.#fetched = []; // its file is fetched once
    const { signal } = this.#downloads;
    try {
      // One worker first, so that it has the processor to itself while a question may wait for it.
      const first = this.#spawn(0);
      this.#workers.push(first);
      const shared = (await first.isShared?.()) ?? false;
      const known = shared ? await first.loaded() : null;
      /** @type {ReturnType<ModelPool["modelFile"]> | null} */
      let asked = null;
      const file = () => (asked ??= this.modelFile(signal));
      const [model] = await Promise.all([known ? null : file(), this.#prepared(first, signal, shared)]);
      // The bytes are copied where a later worker may not need them.
      const loaded = model ? await this.#load(first, model, { isLast: !shared && this.size === 1 }) : known;
      if (this.#isClosed()) throw this.closed();
      const about = { ...loaded, stored: null, shared };
      this.loaded = about;
      void Promise.resolve(model?.isStored ?? null).then((stored) => (about.stored = stored));
      await this.settled();
      if (this.#isClosed()) throw this.closed();
      this.#state = "ready";
      this.failure = null;
      this.#idle = [first];
      this.#next();
      for (let at = 1; at < this.size; at++) void this.#join(at, file, !shared && at === this.size - 1);
    } catch (thrown) {
      if (WRONG_FILES.includes(thrown?.code)) {
        this.#tokenizer = null;
        await Promise.all(this.#fetched.map((forget) => forget()));
      }
      const error = this.#isClosed() ? this.closed() : fromPlain(toPlain(thrown));
      if (!this.#isClosed()) [this.#state, this.failure] = ["failed", error];
      this.#downloads.abort();
      this.#terminate(error);
      this.#fail(error);
      throw error;
    }
  }

  /** Fetches the files that are loaded with the model. In parallel, starts the kernel's module in the first worker. */
  async #prepared(first, signal, isShared) {
    const prepare = async () => {
      // A compiled module cannot be sent to a worker that tabs share.
      const build = isShared || this.#files.options?.backend === "onnxruntime" ? undefined : await this.#build?.();
      await first.call("prepare", { build });
      return build;
    };
    const [tokenizer, config, own, build] = await Promise.all([
      this.tokenizerFile(),
      this.#config(signal),
      this.published({
        required: async (url) => (await this.#fetch(url, { signal })).bytes,
        optional: (url) => this.#fetchOptional(url, signal),
      }),
      prepare(),
    ]);
    const files = { ...this.#files, ...own.files };
    const contents = { tokenizer: tokenizer.bytes, config: config?.bytes, ...own.contents };
    this.#load = (worker, { bytes }, { isLast = false, build: other = build } = {}) =>
      loadIn(worker, { task: this.#task, files, contents, build: other }, bytes, isLast);
  }

  /** Starts one more worker. One that cannot load the model, as for want of memory, is ended with a warning: the others go on. */
  async #join(at, file, isLast) {
    let worker;
    try {
      worker = this.#spawn(at);
      this.#workers.push(worker);
      if (!(await worker.loaded?.())) await this.#load(worker, await file(), { isLast });
      if (this.#workers.includes(worker)) this.#idle.push(worker); // else it is of an earlier loading
    } catch (thrown) {
      const isEnded = worker !== undefined && !this.#workers.includes(worker); // with the pool
      this.#workers = this.#workers.filter((other) => other !== worker);
      worker?.terminate(thrown);
      if (!isEnded) console.warn(`vademecum: one of ${this.size} workers could not load the model, and the others go on: ${thrown.message}`);
    }
    this.#next();
  }

  /** A function, because the state changes while something is awaited. */
  #isClosed = () => this.#state === "closed";

  /**
   * Calls a worker that has nothing to do, and waits for the model while it is loading. An urgent call goes before others, and is not
   * paused.
   * @param {string} method
   * @param {any} params
   * @param {{ signal?: AbortSignal, isUrgent?: boolean }} how
   * @returns {Promise<any>}
   */
  call(method, params, { signal, isUrgent = false } = {}) {
    if (this.#state === "closed") return Promise.reject(this.closed());
    if (signal?.aborted) return Promise.reject(aborted());
    if (this.#state === "failed") return this.#loading.then(() => this.call(method, params, { signal, isUrgent }));
    if (this.#state === "new") this.load().catch(() => {}); // the failure is reported through the queue
    let forget = () => {};
    const result = new Promise((resolve, reject) => {
      const job = { method, params, isUrgent, signal, resolve, reject };
      this.#queue.push(job);
      forget = () => this.#forget(job);
      signal?.addEventListener("abort", forget, { once: true });
      this.#next();
    });
    // One signal ends many calls, and would keep what each of them was given.
    return result.finally(() => signal?.removeEventListener("abort", forget));
  }

  /** Calls the first worker, whatever it does, once the model is loaded. */
  async ask(method, params) {
    await this.load();
    return this.#workers[0].call(method, params);
  }

  /** Aborts a queued job; a running one is aborted through its signal. */
  #forget(job) {
    const at = this.#queue.indexOf(job);
    if (at < 0) return;
    this.#queue.splice(at, 1);
    job.reject(aborted());
  }

  /** Returns the tokenizer's file. */
  tokenizerFile() {
    const { tokenizer: url } = this.#files;
    this.#tokenizer ??= this.#fetch(url).catch((thrown) => {
      this.#tokenizer = null; // the next call tries again
      throw unavailable("The tokenizer", url, thrown);
    });
    return this.#tokenizer;
  }

  /** Fetches the model. */
  modelFile(signal) {
    const { model: url, integrity } = this.#files;
    const onProgress = (loaded, total) => this.#tell({ phase: "model", loaded, total });
    return this.#fetch(url, { integrity, signal, onProgress }).catch((thrown) => {
      throw unavailable("The model", url, thrown);
    });
  }

  /** Returns the `config.json` beside a model in the form of safetensors. */
  async #config(signal) {
    const { model } = this.#files;
    if (!URL.canParse(model) || !new URL(model).pathname.endsWith(".safetensors")) return undefined;
    const url = new URL("config.json", model).href;
    return this.#fetch(url, { signal }).catch((thrown) => {
      throw unavailable("The model's config.json", url, thrown);
    });
  }

  /** @param {string} url @param {{ integrity?: string, signal?: AbortSignal, onProgress?: (loaded: number, total: number) => void }} [how] */
  async #fetch(url, { integrity, ...how } = {}) {
    const { timeout, cache } = this.#files;
    const file = await modelFile({ url, timeout, integrity, cache }, how);
    this.#fetched.push(file.forget);
    return file;
  }

  /** Returns the contents of a file that the server may not have, or null. */
  async #fetchOptional(url, signal) {
    const { timeout, cache } = this.#files;
    const file = await optionalFile({ url, timeout, cache }, { signal });
    if (file) this.#fetched.push(file.forget);
    return file?.bytes ?? null;
  }

  /** Makes only urgent calls until it is called with false. */
  pause(isPaused) {
    this.#isPaused = isPaused;
    this.#next();
  }

  #next() {
    while (this.#idle.length > 0 && this.#queue.length > 0) {
      const urgent = this.#queue.findIndex((job) => job.isUrgent);
      if (urgent < 0 && this.#isPaused) return;
      const [job] = this.#queue.splice(Math.max(urgent, 0), 1);
      const worker = this.#idle.pop();
      worker
        .call(job.method, job.params, { signal: job.signal })
        .then((result) => result ?? this.#again(worker, job))
        .then(job.resolve, (error) => {
          // A worker that is gone belonged to an earlier loading, or was ended by another one's crash.
          const isCrash = error.code === "worker_failed" && this.#workers.includes(worker);
          if (this.#markForRepeat(job, error)) {
            this.#queue.unshift(job);
            if (isCrash) this.#reconnect(error);
            return;
          }
          job.reject(error);
          if (isCrash) this.#crashed(error);
        })
        .finally(() => {
          if (this.#workers.includes(worker)) this.#idle.push(worker);
          this.#next();
        });
    }
  }

  /** Repeats a job by the plain build: the browser's relaxed instructions are not exact any more. */
  async #again(worker, { method, params, signal }) {
    const about = await this.#load(worker, await this.modelFile(this.#downloads.signal), { isLast: true, build: PLAIN }).catch((thrown) => {
      if (this.#workers.includes(worker)) this.#crashed(fromPlain(toPlain(thrown))); // it has no model any more
      throw thrown;
    });
    Object.assign(this.loaded, about);
    return worker.call(method, params, { signal });
  }

  /** Marks a job that failed in a crash of shared workers, which another tab may have caused; returns whether it is repeated, which it is once. */
  #markForRepeat(job, { code }) {
    if (code !== "worker_failed" || !this.loaded.shared || job.hasFailed || job.signal?.aborted || this.#isClosed()) return false;
    return (job.hasFailed = true);
  }

  /** Loads the model again. If that fails, so do the jobs. */
  #reconnect(error) {
    this.#terminate(error);
    this.#state = "new";
    this.load().catch(() => {});
  }

  /** After a crash of one worker, all jobs fail with its error, and `load` starts again. */
  #crashed(error) {
    if (this.#state === "closed") return;
    [this.#state, this.failure] = ["failed", error];
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
    this.#terminate(this.closed());
    this.#fail(this.closed());
  }
}

/** Loads a model in a worker. The last one gets the bytes themselves, and every other one a copy, so that none is left here. */
function loadIn(worker, { contents, ...params }, model, isLast) {
  const isWhole = model.byteLength === model.buffer.byteLength; // a part of another buffer is always copied
  return worker.call("load", { ...params, contents: { ...contents, model } }, { transfer: isWhole && isLast ? [model.buffer] : [] });
}

const whenAborted = (signal) =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(aborted());
    signal.addEventListener("abort", () => reject(aborted()), { once: true });
  });
