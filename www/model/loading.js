// Loading of a model: progress, cancellation and outcome.

import { byId } from "../dom.js";
import { t } from "../words.js";

/** @type {Map<string, AbortController>} */
const running = new Map(); // the latest load of each card, by the id of its outcome

/**
 * Loads a model, and resolves to it, or to null if it failed, was cancelled, or another load of the same card has begun.
 * @param {{ outcome: string, progress: string, cancel: string, others: string[], focuses?: boolean, within?: AbortSignal }} names
 *   ids: `outcome`, `progress`, `cancel`, and `others`, the buttons that are hidden meanwhile; `focuses` moves the focus between them, and `within` is a
 *   signal that cancels the load
 * @param work `({ signal, onProgress, say })`, returns the model
 */
export async function load({ outcome, progress, cancel, others, focuses = true, within }, work) {
  running.get(outcome)?.abort();
  const abort = new AbortController();
  running.set(outcome, abort);
  const isLatest = () => running.get(outcome) === abort;
  const signal = within ? AbortSignal.any([abort.signal, within]) : abort.signal;
  let isBad = false; // whether what is said is a failure, which stays
  const say = (state, text) => {
    if (!isLatest()) return;
    isBad = state === "bad";
    Object.assign(byId(outcome), { hidden: false, textContent: text }).dataset.state = state;
  };
  const onProgress = (share) => {
    if (!isLatest()) return;
    if (share === null) byId(progress).removeAttribute("value");
    else byId(progress).value = share;
  };
  const busy = (is) => {
    byId(progress).hidden = byId(cancel).hidden = !is;
    for (const id of others) byId(id).hidden = is;
    if (focuses) byId(is ? cancel : others.at(-1)).focus();
  };
  byId(cancel).onclick = () => abort.abort();
  onProgress(null);
  busy(true);
  try {
    const model = await work({ signal, onProgress, say });
    if (signal.aborted) model.close?.();
    signal.throwIfAborted();
    if (!isBad) byId(outcome).hidden = true;
    return model;
  } catch (error) {
    if (signal.aborted) say("bad", t("Cancelled. Nothing was changed."));
    else say("bad", error.message);
    return null;
  } finally {
    if (isLatest()) {
      running.delete(outcome);
      busy(false);
    }
  }
}
