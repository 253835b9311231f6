// Embedding workers behind one queue. A question goes before documents, so a search waits for one batch at most.

import { closed, fromPlain, toPlain } from "./error.js";

export class EmbedderPool {
  #spawn;
  #files;
  #workers = [];
  #idle = [];
  #queue = [];
  #state = "new";
  #loading = null;
  #listeners = new Set();

  constructor({ files, workers, threshold }, spawn) {
    this.#files = files;
    this.#spawn = spawn;
    this.concurrency = workers;
    this.threshold = threshold;
  }

  /** False while the model is on its way: a search does not wait for it. After a failure, embedding says why. */
  isReady = () => this.#state === "ready" || this.#state === "failed";

  /** Loads the model in every worker, once; `emit({phase: "model", loaded, total})` counts bytes. */
  load(signal, emit) {
    const listener = (progress) => emit?.(progress);
    this.#listeners.add(listener);
    if (this.#state !== "loading" && this.#state !== "ready") this.#loading = this.#start(signal);
    return this.#loading.finally(() => this.#listeners.delete(listener));
  }

  async #start(signal) {
    this.#state = "loading";
    this.#terminate();
    this.#workers = Array.from({ length: this.concurrency }, () => this.#spawn());
    try {
      await Promise.all(
        this.#workers.map((worker, at) =>
          worker.call("load", this.#files, { signal, onEvent: at === 0 ? (progress) => this.#tell(progress) : undefined }),
        ),
      );
      if (this.#state === "closed") throw closed();
      this.#state = "ready";
      this.#idle = [...this.#workers];
      this.#next();
    } catch (thrown) {
      const error = fromPlain(toPlain(thrown));
      if (this.#state !== "closed") this.#state = "failed";
      this.#terminate();
      this.#fail(error);
      throw error;
    }
  }

  /** Vectors of `texts`: `{dimensions, values, truncated}`. Waits for the model while that is loading. */
  embed(texts, kind) {
    if (this.#state === "closed") return Promise.reject(closed());
    if (this.#state === "failed") return this.#loading.then(() => this.embed(texts, kind));
    if (this.#state === "new") this.load().catch(() => {}); // the queue is told of the failure
    return new Promise((resolve, reject) => {
      this.#queue.push({ texts, kind, resolve, reject });
      this.#next();
    });
  }

  /** The ids the tokenizer gives a text. */
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
        .call("embed", { texts: job.texts, kind: job.kind })
        .then(job.resolve, job.reject)
        .finally(() => {
          if (this.#workers.includes(worker)) this.#idle.push(worker);
          this.#next();
        });
    }
  }

  #tell(progress) {
    for (const listener of this.#listeners) listener(progress);
  }

  #fail(error) {
    for (const job of this.#queue.splice(0)) job.reject(error);
  }

  #terminate() {
    for (const worker of this.#workers.splice(0)) worker.terminate();
    this.#idle = [];
  }

  close() {
    this.#state = "closed";
    this.#loading?.catch(() => {});
    this.#terminate();
    this.#fail(closed());
  }
}
