// Repeats runs whose answer may be better now, beside what the user does.

import { follow } from "./run.js";

/** @param {Record<string, any>} app `{ thread, passages, runs, answer }` */
export function startRenewal({ thread, passages, runs, answer }) {
  let current = /** @type {AbortController | null} */ (null);

  /**
   * Repeats a run without a model, as it was asked: a model that was chosen since must be sent nothing that nobody asks it.
   *
   * @param mayRenew returns whether the answer of a record may still be replaced
   */
  async function repeat(record, mayRenew) {
    const abort = (current = new AbortController());
    const { signal } = abort;
    const next = await thread.begin({ ...record.asked, isByRules: true }, record.settings, signal);
    if (!mayRenew(record)) abort.abort(); // the engine is for what the user does now
    next.finding = passages.find(record.question, signal).then((found) => void (next.found = found));
    Object.assign(next, { asked: record.asked, again: record.again, renewed: { cited: record.result.citations ?? [] } });
    await (next.ended = follow(next, signal, { runs, answer, isShown: () => false }));
    await next.finding;
    return next;
  }

  return { repeat, stop: () => current?.abort() };
}
