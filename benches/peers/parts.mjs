// What a page fetches for its first hit and for later questions: a library in parts against Pagefind, over the same passages, each from an
// empty cache in a context of its own; and how well either ranks. Prints one JSON object.
//   node parts.mjs '{"module": "…/site/vademecum", "data": "…/wiki-multihop", "parts": "…/library", "models": "…/site/models", "work": "…/bench/parts"}'

import fs from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { quantile, median } from "./measure.mjs";
import { labelled, ndcg, twoWords } from "./passages.mjs";
import { writeApp } from "./parts/app.mjs";
import { startHost } from "./parts/host.mjs";
import { writePagefind } from "./parts/pagefind.mjs";

/** Hits that a page shows, for which bytes are counted. */
const SHOWN = 5;

const options = JSON.parse(process.argv[2]);
const { texts, questions } = labelled(options.data, options.questions);
const app = path.join(options.work, "app");
const peer = path.join(options.work, "pagefind");
await writeApp(path.resolve(options.module), app);
if (!fs.existsSync(path.join(peer, "pagefind.js"))) await writePagefind(texts, peer);
const host = await startHost({ "/app/": app, "/pagefind/": peer, "/library/": options.parts, "/whole/": options.parts, "/models/": options.models });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"],
});

/** What is typed into a search box, and whole questions. */
const QUERIES = { words: questions.map(({ text }) => twoWords(text) || text), questions: questions.map(({ text }) => text) };

const results = {};
for (const [kind, queries] of Object.entries(QUERIES)) {
  results[kind] = {
    pagefind: await ofPagefind(queries),
    "keywords, by range": await ofParts(queries, { folder: "library" }),
    "keywords, whole parts": await ofParts(queries, { folder: "whole" }),
    "hybrid, by range": await ofParts(queries, { folder: "library", hybrid: true }),
    "hybrid, whole parts": await ofParts(queries, { folder: "whole", hybrid: true }),
  };
}
await browser.close();
host.close();
console.log(JSON.stringify({ passages: texts.length, questions: questions.length, shown: SHOWN, results }));
process.exit(0);

/** Opens a page in a new context. */
async function open(address) {
  host.count();
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(300_000);
  const failed = new Promise((_, reject) => page.on("pageerror", reject));
  failed.catch(() => {});
  await page.goto(host.origin + address);
  return { ask: (what, argument) => Promise.race([page.evaluate(what, argument), failed]), close: () => context.close() };
}

/** Asks all queries in turn; returns what was fetched for the first and for later ones, and how well they are ranked. */
async function measured(ask, queries, settle = async () => {}) {
  const rankings = [];
  const first = { ids: await ask(queries[0], SHOWN), fetched: await fetchedSince(settle) };
  const later = [];
  for (const query of queries.slice(1, 41)) {
    await ask(query, SHOWN);
    later.push(total(await fetchedSince(settle)));
  }
  for (const query of queries) rankings.push(await ask(query, 10));
  const scores = rankings.map((ids, at) => ndcg(ids, questions[at].relevant));
  const of = (what, share) => quantile(later.map((one) => one[what]), share);
  return {
    first: { ...first.fetched, all: total(first.fetched) },
    later: { bytes: median(later.map(({ bytes }) => bytes)), p90: of("bytes", 0.9), requests: median(later.map(({ requests }) => requests)) },
    found: first.ids.length,
    ndcg: scores.reduce((sum, score) => sum + score, 0) / scores.length,
    answered: rankings.filter((ids) => ids.length > 0).length,
  };
}

async function fetchedSince(settle) {
  await settle();
  const counted = host.count();
  return Object.fromEntries(Object.entries(counted).map(([start, value]) => [start.slice(1, -1), value]));
}

function total(fetched) {
  const all = Object.values(fetched);
  return { bytes: all.reduce((sum, { bytes }) => sum + bytes, 0), requests: all.reduce((sum, { requests }) => sum + requests, 0) };
}

async function ofPagefind(queries) {
  const tab = await open("/app/pagefind.html");
  const ask = (query, limit) =>
    tab.ask(
      async ([query, limit]) => {
        const address = "/pagefind/pagefind.js";
        globalThis.pagefind ??= await import(address);
        const { results } = await globalThis.pagefind.search(query);
        const shown = await Promise.all(results.slice(0, limit).map((one) => one.data()));
        return shown.map(({ raw_url, url }) => Number((raw_url ?? url).replace(/\D/g, "")));
      },
      [query, limit],
    );
  const result = await measured(ask, queries);
  await tab.close();
  return result;
}

async function ofParts(queries, { folder, hybrid = false }) {
  const tab = await open(hybrid ? "/app/page.html" : "/app/words.html");
  await tab.ask(
    async ([folder, hybrid]) => {
      const { attach, Embedder } = globalThis.vademecum;
      const embedder = hybrid ? Embedder.onnx({ model: "/models/all-minilm-l6-v2/model.onnx", tokenizer: "/models/all-minilm-l6-v2/tokenizer.json" }) : undefined;
      globalThis.library = await attach(`/${folder}/manifest.json`, { embedder });
      await globalThis.library.loadEmbedder();
    },
    [folder, hybrid],
  );
  const ask = (query, limit) =>
    tab.ask(
      async ([query, limit, mode]) => {
        const { hits, missing } = await globalThis.library.search(query, { limit, mode });
        if (missing?.some(({ code }) => code !== "empty_question")) throw new Error(JSON.stringify(missing));
        return hits.map(({ docId }) => docId);
      },
      [query, limit, hybrid ? "hybrid" : "keyword"],
    );
  const numbers = new Map(fs.readFileSync(path.join(options.data, "corpus.jsonl"), "utf8").trim().split("\n").map((line, at) => [JSON.parse(line)._id, at]));
  const result = await measured(async (query, limit) => (await ask(query, limit)).map((id) => numbers.get(id.split("#").at(-1))), queries);
  await tab.close();
  return result;
}
