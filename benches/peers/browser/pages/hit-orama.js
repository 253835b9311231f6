// Orama with transformers.js: every passage gets its vector, then goes into an index for words and vectors, then is searched.

import { create, insertMultiple, search } from "@orama/orama";
import { encoder } from "./lib/encoder.js";
import { fetched, QUESTION, show } from "./lib/shown.js";

const [passages, extract] = await Promise.all([fetched("/passages.json"), encoder()]);
const documents = [];
for (const text of passages) documents.push({ text, embedding: (await extract([text]))[0] });
const db = create({ schema: { text: "string", embedding: "vector[384]" } });
await insertMultiple(db, documents);
const value = (await extract([QUESTION]))[0];
const { hits } = await search(db, { mode: "hybrid", term: QUESTION, vector: { value, property: "embedding" }, limit: 10 });
show(hits[0].document.text);
