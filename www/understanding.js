// Whether passages can be found by meaning: waits for the model and the vectors, and offers to try again where that fails.

import { byId } from "./dom.js";

const isOfModel = ({ code = "" }) => /^(model|tokenizer|embedder)_/.test(code) && code !== "embedder_mismatch";

/**
 * @param status says in the bar how far the page is
 * @param onDone is told when the passages have vectors
 */
export function startUnderstanding(kb, { status, onProgress, onDone }) {
  /** Waits for the model, and for `work`, which makes vectors. What goes wrong is told, not thrown. */
  async function understand(work) {
    byId("retry").hidden = true;
    work.catch(() => {}); // where the model is missing, that is told
    try {
      await kb.loadEmbedder();
      await work;
      status("ready", "Ready. The search is all on this device.");
    } catch (error) {
      await work.catch(() => {}); // what it still tells of its progress would stand there for good
      tell(error);
    }
    onDone();
  }

  function tell({ message }) {
    status("failed", `Searching by words only. ${message}`);
    byId("retry").hidden = false;
    byId("retry").onclick = () => understand(kb.embedPending({ onProgress }));
  }

  /** Whether vectors alone are missing after this error; then that is told, with a way to try again. */
  function byWordsOnly(error) {
    if (isOfModel(error)) tell(error);
    return isOfModel(error);
  }

  return { understand, byWordsOnly, isOfModel };
}
