// Repeats searches of the native engine with the wasm build, with the same vectors, and compares the rankings:
// node check-ranking.mjs PACKAGE RECORDED

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Minimum share of equal rankings. Sums may differ in the last bit, which can change the order of ties. */
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
    if (!vector) throw new Error(`The native build did not embed this text: ${text}`);
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
console.log(`${given.name}: ${equal} of ${all} rankings are equal in the first ${given.limit} chunks; ${(took / all).toFixed(1)} ms per search`);
if (equal < SHARE * all) {
  console.error(`error: at least ${SHARE * 100} % must be equal`);
  process.exit(1);
}
process.exit(0);
