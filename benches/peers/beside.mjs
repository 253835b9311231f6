// A vector question of a library that is kept in the browser, beside engines that hold the same vectors: hnswlib-wasm in the memory of the same tab, and a
// Chroma server on the same machine, which the tab asks by HTTP. Also what our package adds to a question to that server. Prints one JSON object.
//   node beside.mjs '{"module": "…/site/vademecum", "library": "…/bench/parts/100,000", "work": "…/bench/beside", "rounds": 5, "chroma": {…}}'
// Beside the library's manifest lie its vectors and questions, as `evaluate --parts` writes them.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { addTexts, fill, startChroma } from "./kept/chroma.mjs";
import * as hnswlib from "./kept/hnswlib.mjs";
import { measureOverhead } from "./kept/overhead.mjs";
import { keep, MEMORY, open, questionsOf, recall, startTabs } from "./kept/tab.mjs";
import { median, quantile } from "./measure.mjs";
import { DIMENSIONS } from "./synthetic.mjs";

/** The most vectors that the others are given: a graph over a million takes hours in a tab. */
const MOST = 200_000;

const options = JSON.parse(process.argv[2]);
const load = os.loadavg()[0];
const { name, questions } = questionsOf(options.library, options.questions);
const vectors = path.join(options.library, "vectors.f32");
const count = fs.statSync(vectors).size / (DIMENSIONS * 4);
const modules = path.join(path.dirname(fileURLToPath(import.meta.url)), "node_modules");
const tabs = await startTabs(options, { "/hnswlib/": path.join(modules, "hnswlib-wasm/lib"), "/site/vademecum/": path.resolve(options.module) });
await tabs.inBrowser(keep);
const engines = {};
const asked = questions.map(({ text, vector, nearest, rows }) => ({ text, vector, nearest, rows }));

const chroma = count > MOST ? { missing: notBuilt() } : await startChroma(options.chroma, options.work);
if (chroma.missing) engines.chroma = { missing: chroma.missing };
else engines.chroma = { build: await fill(chroma, vectors) };
await tabs.inBrowser(async ({ ask, memory }) => {
  const empty = memory();
  await ask(open, MEMORY);
  await ask(prepare, { questions: asked, chroma: chroma.query ?? null });
  // So that its memory is that of a session.
  await ask(round, { engines: ["vademecum"] });
  const opened = memory();
  engines.vademecum = { memory: opened - empty };
  const built = await ask(hnswlib.build, { count, dimensions: DIMENSIONS, isTrial: count > MOST });
  if (built.failed ?? built.isTrial) engines["hnswlib-wasm"] = { missing: built.failed ?? notBuilt(), reserved: built.reserved };
  else engines["hnswlib-wasm"] = { build: built.seconds, memory: memory() - opened, ...(await ask(hnswlib.settle, 0.95)) };
  const there = Object.keys(engines).filter((name) => !engines[name].missing);
  const rounds = [];
  for (let n = 0; n <= options.rounds; n++) rounds.push(await ask(round, { engines: there, turn: n }));
  for (const name of there) {
    // The first round warms up.
    const ms = rounds.slice(1).flatMap((one) => one[name].ms);
    const nearest = asked.map((one) => (name === "vademecum" ? one.nearest : one.rows));
    Object.assign(engines[name], { p50: median(ms), p95: quantile(ms, 0.95), recall: recall(rounds[0][name].found, nearest) });
  }
});
if (!chroma.missing) {
  engines.chroma.memory = chroma.memory();
  await addTexts(chroma, count, asked.map(({ text }) => text));
  engines.chroma.overhead = await tabs.inBrowser(({ ask }) => measureOverhead(ask, chroma, asked, options.rounds));
  await chroma.close();
}
tabs.close();
console.log(JSON.stringify({ name, load, passages: count, questions: questions.length, rounds: options.rounds, engines }));
process.exit(0);

function notBuilt() {
  return "its graph would take hours to build, and was not";
}

/** On the page: makes a function of each engine, from a question to the ids of its hits. */
function prepare({ questions, chroma }) {
  globalThis.questions = questions;
  globalThis.engines = {
    async vademecum({ text, vector }) {
      const { hits, missing } = await globalThis.library.search(text, { mode: "vector", limit: 10, threshold: -1, vector });
      if (missing?.length > 0) throw new Error(JSON.stringify(missing));
      return hits.map(({ id }) => id);
    },
    async chroma({ vector }) {
      const body = JSON.stringify({ query_embeddings: [vector], n_results: 10, include: ["distances"] });
      const response = await fetch(chroma, { method: "POST", headers: { "content-type": "application/json" }, body });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()).ids[0].map(Number);
    },
  };
}

/** On the page: asks every engine every question; who goes first changes. Returns the milliseconds, and the ids of the hits. */
async function round({ engines, turn = 0 }) {
  const all = Object.fromEntries(engines.map((name) => [name, { ms: [], found: [] }]));
  for (const [at, question] of globalThis.questions.entries()) {
    for (let n = 0; n < engines.length; n++) {
      const name = engines[(n + at + turn) % engines.length];
      const began = performance.now();
      const found = await globalThis.engines[name](question);
      all[name].ms.push(performance.now() - began);
      all[name].found.push(found);
    }
  }
  return all;
}
