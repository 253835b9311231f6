// A run under way.

import { bound } from "./plain.js";

/** Its events as an async iterable, its outcome as `result`. Every iteration sees every event. */
export class Run {
  #events = [];
  #ended = false;
  /** @type {(value?: unknown) => void} */
  #wake = () => {};
  #change;

  /**
   * @param begin given a function that takes events, returns the promise of the result
   * @param {string} [id] what its turn in a conversation is known by
   */
  constructor(begin, id) {
    bound(this);
    if (id !== undefined) this.id = id;
    this.#arm();
    this.result = begin((event) => {
      this.#events.push(event);
      this.#signal();
    }).finally(() => {
      this.#ended = true;
      this.#signal();
    });
    // Whoever only reads events is told of misuse there.
    this.result.catch(() => {});
  }

  #arm() {
    this.#change = new Promise((resolve) => (this.#wake = resolve));
  }

  #signal() {
    this.#wake();
    this.#arm();
  }

  async *[Symbol.asyncIterator]() {
    for (let at = 0; ; ) {
      if (at < this.#events.length) yield this.#events[at++];
      else if (this.#ended) break;
      else await this.#change;
    }
    await this.result; // throws what the run was refused for
  }
}
