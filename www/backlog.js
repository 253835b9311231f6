// How many passages wait for their vectors, and how long they still will: counted by what the library says, for several may be at work.

/** Milliseconds: what was done before says little of how fast it goes now. */
const WINDOW = 30_000;
/** Nothing is said of the time before so much was seen. */
const LEAST = 3_000;

export class Backlog {
  #pending = 0;
  #done = 0;
  #seen = []; // `{ at, done }`, the oldest first

  /**
   * Takes in how many passages wait now.
   *
   * @param now in milliseconds
   * @returns `{ done, total, ms }`: of all since none waited; `ms` until the last, or null while that cannot be told
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
