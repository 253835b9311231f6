// Loading of a model: progress, cancellation and outcome.

import { byId } from "../dom.js";

/**
 * @param names ids: `outcome`, `progress`, `cancel`, and `others`, the buttons that are hidden meanwhile; `focuses` moves the focus between them
 * @param work `({ signal, onProgress, say })`, returns the model
 */
export async function load({ outcome, progress, cancel, others, focuses = true }, work) {
  const abort = new AbortController();
  const say = (state, text) => {
    Object.assign(byId(outcome), { hidden: false, textContent: text }).dataset.state = state;
  };
  const onProgress = (share) => {
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
    const model = await work({ signal: abort.signal, onProgress, say });
    byId(outcome).hidden = true;
    return model;
  } catch (error) {
    if (abort.signal.aborted) say("bad", "Cancelled. Nothing was changed.");
    else say("bad", error.message);
    return null;
  } finally {
    busy(false);
  }
}
