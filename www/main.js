// Opens the knowledge base and joins the parts of the page.

import { Embedder, KnowledgeBase } from "./vademecum/index.js";
import { startAsk } from "./ask/ask.js";
import { showDamage } from "./damaged.js";
import { byId } from "./dom.js";
import { startEngine } from "./engine.js";
import { startEvaluate } from "./evaluate/evaluate.js";
import { startLibrary } from "./library/library.js";
import { finishRemovals } from "./library/removals.js";
import { startModel } from "./model/model.js";
import { observable } from "./observable.js";
import { complain, startNotice } from "./notice.js";
import { keepForOffline, startOffline } from "./offline.js";
import { isReadOnly, untilWritable } from "./read-only.js";
import { startReader } from "./reader.js";
import { Runs } from "./runs.js";
import { addSample } from "./sample.js";
import { showProgress, status } from "./status.js";
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
  pooling: "mean", // as the model's own description says, which is one file less to ask for
  threshold: 0.25,
  workers: navigator.hardwareConcurrency >= 4 ? 2 : 1,
});

startTabs();
startNotice();
startOffline().then(start).catch((error) => {
  status("failed", "Not everything could be started.");
  complain(error);
});

async function start() {
  const kb = await openLibrary();
  if (!kb) return;
  if (!(await isReadOnly(kb))) await finishRemovals(kb).catch(complain); // before anything of it is found
  globalThis.vademecum = kb; // for whoever wants to try the library in the console
  const show = startReader(kb);
  const { promise: searchable, resolve: isSearchable } = Promise.withResolvers();
  const changed = observable({});
  const understanding = startUnderstanding(kb, changed);
  /** What the parts of the page share. */
  const app = {
    kb,
    /** Resolves once words find everything that comes by itself: what is kept, and the sample. */
    searchable,
    /** Shows a document: `{ collection, docId, span?, quote?, headings?, kept? }`, as hits and citations are. */
    open: (place) => show(place).catch(complain),
    /** Says what went wrong above the page; `null` takes it back. */
    complain,
    /** Whether an error is of the model; then the page says that it searches by words only. */
    byWordsOnly: understanding.byWordsOnly,
    /** Says in the bar how things stand, after work that told of its progress there. */
    settle: understanding.settle,
    /** Does work that fills the library, with `text` in the bar meanwhile; then that says how things stand. */
    during: understanding.during,
    goTo,
    /** The language model in use: `{ kind, name, model?, where, isElsewhere, llm, close? }`, or null for none. */
    model: observable(null),
    /** The one that was in use at the last visit and is not any more: `{ kind, name, where }`, or null. */
    absent: observable(null),
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
    changed,
    onProgress: understanding.onProgress,
    addSample: (options) => addSample(kb, { onProgress: understanding.onProgress, onSearchable: () => (app.changed.value = {}), ...options }),
  };
  const ask = startAsk(app, EXAMPLES);
  startTrace(app);
  startLibrary(app);
  startEvaluate(app);
  startModel(app);
  startEngine(app, understanding);
  app.changed.on(({ removed }) => removed && ask.refresh(removed).catch(complain));

  const promise = byId("promise").textContent;
  // What the page promises must stay true.
  app.model.on((model) => {
    byId("promise").textContent = model?.isElsewhere
      ? "Search and documents are in this tab. Your question, and the passages found for it, go to the language model you named."
      : promise;
  });

  // Questions are asked as soon as words find everything, not when every vector is there.
  const onSearchable = () => {
    app.changed.value = {};
    isSearchable();
    document.body.dataset.searchable = "";
  };
  // Once nobody waits for the network any more, long before all vectors are there.
  Promise.allSettled([kb.loadEmbedder(), searchable]).then(keepForOffline).catch(complain);
  if (await isReadOnly(kb)) {
    onSearchable(); // what the other tab has saved is
    await understanding.understand();
    await untilWritable(kb);
    await finishRemovals(kb).catch(complain);
    app.changed.value = {};
  }
  const sample = app.addSample({ onSearchable }).catch((error) => {
    if (!understanding.isOfModel(error)) complain(error); // what is, is told below
    onSearchable(); // whatever else is here is
  });
  await understanding.understand(sample.then(understanding.embedPending)); // what a closed tab had left
}

/** The kept library; where this browser keeps nothing, one for this visit. Null where it is damaged: then that is told. */
async function openLibrary() {
  // A later version of this page may come with another model: then vectors are made anew.
  const options = { embedder, onProgress: showProgress, reembed: true };
  try {
    return await KnowledgeBase.open(LIBRARY, options);
  } catch (error) {
    if (error.code === "library_corrupt") return showDamage(LIBRARY), null;
    if (error.code !== "storage_unavailable") throw error;
    complain({ message: "This browser keeps nothing for this page, as in a private window: the library is gone when you leave." });
    return KnowledgeBase.memory(options);
  }
}
