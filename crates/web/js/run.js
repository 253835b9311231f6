// A running pipeline or style.

import { bound } from "./plain.js";

/** Iterates over its events; `result` is the outcome. Every iteration sees all events. */
export class Run {
  #events = [];
  #ended = false;
  /** @type {(value?: unknown) => void} */
  #wake = () => {};
  #change;

  /**
   * @param begin called with a function that takes events; returns the promise of the result
   * @param {string} [id] identifies its turn in a conversation
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
    // Misuse is reported to those who only read events.
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
    await this.result; // throws the error of a rejected run
  }
}
