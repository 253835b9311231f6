// Whether passages can be found by meaning: waits for the model and the vectors, and offers to try again where that fails.

import { byId } from "./dom.js";
import { complain } from "./notice.js";
import { isReadOnly } from "./read-only.js";
import { showProgress, status } from "./status.js";
import { plural } from "./words.js";

const isOfModel = ({ code = "" }) => /^(model|tokenizer|embedder)_/.test(code) && code !== "embedder_mismatch";
const isOfStorage = ({ code = "" }) => /^(storage_|read_only)/.test(code);

/** @param changed what became of the library, as main.js has it: told when passages have vectors */
export function startUnderstanding(kb, changed) {
  const retry = byId("retry");
  let underWay = 0;

  /** Makes the vectors that are missing: those that a closed tab has left, or that could not be made before. */
  const embedPending = async () => ((await isReadOnly(kb)) ? 0 : kb.embedPending({ onProgress: showProgress }));

  /** Waits for the model, and for `work`, which makes vectors. What goes wrong is told, not thrown. */
  async function understand(work = Promise.resolve()) {
    underWay += 1;
    hideRetry();
    work.catch(() => {}); // where the model is missing, that is told
    try {
      await kb.loadEmbedder();
      await work;
      await say();
    } catch (error) {
      await work.catch(() => {}); // what it still tells of its progress would stand there for good
      if (isOfStorage(error)) {
        complain(error);
        await say();
      } else tell(error);
    } finally {
      underWay -= 1;
    }
    changed.value = {};
  }

  /** Says how things stand, once what told of its progress is over; whatever else is under way says so itself. */
  async function settle() {
    if (underWay > 0) return;
    try {
      await kb.loadEmbedder();
      await say();
    } catch (error) {
      tell(error);
    }
  }

  /** How things stand where the model is there. */
  async function say() {
    const { pending, library } = await kb.stats();
    hideRetry();
    if (library?.readOnly) status("ready", "Another tab has the library: here it can be read.");
    else if (pending > 0) status("partly", `Searchable by words. ${plural(pending, "passage")} still to be understood.`);
    else status("ready", "Ready. The search is all on this device.");
  }

  // Whoever is at work on them tells when they are done.
  changed.on(() => byId("status").dataset.state === "partly" && say().catch(complain));

  function tell({ message }) {
    status("failed", `Searching by words only. ${message}`);
    retry.hidden = false;
    retry.onclick = () => understand(embedPending()).catch(complain);
    if (document.activeElement === byId("status")) retry.focus(); // who tried again may do so again
  }

  function hideRetry() {
    if (document.activeElement === retry) byId("status").focus(); // what comes of it is said there
    retry.hidden = true;
  }

  /** Whether vectors alone are missing after this error; then that is told, with a way to try again. */
  function byWordsOnly(error) {
    if (isOfModel(error)) tell(error);
    return isOfModel(error);
  }

  return { understand, embedPending, settle, byWordsOnly, isOfModel };
}
