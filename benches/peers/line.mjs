// A library in parts on a static host behind a slow line: how long a page waits for the hits of a first question, from its address to the texts of
// ten hits, and for those of later ones, and how much is sent. In headless Chromium. Prints one JSON object.
//   node line.mjs '{"module": "…/site/vademecum", "library": "…/bench/parts/100,000", "work": "…/bench/line"}'

import os from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";
import { LAUNCH, openPage, questionsOf } from "./kept/tab.mjs";
import { quantile } from "./measure.mjs";
import { writeApp } from "./parts/app.mjs";
import { startHost } from "./parts/host.mjs";

/** A home's line, and that of a phone with poor reception. */
const LINES = [{ bits: 10e6, roundTrip: 40 }, { bits: 1.6e6, roundTrip: 150 }];
/** Numbers of questions that are asked first of a page, each on a page of its own, and later on the last of them. */
const [FIRST, LATER] = [5, 20];

const options = JSON.parse(process.argv[2]);
const load = os.loadavg()[0];
const { name, questions } = questionsOf(options.library);
const [count, more] = options.quick ? [1, 1] : [FIRST, LATER];
// Spread over the set, neighbours in which ask about the same things.
const asked = spread(questions, count + more);
const app = path.join(options.work, "app");
await writeApp(path.resolve(options.module), app);
const host = await startHost({ "/app/": app, "/library/": options.library });
const browser = await chromium.launch(LAUNCH);
const passages = await warm();

const lines = [];
for (const line of LINES) {
  host.slow(line);
  const modes = {};
  for (const mode of ["keyword", "hybrid"]) modes[mode] = await measured(mode);
  lines.push({ ...line, modes });
}
await browser.close();
host.close();
console.log(JSON.stringify({ name, load, passages, first: Math.min(count, asked.length), later: Math.max(0, asked.length - count), lines }));
process.exit(0);

/** Has the host compress what it sends compressed, which takes seconds. Returns the library's number of passages. */
async function warm() {
  const tab = await opened();
  await tab.ask("hybrid", asked[0]);
  const passages = await tab.passages();
  await tab.close();
  return passages;
}

async function measured(mode) {
  const firsts = [];
  let tab;
  for (const question of asked.slice(0, count)) {
    await tab?.close();
    const began = performance.now();
    tab = await opened();
    const attached = performance.now() - began;
    await tab.ask(mode, question);
    firsts.push({ ms: performance.now() - began, attached, ...sent() });
  }
  const later = [];
  for (const question of asked.slice(count)) {
    const began = performance.now();
    await tab.ask(mode, question);
    later.push({ ms: performance.now() - began, ...sent() });
  }
  await tab.close();
  return { first: summary(firsts), later: summary(later) };
}

function summary(all) {
  const of = (what, share) => quantile(all.map((one) => one[what] ?? 0), share);
  return { ms: of("ms", 0.5), p90: of("ms", 0.9), attached: of("attached", 0.5), bytes: of("bytes", 0.5), requests: of("requests", 0.5) };
}

/** Returns the bytes and requests since the last call. */
function sent() {
  const all = Object.values(host.count());
  return { bytes: sum(all.map(({ bytes }) => bytes)), requests: sum(all.map(({ requests }) => requests)) };
}

/** Opens the page with empty caches, and attaches the library as soon as its script runs. */
async function opened() {
  host.count();
  const context = await browser.newContext();
  const run = await openPage(context, host);
  await run(async () => {
    globalThis.library = await globalThis.vademecum.attach("/library/manifest.json");
  });
  return {
    ask: (mode, question) => run(search, { mode, question }),
    passages: () => run(async () => (await globalThis.library.stats()).chunks),
    close: () => context.close(),
  };
}

/** On the page: asks a question, whose vector is given, so that no model is fetched. */
async function search({ mode, question: { text, vector } }) {
  const own = mode === "keyword" ? {} : { vector };
  const { hits, missing } = await globalThis.library.search(text, { mode, limit: 10, ...own });
  if (missing?.length > 0) throw new Error(JSON.stringify(missing));
  return hits.length;
}

function spread(all, count) {
  const step = Math.max(1, all.length / count);
  return Array.from({ length: Math.min(count, all.length) }, (_, at) => all[Math.floor(at * step)]);
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
