// Opens the knowledge base and joins the parts of the page.

import { Embedder, KnowledgeBase } from "./vademecum/index.js";
import { startAsk } from "./ask/ask.js";
import { byId } from "./dom.js";
import { startEvaluate } from "./evaluate/evaluate.js";
import { startLibrary } from "./library/library.js";
import { startModel } from "./model/model.js";
import { observable } from "./observable.js";
import { keepForOffline, startOffline } from "./offline.js";
import { startReader } from "./reader.js";
import { Runs } from "./runs.js";
import { addSample } from "./sample.js";
import { goTo, startTabs } from "./tabs.js";
import { startTrace } from "./trace/trace.js";
import { startVeto } from "./trace/veto.js";
import { startUnderstanding } from "./understanding.js";

const LIBRARY = "demo";
const MODELS = "models/all-minilm-l6-v2";
const EXAMPLES = [
  "Why can't I use a value after it was moved?",
  "When should I panic instead of returning an error?",
  "How do I update a value in a hash map?",
];

const embedder = Embedder.onnx({
  model: `${MODELS}/model.onnx`,
  tokenizer: `${MODELS}/tokenizer.json`,
  threshold: 0.25,
  workers: navigator.hardwareConcurrency >= 4 ? 2 : 1,
});

startTabs();
startOffline().then(start).catch((error) => {
  status("failed", "Not everything could be started.");
  complain(error);
});

async function start() {
  const kb = await openLibrary();
  globalThis.vademecum = kb; // for whoever wants to try the library in the console
  const show = startReader(kb);
  const understanding = startUnderstanding(kb, { status, onProgress: showProgress, onDone: () => (app.changed.value = {}) });
  /** What the parts of the page share. */
  const app = {
    kb,
    /** Shows a document: `{ collection, docId, span?, quote?, headings?, kept? }`, as hits and citations are. */
    open: (place) => show(place).catch(complain),
    /** Says what went wrong above the page; `null` takes it back. */
    complain,
    status,
    /** Whether an error is of the model; then the page says that it searches by words only. */
    byWordsOnly: understanding.byWordsOnly,
    goTo,
    /** The language model in use: `{ kind, name, model?, where, isElsewhere, llm, close? }`, or null for none. */
    model: observable(null),
    /** Runs of the agent, for whoever shows them. */
    runs: new Runs(),
    /** The run that the trace tab shows. */
    chosenRun: observable(null),
    /** Asks before anything is sent, where that is wanted: see trace/veto.js. */
    veto: startVeto(kb),
    /** The passages found last, for whoever shows where they are. */
    hits: observable([]),
    /** The filter that is chosen in the library, as `search` takes it, or null. */
    filters: observable(null),
    /** What became of the library: `{ added: ids }` or `{ removed: ids }`, with `forgotten` where kept conversations are gone, too. */
    changed: observable({}),
    onProgress: showProgress,
    addSample: (options) => addSample(kb, { onProgress: showProgress, onSearchable: () => (app.changed.value = {}), ...options }),
  };
  const ask = startAsk(app, EXAMPLES);
  startTrace(app);
  startLibrary(app);
  startEvaluate(app);
  startModel(app);
  app.changed.on(({ removed }) => removed && ask.refresh());

  const promise = byId("promise").textContent;
  // What the page promises must stay true.
  app.model.on((model) => {
    byId("promise").textContent = model?.isElsewhere
      ? "Search and documents are in this tab. Your question, and the passages found for it, go to the language model you named."
      : promise;
  });

  // A question in the address is asked as soon as words find everything, not when every vector is there.
  const { promise: searchable, resolve: isSearchable } = Promise.withResolvers();
  const onSearchable = () => {
    app.changed.value = {};
    isSearchable();
    if (document.body.dataset.searchable !== undefined) return;
    document.body.dataset.searchable = "";
    if (new URLSearchParams(location.search).has("q")) ask.followAddress();
  };
  const sample = app.addSample({ onSearchable });
  const tried = sample.catch((error) => {
    if (!understanding.isOfModel(error)) complain(error); // what is, is told below
    onSearchable(); // whatever else is here is
  });
  // Once nobody waits for the network any more, long before all vectors are there.
  Promise.allSettled([kb.loadEmbedder(), searchable]).then(keepForOffline).catch(complain);
  await understanding.understand(tried.then(() => kb.embedPending({ onProgress: showProgress }))); // what a closed tab had left
}

/** The kept library; where this browser keeps nothing, one for this visit. */
async function openLibrary() {
  const options = { embedder, onProgress: showProgress };
  try {
    return await KnowledgeBase.open(LIBRARY, options);
  } catch (error) {
    if (error.code !== "storage_unavailable") throw error;
    complain({ message: "This browser keeps nothing for this page, as in a private window: the library is gone when you leave." });
    return KnowledgeBase.memory(options);
  }
}

function showProgress({ phase, loaded, total }) {
  const megabytes = (bytes) => (bytes / 1e6).toFixed(0);
  const texts = {
    model: () => loaded === total ? "Starting the search model…" : `Fetching the search model: ${megabytes(loaded)}${total ? ` of ${megabytes(total)}` : ""} MB`,
    read: () => `Reading ${loaded} of ${total} documents`,
    embed: () => `Searchable by words. Understanding passages: ${loaded} of ${total}`,
  };
  status("busy", texts[phase]());
}

function status(state, text) {
  byId("status").dataset.state = state;
  byId("status-text").textContent = text;
}

function complain(error) {
  const notice = byId("notice");
  notice.hidden = error === null;
  notice.textContent = error === null ? "" : error.message;
}
