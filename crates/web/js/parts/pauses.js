// Pauses between questions: a question that came while more is read ahead would wait for it.

/** Milliseconds without a question that are a pause. */
const PAUSE = 50;

export class Pauses {
  #running = 0;
  #endedAt = Number.NEGATIVE_INFINITY;

  /** Does the work of a question. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  async during(work) {
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#endedAt = performance.now();
    }
  }

  /** Resolves in a later turn, in a pause. */
  async next() {
    let left = 0;
    do {
      await new Promise((resolve) => setTimeout(resolve, left));
      left = this.#running > 0 ? PAUSE : this.#endedAt + PAUSE - performance.now();
    } while (left > 0);
  }
}
