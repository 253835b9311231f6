// Waiting for the user's functions, which may take for ever.

import { aborted } from "./error.js";

/**
 * The outcome of a promise, or `aborted` as soon as the signal is. What comes too late is given to `late`.
 * @param {(value: any) => void} late
 */
export function unlessAborted(signal, promise, late = () => {}) {
  return new Promise((resolve, reject) => {
    const stop = () => reject(aborted());
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
    const settled = (how) => (outcome) => {
      signal.removeEventListener("abort", stop);
      how(outcome);
    };
    Promise.resolve(promise).then(settled((value) => (signal.aborted ? late(value) : resolve(value))), settled(reject));
  });
}

/** How long work may go on, in milliseconds, before other tasks get a turn. */
const TURN = 10;

/** A function to await now and then: it lets timers and messages in. A source that always has more would keep them out. */
export function turns() {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < TURN) return;
    await new Promise((resolve) => setTimeout(resolve));
    began = performance.now();
  };
}
