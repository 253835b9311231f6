// What a page fetches for its first hit and for later questions: a library in parts against Pagefind, over the same passages, each from an
// empty cache in a context of its own; and how well either ranks. Prints one JSON object.
//   node parts.mjs '{"module": "…/site/vademecum", "data": "…/wiki-multihop", "program": "…/vademecum", "models": "…/site/models", "work": "…/bench/parts"}'
// `program` is the command-line program, which builds the library once: its passages are embedded, which takes minutes.

import { spawnSync } from "node:child_process";
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
/** Questions each of which is the first of a page, and later ones on one page. */
const [FIRST, LATER] = [9, 40];

const options = JSON.parse(process.argv[2]);
const { texts, questions } = labelled(options.data, options.questions);
const app = path.join(options.work, "app");
const peer = path.join(options.work, "pagefind");
const library = options.parts ?? path.join(options.work, "library");
await writeApp(path.resolve(options.module), app);
if (!fs.existsSync(path.join(library, "manifest.json"))) buildLibrary();
if (!fs.existsSync(path.join(peer, "pagefind.js"))) await writePagefind(texts, peer);
const host = await startHost({ "/app/": app, "/pagefind/": peer, "/library/": library, "/whole/": library, "/models/": options.models });
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

/** Builds the library from the passages, a document each. */
function buildLibrary() {
  const passages = path.join(options.work, "passages");
  fs.mkdirSync(passages, { recursive: true });
  const lines = fs.readFileSync(path.join(options.data, "corpus.jsonl"), "utf8").trim().split("\n").map((line, at) => JSON.stringify({ id: JSON.parse(line)._id, text: texts[at] }));
  fs.writeFileSync(path.join(passages, "passages.jsonl"), `${lines.join("\n")}\n`);
  const model = path.join(options.models, "all-minilm-l6-v2");
  const built = spawnSync(options.program, ["build", passages, "--out", path.join(options.work, "passages.library"), "--parts", library, "--model", model], { encoding: "utf8", maxBuffer: 1 << 26 });
  if (built.status !== 0) throw new Error(`The library could not be built: ${built.stderr?.slice(-500) ?? built.error}`);
}

/**
 * Asks some queries on a new page each, and then all on one. `start` opens a page and returns `{ ask, close }`. Returns what was fetched for a
 * first and for a later query, and how well all are ranked.
 */
async function measured(start, queries) {
  const firsts = [];
  const step = Math.floor(queries.length / FIRST);
  for (let n = 0; n < FIRST; n++) {
    const tab = await start();
    await tab.ask(queries[n * step], SHOWN);
    firsts.push(fetched());
    await tab.close();
  }
  const tab = await start();
  await tab.ask(queries[0], SHOWN);
  fetched();
  const later = [];
  for (const query of queries.slice(1, 1 + LATER)) {
    await tab.ask(query, SHOWN);
    later.push(total(fetched()));
  }
  const rankings = [];
  for (const query of queries) rankings.push(await tab.ask(query, 10));
  await tab.close();
  const scores = rankings.map((ids, at) => ndcg(ids, questions[at].relevant));
  const of = (what, all) => median(all.map((one) => one[what]));
  const totals = firsts.map(total);
  const parts = Object.fromEntries(Object.keys(firsts[0]).map((start) => [start, median(firsts.map((one) => one[start]?.bytes ?? 0))]));
  return {
    first: { bytes: of("bytes", totals), requests: of("requests", totals), parts },
    later: { bytes: of("bytes", later), p90: quantile(later.map(({ bytes }) => bytes), 0.9), requests: of("requests", later) },
    ndcg: scores.reduce((sum, score) => sum + score, 0) / scores.length,
    answered: rankings.filter((ids) => ids.length > 0).length,
  };
}

function fetched() {
  return Object.fromEntries(Object.entries(host.count()).map(([start, value]) => [start.slice(1, -1), value]));
}

function total(fetched) {
  const all = Object.values(fetched);
  return { bytes: all.reduce((sum, { bytes }) => sum + bytes, 0), requests: all.reduce((sum, { requests }) => sum + requests, 0) };
}

function ofPagefind(queries) {
  return measured(async () => {
    const { ask, close } = await open("/app/pagefind.html");
    const search = async ([query, limit]) => {
      const address = "/pagefind/pagefind.js";
      globalThis.pagefind ??= await import(address);
      const { results } = await globalThis.pagefind.search(query);
      const shown = await Promise.all(results.slice(0, limit).map((one) => one.data()));
      return shown.map(({ raw_url, url }) => Number((raw_url ?? url).replace(/\D/g, "")));
    };
    return { ask: (query, limit) => ask(search, [query, limit]), close };
  }, queries);
}

function ofParts(queries, { folder, hybrid = false }) {
  const numbers = new Map(fs.readFileSync(path.join(options.data, "corpus.jsonl"), "utf8").trim().split("\n").map((line, at) => [JSON.parse(line)._id, at]));
  return measured(async () => {
    const { ask, close } = await open(hybrid ? "/app/page.html" : "/app/words.html");
    await ask(
      async ([folder, hybrid]) => {
        const { attach, Embedder } = globalThis.vademecum;
        const embedder = hybrid ? Embedder.onnx({ model: "/models/all-minilm-l6-v2/model.onnx", tokenizer: "/models/all-minilm-l6-v2/tokenizer.json" }) : undefined;
        globalThis.library = await attach(`/${folder}/manifest.json`, { embedder });
        await globalThis.library.loadEmbedder();
      },
      [folder, hybrid],
    );
    const search = async ([query, limit, mode]) => {
      const { hits, missing } = await globalThis.library.search(query, { limit, mode });
      // A query of stop words alone is not searched for.
      if (missing?.some(({ code }) => code !== "empty_question")) throw new Error(JSON.stringify(missing));
      return hits.map(({ docId }) => docId.split("#").at(-1));
    };
    const numbered = async (query, limit) => (await ask(search, [query, limit, hybrid ? "hybrid" : "keyword"])).map((id) => numbers.get(id));
    return { ask: numbered, close };
  }, queries);
}
