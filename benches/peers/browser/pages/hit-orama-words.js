// Orama without vectors: keywords alone.

import { create, insertMultiple, search } from "@orama/orama";
import { fetched, QUESTION, show } from "./lib/shown.js";

const passages = await fetched("/passages.json");
const db = create({ schema: { text: "string" } });
await insertMultiple(db, passages.map((text) => ({ text })));
const { hits } = await search(db, { term: QUESTION, limit: 10 });
show(hits[0].document.text);
