// Waits for the user's functions, which may never return.

import { aborted } from "./error.js";

/**
 * Returns the outcome of a promise, or `aborted` as soon as the signal is. A later result is passed to `late`.
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

/** Milliseconds of work before other tasks get a turn. */
const TURN = 10;

/** Returns a function to await regularly, so that timers and messages are handled. A source with endless data would block them. */
export function turns() {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < TURN) return;
    await new Promise((resolve) => setTimeout(resolve));
    began = performance.now();
  };
}
