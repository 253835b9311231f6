// Workers that run one model, behind one queue.

import { aborted, closed, fromPlain, toPlain } from "./error.js";

/**
 * @abstract A subclass says what a worker needs to load the model.
 */
export class ModelPool {
  #spawn;
  #size;
  #workers = [];
  #idle = [];
  #queue = [];
  #state = "new";
  #loading = Promise.resolve(); // the current loading, or its outcome
  #listeners = new Set();

  /**
   * @param {number} size number of workers
   * @param {() => any} spawn starts a worker
   */
  constructor(size, spawn) {
    this.#size = size;
    this.#spawn = spawn;
    this.loaded = { pooling: null, backend: null, instructions: null }; // known once the model is loaded
  }

  /** Returns the parameters of the workers' call `load`. @returns {Promise<any>} */
  async files() {
    throw new Error("Not implemented.");
  }

  /** Called when the model is loaded; an exception fails the loading. */
  async settled() {}

  /** False while the model is loading: searches do not wait for it. After a failure, a call reports the reason. */
  isReady = () => this.#state === "ready" || this.#state === "failed";

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
      const params = await this.files();
      const loaded = await Promise.all(
        this.#workers.map((worker, at) => worker.call("load", params, { onEvent: at === 0 ? (progress) => this.#tell(progress) : undefined })),
      );
      if (this.#state === "closed") throw closed();
      if (loaded[0]) this.loaded = loaded[0];
      await this.settled();
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

  /**
   * Calls a worker that has nothing to do, and waits for the model while it is loading. A call with `first` goes before those without.
   * @param {string} method
   * @param {any} params
   * @param {{ signal?: AbortSignal, first?: boolean }} how
   */
  call(method, params, { signal, first = false } = {}) {
    if (this.#state === "closed") return Promise.reject(closed());
    if (signal?.aborted) return Promise.reject(aborted());
    if (this.#state === "failed") return this.#loading.then(() => this.call(method, params, { signal, first }));
    if (this.#state === "new") this.load().catch(() => {}); // the failure is reported through the queue
    return new Promise((resolve, reject) => {
      const job = { method, params, first, signal, resolve, reject };
      this.#queue.push(job);
      signal?.addEventListener("abort", () => this.#forget(job), { once: true });
      this.#next();
    });
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

  #next() {
    while (this.#idle.length > 0 && this.#queue.length > 0) {
      const first = this.#queue.findIndex((job) => job.first);
      const [job] = this.#queue.splice(Math.max(first, 0), 1);
      const worker = this.#idle.pop();
      worker
        .call(job.method, job.params, { signal: job.signal })
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
