// Progress of embedding: pending passages and remaining time, computed from the library's count, because several tasks may add to it.

/** Milliseconds of history for the rate: earlier progress says little about the current speed. */
const WINDOW = 30_000;
/** Milliseconds of history required before a remaining time is estimated. */
const LEAST = 3_000;

export class EmbeddingProgress {
  #pending = 0;
  #done = 0;
  #seen = []; // `{ at, done }`, oldest first

  /**
   * Records how many passages are pending.
   *
   * @param now in milliseconds
   * @returns `{ done, total, ms }`: counts since nothing was pending; `ms` is the remaining time, or null if unknown
   */
  note(pending, now = performance.now()) {
    if (this.#pending === 0 || pending === 0) [this.#done, this.#seen] = [0, []];
    else this.#done += Math.max(0, this.#pending - pending);
    this.#pending = pending;
    this.#seen.push({ at: now, done: this.#done });
    while (this.#seen.length > 2 && now - this.#seen[1].at > WINDOW) this.#seen.shift();
    const [{ at, done }] = this.#seen;
    const isKnown = now - at >= LEAST && this.#done > done;
    return { done: this.#done, total: this.#done + pending, ms: isKnown ? (pending * (now - at)) / (this.#done - done) : null };
  }
}
