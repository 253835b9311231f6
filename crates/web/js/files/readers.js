// Threads that read files to documents.

import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

/** Maximum number of threads: beyond, the engine is what a build waits for. */
const MOST = 4;
/** Milliseconds that a file may take. */
const PATIENCE = 120_000;

export class Readers {
  #files;
  #patience;
  /** @type {Worker[]} */
  #idle = [];
  /** @type {((worker: Worker) => void)[]} */
  #waiting = [];
  #running = new Set();
  #most = Math.min(MOST, availableParallelism());

  /** @param {any} files the module that reads files */
  constructor(files, patience = PATIENCE) {
    this.#files = files;
    this.#patience = patience;
  }

  /**
   * Returns `{ documents, notes }` or `{ refusal }` of a file.
   * @param {{ id: string, kind: string, page?: string }} file @param {Uint8Array} bytes
   */
  async read({ id, kind, page }, bytes) {
    const worker = await this.#take();
    const { said, why } = await this.#asked(worker, { id, kind, bytes, page });
    this.#give(why ? this.#fresh(worker) : worker);
    return why ? { refusal: JSON.parse(why) } : JSON.parse(said);
  }

  /** Returns what a thread says as `said`, or as `why` the refusal of a file by which it was ended. */
  #asked(worker, message) {
    return new Promise((resolve) => {
      const late = () => end({ why: this.#files.unfinished(`Reading it took more than ${this.#patience / 1000} seconds.`) });
      const crashed = () => end({ why: this.#files.crashed() });
      const heard = (said) => end({ said });
      const timer = setTimeout(late, this.#patience);
      const end = (outcome) => {
        clearTimeout(timer);
        worker.off("message", heard).off("error", crashed).off("exit", crashed);
        resolve(outcome);
      };
      worker.on("message", heard).on("error", crashed).on("exit", crashed);
      worker.postMessage(message);
    });
  }

  async #take() {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#running.size < this.#most) return this.#fresh();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #give(worker) {
    const next = this.#waiting.shift();
    if (next) next(worker);
    else this.#idle.push(worker);
  }

  /** Starts a thread, in place of one that has ended. */
  #fresh(ended) {
    if (ended) this.#running.delete(ended);
    ended?.terminate();
    const worker = new Worker(new URL("./reader.js", import.meta.url));
    worker.unref();
    // Errors are heard while a file is read; without a listener, one afterwards would end the process.
    worker.on("error", () => {});
    this.#running.add(worker);
    return worker;
  }

  async close() {
    await Promise.all([...this.#running].map((worker) => worker.terminate()));
  }
}
