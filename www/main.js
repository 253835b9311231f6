// Connects the parts of the page to the library.

import { startAsk } from "./ask/ask.js";
import { watchStorage } from "./cleared.js";
import { showDamage } from "./damaged-library.js";
import { h } from "./dom.js";
import { startEngine } from "./engine.js";
import { reload } from "./kept-question.js";
import { startLanguageChoice } from "./language-choice.js";
import { finishRemovals } from "./library/removals.js";
import { startModel } from "./model/model.js";
import { observable } from "./observable.js";
import { complain, complainOfCrash, startNotice } from "./notice.js";
import { keepForOffline, startOffline } from "./offline.js";
import { inMemory, LIBRARY, opened } from "./open.js";
import { untilWritable } from "./read-only.js";
import { startReader } from "./reader/reader.js";
import { startResumed } from "./resumed.js";
import { Runs } from "./runs.js";
import { addSample } from "./sample.js";
import { status } from "./status.js";
import { goTo, startTabs } from "./tabs.js";
import { startVeto } from "./trace/veto.js";
import { startEmbeddingStatus } from "./embedding-status.js";
import { t } from "./words.js";

/** Milliseconds that the other parts of the page wait for the passages of a question that was asked before it had started. */
const PATIENCE = 500;

startTabs();
const languageChoice = startLanguageChoice();
startNotice();
/** @type {Promise<void> | null} */
let registering = null;
/** Begins to work offline, which competes with the engine for the processor until it has started. */
const offline = () => (registering ??= startOffline());
start()
  .catch((error) => {
    status("failed", t("Some parts of the page could not be started."));
    complain(error);
  })
  .finally(offline);

