// The status of embedding: waits for the model and the vectors, and offers a retry after a failure.

import { EmbeddingProgress } from "./embedding-progress.js";
import { byId } from "./dom.js";
import { reload } from "./kept-question.js";
import { complain } from "./notice.js";
import { isReadOnly } from "./read-only.js";
import { sentenceOf } from "./sentences.js";
import { showProgress, status } from "./status.js";
import { about, plural } from "./format.js";
import { t } from "./words.js";

/** A browser without SIMD runs no model: `unsupported`. */
const isOfModel = ({ code = "" }) => /^(model|tokenizer|embedder)_|^unsupported$/.test(code) && code !== "embedder_mismatch";
/** The engine crashed: it is restarted, or `halted` is called. */
const isOfEngine = ({ code = "" }) => ["worker_failed", "library_lost"].includes(code);
const isOfStorage = ({ code = "" }) => /^(storage_|read_only)/.test(code);

/** Milliseconds between two queries of the pending count. */
const PAUSE = 250;
const LEARNING = t("Learning meanings");
const MEANWHILE = t("You can ask already.");
/** The status of an engine that is not restarted. */
export const STOPPED = t("The search engine has stopped.");

/**
 * @param changed the observable of main.js for changes of the library: set when passages have vectors
 * @param onReady called whenever the model is loaded and no passage lacks a vector
 */
export function startEmbeddingStatus(kb, changed, onReady) {
  const retry = byId("retry");
  const backlog = new EmbeddingProgress();
  let underWay = 0;
  let latest = 0; // increases with every status change
  let isLooking = false;
  let isHalted = false;
  let isLoaded = false; // whether the model is

  /** Computes missing vectors: those that a closed tab left, or that failed before. */
  const embedPending = async () => ((await isReadOnly(kb)) ? 0 : kb.embedPending({ onProgress }));

  /** Shows progress in the bar; for vectors, of all pending ones. */
  function onProgress(progress) {
    if (progress.phase !== "embed") return showProgress(progress);
    if (!isLooking) look().catch(() => {}); // errors are reported by the task itself
  }

  async function look() {
    isLooking = true;
    const turn = latest;
    try {
      const { pending } = await kb.stats();
      if (turn !== latest || pending === 0) return;
      const { done, total, ms } = backlog.note(pending);
      const left = ms === null ? "" : `, ${about(ms)}`;
      status("busy", `${LEARNING}, ${Math.floor((100 * done) / total)} %${left}. ${MEANWHILE}`, `${LEARNING}. ${MEANWHILE}`);
    } finally {
      setTimeout(() => (isLooking = false), PAUSE);
    }
  }

  /** Waits for the model, and for `work`, which computes vectors. Errors are reported, not thrown. */
  async function understand(work = Promise.resolve()) {
    underWay += 1;
    hideRetry();
    work.catch(() => {}); // a missing model is reported below
    try {
      await load();
      await work;
      await say();
    } catch (error) {
      await work.catch(() => {}); // otherwise its last progress would stay in the bar
      if (isOfStorage(error)) {
        complain(error);
        await say();
      } else tell(error);
    } finally {
      underWay -= 1;
    }
    changed.value = {};
  }

  async function load() {
    await kb.loadEmbedder();
    isLoaded = true;
  }

  /**
   * Runs work that adds passages or computes their vectors and reports its own errors; then updates the bar.
   *
   * @param text shown in the bar until progress is reported
   */
  async function during(work, text = null) {
    underWay += 1;
    if (text) status("busy", text);
    try {
      return await work();
    } finally {
      underWay -= 1;
      void settle(); // may wait for the model
    }
  }

  /** Shows the final status once all work is done; work that is still running shows its own. */
  async function settle() {
    if (underWay > 0) return;
    try {
      await load();
      await say();
    } catch (error) {
      tell(error);
    }
  }

  /** Shows the status when the model is loaded, and tells when everything is understood: by the first visit, a retry or a restarted engine. */
  async function say() {
    const turn = ++latest;
    const { pending, library } = await kb.stats();
    if (turn !== latest) return;
    backlog.note(pending);
    hideRetry();
    if (library?.readOnly) status("ready", t("Another tab is using the library: it is read-only here."));
    else if (pending > 0) status("partly", t`Searchable by words. ${plural(pending, "passage")} still to be understood.`, t("Searchable by words. Some passages are still to be understood."));
    else status("ready", t("Ready. The search is all on this device."));
    if (isLoaded && pending === 0) onReady();
  }

  // New passages must be embedded even before a task starts; a running task updates the bar at its end.
  changed.on(() => underWay === 0 && ["ready", "partly"].includes(byId("status").dataset.state) && say().catch(complain));

  function tell(error) {
    latest += 1;
    isLoaded = false;
    if (!isOfEngine(error)) return failed(t`Searching by words only. ${sentenceOf(error)}`, () => understand(embedPending()).catch(complain));
    if (!isHalted) status("busy", t("The search engine is being started again…"));
  }

  /** Shows that the engine is not restarted. */
  function halted() {
    isHalted = true;
    latest += 1;
    failed(STOPPED, reload);
  }

  function failed(text, again) {
    status("failed", text);
    Object.assign(retry, { hidden: false, textContent: t("Try again"), onclick: again });
    if (document.activeElement === byId("status")) retry.focus(); // keeps the retry action under the focus
  }

  function hideRetry() {
    if (document.activeElement === retry) byId("status").focus(); // the outcome is announced there
    retry.hidden = true;
  }

  /** Returns whether an error affects only vectors, and if so reports it with a way to retry. */
  function byWordsOnly(error) {
    if (isOfModel(error)) tell(error);
    return isOfModel(error);
  }

  return { understand, embedPending, during, settle, halted, byWordsOnly, isOfModel, onProgress };
}
