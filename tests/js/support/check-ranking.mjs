// Has the wasm build of the engine do what the native one did, with the same vectors, and compares the rankings:
// node check-ranking.mjs PACKAGE HAND-OVER

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The least share of rankings that must be equal. The last bit of a sum may differ, and with it a tie. */
const SHARE = 0.99;

const [folder, file] = process.argv.slice(2);
const given = JSON.parse(readFileSync(file, "utf8"));
const load = (name) => import(pathToFileURL(resolve(folder, name)).href);

const { Embedder, KnowledgeBase } = await load("direct.js");

const vectors = new Map(given.vectors.map(({ text, vector }) => [`document ${text}`, vector]));
given.questions.forEach(({ text, vector }) => vectors.set(`query ${text}`, vector));
const embedder = Embedder.custom((texts, { kind }) =>
  texts.map((text) => {
    const vector = vectors.get(`${kind} ${text}`);
    if (!vector) throw new Error(`the wasm build embeds another text than the native one: ${text}`);
    return vector;
  }),
);

const kb = await KnowledgeBase.memory({ embedder, chunkTokens: given.chunkTokens });
await kb.add(given.documents);
let equal = 0;
let took = 0;
for (const { text, chunks } of given.questions) {
  const { hits, tookMs } = await kb.search(text, { limit: given.limit, fusion: given.fusion });
  took += tookMs;
  const ids = hits.map((hit) => hit.id);
  if (JSON.stringify(ids) === JSON.stringify(chunks)) equal += 1;
  else console.log(`  ${text}\n    native: ${chunks.join(" ")}\n    wasm:   ${ids.join(" ")}`);
}
await kb.close();
const all = given.questions.length;
console.log(`${given.name}: ${equal} of ${all} rankings are equal in their first ${given.limit} chunks; ${(took / all).toFixed(1)} ms a search`);
if (equal < SHARE * all) {
  console.error(`error: at least ${SHARE * 100} % have to be`);
  process.exit(1);
}
process.exit(0);
