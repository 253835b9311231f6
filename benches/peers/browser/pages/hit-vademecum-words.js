// The package without a model: keywords alone.

import { KnowledgeBase } from "/site/vademecum/index.js";
import { fetched, QUESTION, show } from "./lib/shown.js";

const sample = fetched("/site/library/rust-book.json");
const kb = await KnowledgeBase.memory();
await kb.add((await sample).documents);
const { hits } = await kb.search(QUESTION, { mode: "keyword", limit: 10 });
show(hits[0].text);