async function start() {
  const opening = openLibrary();
  const [model, absent] = [observable(null), observable(null)];
  startModel({ model, absent, goTo }); // before a question is asked
  const kb = await opening;
  if (!kb) return;
  languageChoice.opened(kb);
  const { collections, library } = await kb.stats();
  const isTaken = library?.readOnly ?? false; // by another tab
  if (!isTaken) await finishRemovals(kb).catch(complain); // before searches can find the removed documents
  globalThis.vademecum = kb; // for use in the console
  const { promise: searchable, resolve: isSearchable } = Promise.withResolvers();
  const { promise: whole, resolve: isWhole } = Promise.withResolvers();
  const changed = observable({});
  let isRead = false; // whether everything that loads automatically is
  void searchable.then(() => (isRead = true));
  const understanding = startEmbeddingStatus(kb, changed, () => isRead && isWhole());
  const add = (collections) =>
    addSample(kb, { onProgress: understanding.onProgress, onSearchable: isSearchable, collections }).catch((error) => {
      if (!understanding.isOfModel(error)) complain(error); // errors of the model are reported below
      isSearchable(); // everything else is searchable
    });
  const added = isTaken ? null : add(collections); // by the engine, while the parts of the page start
  if (isTaken) isSearchable(); // what the other tab has saved
  const show = startReader(kb); // before the Ask tab, which follows the browser's history, too
  /** What the parts of the page share. */
  const app = {
    kb,
    /** Resolves once keyword search covers everything that loads automatically: the stored library and the sample. */
    searchable,
    /** Resolves once all of that has vectors, and the model of questions is loaded. */
    whole,
    /** Opens a document: `{ collection, docId, span?, quote?, headings?, kept? }`, as in hits and citations. */
    open: (place) => show(place).catch(complain),
    /** Shows an error at the top of the page; `null` removes it. */
    complain,
    complainOfCrash,
    /** Returns whether an error is caused by the model; if so, the page reports that it searches by words only. */
    byWordsOnly: understanding.byWordsOnly,
    /** Updates the status bar after work that showed its progress there. */
    settle: understanding.settle,
    /** Runs work that fills the library, with `text` in the status bar, and then updates the bar. */
    during: understanding.during,
    goTo,
    /** The language model in use: `{ kind, name, model?, where, isElsewhere, llm, close? }`, or null. */
    model,
    /** The model of the last visit, if it is not in use any more: `{ kind, name, where }`, or null. */
    absent,
    /** Runs of the agent. */
    runs: new Runs(),
    /** The run in the Trace tab. */
    chosenRun: observable(null),
    /** Asks before anything is sent, if enabled: see trace/veto.js. */
    veto: startVeto(kb),
    /** The latest hits. */
    hits: observable([]),
    /** The filter selected in the Library tab, as `search` takes it, or null. */
    filters: observable(null),
    /** The latest change of the library: `{ added: ids }` or `{ removed: ids }`, with `forgotten` if stored conversations were deleted as well. */
    changed,
    onProgress: understanding.onProgress,
    addSample: (options) => addSample(kb, { onProgress: understanding.onProgress, onSearchable: () => (app.changed.value = {}), ...options }),
  };
  await yielded(); // the sample is on its way to the engine
  const ask = startAsk(app);
  app.leaveQuestion = () => ask.anew(true);
  await Promise.race([ask.begun, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  const parts = [
    () => startEngine(app, understanding),
    () => startResumed(kb, understanding),
    () => watchStorage(kb, LIBRARY, changed).catch(complain),
  ];
  const tabs = startOtherTabs(app);
  void offline();
  for (const startPart of parts) {
    startPart();
    await yielded();
  }
  app.changed.on(({ removed }) => removed && ask.refresh(removed).catch(complain));
  // Questions are answered as soon as keyword search covers everything, before all vectors exist.
  void searchable.then(async () => {
    app.changed.value = {};
    await tabs;
    document.body.dataset.searchable = "";
  });
  // After the network is idle, long before all vectors exist. Keyword search does not share the connection with the model.
  searchable.then(() => kb.loadEmbedder()).catch(() => {}).then(offline).then(keepForOffline).catch(complain); // a missing model is reported below
  if (isTaken) {
    await understanding.understand();
    await untilWritable(kb);
    await finishRemovals(kb).catch(complain);
    app.changed.value = {};
  }
  const sample = added ?? add((await kb.stats()).collections);
  await searchable;
  await understanding.understand(sample.then(understanding.embedPending)); // vectors that a closed tab left pending
}

/** Lets the browser handle what has come in the meantime. */
const yielded = () => new Promise((resolve) => setTimeout(resolve));

/** Loads the scripts of the Library, Trace and Evaluate tabs, and starts these. If they cannot be loaded, the tabs say so, and questions are answered without them. */
async function startOtherTabs(app) {
  const panels = [...document.querySelectorAll('[role="tabpanel"]:not(#ask, #model)')];
  for (const panel of panels) panel.inert = true; // nothing can be pressed that does nothing yet
  try {
    const { TABS } = await import("./rest.js");
    for (const startTab of TABS) {
      startTab(app);
      await yielded();
    }
  } catch (error) {
    complain({ message: `${t("A part of this page could not be loaded. Check your connection, then load the page again. Nothing in your library was changed.")} (${error.message})` });
    panels.forEach(markMissing);
  }
  for (const panel of panels) panel.inert = false;
}

/** Shows in a panel that it does not work, and how to load it again. */
function markMissing(panel) {
  for (const part of panel.children) part.inert = true;
  panel.prepend(h("p.missing", {}, t("This part of the page could not be loaded."), " ", h("button.quiet", { type: "button", onclick: reload }, t("Load the page again"))));
}

/** Returns the stored library, or one in memory if this browser stores nothing. Returns null if it is damaged, which is reported. */
async function openLibrary() {
  try {
    return await opened();
  } catch (error) {
    if (error.code === "library_corrupt") return showDamage(LIBRARY), null;
    if (error.code !== "storage_unavailable") throw error;
    complain({ message: t("This browser stores nothing for this page, as in a private window: the library is lost when you leave.") });
    return inMemory();
  }
}
