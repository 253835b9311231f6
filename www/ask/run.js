// A run of the agent: its events, consumed into its record, and what its answer needs from the library once it has ended.

import { documentAt, snapshotOf } from "../run-snapshot.js";
import { quotesOf } from "../vademecum/elements/quotes.js";
import { t } from "../words.js";
import { textsOf } from "./rows.js";

const STATES = { aborted: "stopped", clarify: "clarify", error: "failed" };

/**
 * Consumes a run's events.
 *
 * @param on `{ runs, answer, isShown() }`
 */
export async function follow(record, signal, { runs, answer, isShown }) {
  record.written = "";
  const isWritten = () => isShown() && !signal.aborted;
  try {
    for await (const event of record.run) {
      runs.note(record, event);
      if (event.type === "failed" && !signal.aborted) record.written = ""; // a model's partial text is not part of the answer
      if (event.type === "start" && isWritten()) answer.doing(event.step);
      if (event.type === "draft" && isWritten()) answer.write(event.text); // until the answer replaces it
      if (event.type !== "token") continue;
      if (!signal.aborted) record.written += event.text;
      if (isWritten()) answer.write(record.written);
    }
    const result = await record.run.result;
    runs.end(record, STATES[result.terminatedBy] ?? "done", result);
  } catch (error) {
    runs.end(record, signal.aborted ? "stopped" : "failed", null, error);
  }
}

/** Returns what `answer.show` takes beside the record. Errors of the library are reported elsewhere: without it, the text of the answer is shown. */
export async function besides(kb, record) {
  const { pending, documents } = await kb.stats().catch(() => ({ pending: 0, documents: null }));
  const { output } = record.result ?? {};
  return {
    isEmpty: documents === 0,
    early: pending > 0 && record.state === "done" ? t("Some of your documents are still being learned: ask again later for a better answer. ") : "",
    texts: output?.rows.length > 0 ? await textsOf(kb, output).catch(() => []) : [],
    quotes: await quotesOf(record.result, (place) => documentAt(kb, place), snapshotOf(record)).catch(() => null),
  };
}
