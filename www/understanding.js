// Whether passages can be found by meaning: waits for the model and the vectors, and offers to try again where that fails.

import { Backlog } from "./backlog.js";
import { byId } from "./dom.js";
import { complain } from "./notice.js";
import { isReadOnly } from "./read-only.js";
import { sentenceOf } from "./sentences.js";
import { showProgress, status } from "./status.js";
import { about, number, plural } from "./words.js";

const isOfModel = ({ code = "" }) => /^(model|tokenizer|embedder)_/.test(code) && code !== "embedder_mismatch";
/** The engine crashed: it is started again, or the page is told that it is not. */
const isOfEngine = ({ code = "" }) => ["worker_failed", "library_lost"].includes(code);
const isOfStorage = ({ code = "" }) => /^(storage_|read_only)/.test(code);

/** Milliseconds between two looks at how many passages wait. */
const PAUSE = 250;
const UNDERSTANDING = "Searchable by words. Understanding passages";

/** @param changed what became of the library, as main.js has it: told when passages have vectors */
export function startUnderstanding(kb, changed) {
  const retry = byId("retry");
  const backlog = new Backlog();
  let underWay = 0;
  let latest = 0; // grows with everything that is said of how things stand
  let isLooking = false;
  let isHalted = false;

  /** Makes the vectors that are missing: those that a closed tab has left, or that could not be made before. */
  const embedPending = async () => ((await isReadOnly(kb)) ? 0 : kb.embedPending({ onProgress }));

  /** Shows progress in the bar: of vectors all that wait, whoever makes them. */
  function onProgress(progress) {
    if (progress.phase !== "embed") return showProgress(progress);
    if (!isLooking) look().catch(() => {}); // whoever is at work is told
  }

  async function look() {
    isLooking = true;
    const turn = latest;
    try {
      const { pending } = await kb.stats();
      if (turn !== latest || pending === 0) return;
      const { done, total, ms } = backlog.note(pending);
      status("busy", `${UNDERSTANDING}: ${number(done)} of ${number(total)}${ms === null ? "" : `, ${about(ms)}`}`, `${UNDERSTANDING}…`);
    } finally {
      setTimeout(() => (isLooking = false), PAUSE);
    }
  }

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

  /**
   * Does work that puts passages into the library, or makes their vectors, and tells of its own errors; then the bar says how things stand.
   *
   * @param text what the bar says meanwhile, until it is told of progress
   */
  async function during(work, text = null) {
    underWay += 1;
    if (text) status("busy", text);
    try {
      return await work();
    } finally {
      underWay -= 1;
      void settle(); // which may wait for the model
    }
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
    const turn = ++latest;
    const { pending, library } = await kb.stats();
    if (turn !== latest) return;
    backlog.note(pending);
    hideRetry();
    if (library?.readOnly) status("ready", "Another tab has the library: here it can be read.");
    else if (pending > 0) status("partly", `Searchable by words. ${plural(pending, "passage")} still to be understood.`, "Searchable by words. Some passages are still to be understood.");
    else status("ready", "Ready. The search is all on this device.");
  }

  // What came in is to be understood, also before anybody is at work on it; and who is tells when it is done.
  changed.on(() => underWay === 0 && ["ready", "partly"].includes(byId("status").dataset.state) && say().catch(complain));

  function tell(error) {
    latest += 1;
    if (!isOfEngine(error)) return failed(`Searching by words only. ${sentenceOf(error)}`, () => understand(embedPending()).catch(complain));
    if (!isHalted) status("busy", "The search engine is being started again…");
  }

  /** Says that the engine is not started again. */
  function halted() {
    isHalted = true;
    latest += 1;
    failed("The search engine has stopped.", () => location.reload());
  }

  function failed(text, again) {
    status("failed", text);
    retry.hidden = false;
    retry.onclick = again;
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

  return { understand, embedPending, during, settle, halted, byWordsOnly, isOfModel, onProgress };
}
