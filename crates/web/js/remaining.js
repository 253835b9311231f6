// The time that work will still take, from its rate so far.

/** Milliseconds of history for the rate: earlier progress says little about the current speed. */
const WINDOW = 20_000;
/** Milliseconds of history required before a time is estimated. */
const LEAST = 1_000;

export class Remaining {
  #seen = []; // `{ at, loaded }`, oldest first

  /** Records how much is done, and returns the seconds that the rest will take, or null if that is unknown. */
  note(loaded, total, now = performance.now()) {
    if (this.#seen.length > 0 && loaded < this.#seen.at(-1).loaded) this.#seen = []; // it began again
    this.#seen.push({ at: now, loaded });
    while (this.#seen.length > 2 && now - this.#seen[1].at > WINDOW) this.#seen.shift();
    if (total > 0 && loaded >= total) return 0;
    const [first] = this.#seen;
    const [ms, done] = [now - first.at, loaded - first.loaded];
    return total > 0 && done > 0 && ms >= LEAST ? Math.max(1, Math.round((((total - loaded) / done) * ms) / 1000)) : null;
  }
}

/** Wraps a listener to progress `{ phase, loaded, total }`: it also gets `secondsLeft`, for each phase by its own rate. */
export function timed(listener) {
  /** @type {Record<string, Remaining>} */
  const phases = {};
  return (progress) => {
    const remaining = (phases[progress.phase] ??= new Remaining());
    listener({ ...progress, secondsLeft: remaining.note(progress.loaded, progress.total) });
  };
}
