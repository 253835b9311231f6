// The package as the demo uses it: the first hit by words comes while the model is still on its way.

import { Embedder, KnowledgeBase } from "/site/vademecum/index.js";
import { fetched, QUESTION, show } from "./lib/shown.js";

const MODEL = "/site/models/all-minilm-l6-v2/";

const sample = fetched("/site/library/rust-book.json");
const embedder = Embedder.onnx({ model: `${MODEL}model.onnx`, tokenizer: `${MODEL}tokenizer.json` });
const kb = await KnowledgeBase.memory({ embedder });

let isAsked = false;
async function onProgress({ phase }) {
  if (phase !== "embed" || isAsked) return;
  isAsked = true;
  const { hits } = await kb.search(QUESTION, { mode: "keyword", limit: 10 });
  show(hits[0].text);
}
await kb.add((await sample).documents, { onProgress });
