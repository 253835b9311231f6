// Opens the knowledge base and joins the parts of the page.

import { Embedder, KnowledgeBase } from "./vademecum/index.js";
import { byId } from "./dom.js";
import { complain, startAsk } from "./ask.js";
import { startLibrary } from "./library.js";
import { startReader } from "./reader.js";
import { startSettings } from "./settings.js";

const MODELS = "models/all-minilm-l6-v2";
const PROMISE = byId("promise").textContent;
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

start().catch((error) => {
  status("failed", "Not everything could be started.");
  complain(error);
});

async function start() {
  const kb = await KnowledgeBase.memory({ embedder, onProgress: showProgress });
  globalThis.vademecum = kb; // for whoever wants to try the library in the console
  const open = openSafely(startReader(kb));
  const ask = startAsk(kb, { open, examples: EXAMPLES });
  const library = startLibrary(kb, { open, onProgress: showProgress, onRemove: ask.refresh, complain });
  startSettings((model) => {
    ask.useModel(model);
    // What the page promises must stay true.
    byId("promise").textContent = model
      ? "Search and documents are in this tab. Your question, and the passages found for it, go to the language model you named."
      : PROMISE;
  });

  // A question in the address is asked as soon as words find everything, not when every vector is there.
  const asked = () => new URLSearchParams(location.search).has("q") && ask.followAddress();
  const sample = library.addSample("library/rust-book.json", asked);
  sample.catch((error) => !error.code && complain(error)); // a coded one is the model's, and is told below
  await understand(kb, sample);
}

/** Loads the model and waits for the vectors; offers to try again where that fails. */
async function understand(kb, work) {
  byId("retry").hidden = true;
  try {
    await kb.loadEmbedder();
    await work;
    status("ready", "Ready. The search is all on this device.");
  } catch (error) {
    status("failed", `Searching by words only. ${error.message}`);
    byId("retry").hidden = false;
    byId("retry").onclick = () => understand(kb, kb.embedPending({ onProgress: showProgress }));
  }
}

function openSafely(open) {
  return (place) => open(place).catch(complain);
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
