// The demo page as a visitor meets it: a first visit with empty caches, a second one with the model kept, typing while a file is
// embedded, and a large HTML file. Prints one JSON object.
//   node page.mjs '{"module": "…/site/vademecum", "rounds": 5}'

import os from "node:os";
import path from "node:path";
import { startBrowser } from "./browser/browser.mjs";
import { median, turns } from "./measure.mjs";

const PAGE = "/site/index.html";
/** Size of the HTML file in bytes. */
const HTML = 2_000_000;
/** A word of its last paragraph alone. */
const LAST_WORD = "quintessentially";
const TYPED = "How does a hash map keep what it owns?";
/** Questions to the sample, of which an answer quotes sentences. */
const ASKED = [
  "What is ownership?", "How do I update a value in a hash map?", "What does the borrow checker do?", "What is a slice?", "How do I read user input?",
  "What is the difference between String and str?", "When does a value get dropped?", "What are lifetimes?", "How do I return an error?", "What does cargo build do?",
  "How do I create a vector?", "How can I compare a guess with a number?", "What does the question mark operator do?", "What is pattern matching?", "How do I write tests?",
];
/** Milliseconds after which something was not shown at all. */
const PATIENCE = 60_000;
/** Milliseconds between two keys of a fast typist. */
const BETWEEN_KEYS = 60;

const options = JSON.parse(process.argv[2]);
const load = os.loadavg()[0];
const browser = await startBrowser(path.dirname(path.resolve(options.module)));
const [rounds] = await turns([visits], { rounds: options.rounds });
await browser.close();
const names = Object.keys(rounds[0]);
console.log(JSON.stringify({ load, rounds: options.rounds, bytes: HTML, betweenKeys: BETWEEN_KEYS, ...Object.fromEntries(names.map((name) => [name, median(rounds.map((round) => round[name]))])) }));
process.exit(0);

/** Clicks the first example when its button exists, and records times. Runs before the page's own scripts. */
function watch() {
  const seen = (globalThis.seen = { drawn: null, firstHit: null, waits: [] });
  const observe = (type, each, more) => new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true, ...more });
  observe("paint", ({ name, startTime }) => name === "first-contentful-paint" && (seen.drawn = startTime));
  observe("event", ({ name, startTime, processingStart }) => name === "keydown" && seen.waits.push(processingStart - startTime), { durationThreshold: 16 });
  const within = (id, selector) => {
    const element = document.querySelector(id);
    return (element?.shadowRoot ?? element)?.querySelector(selector);
  };
  globalThis.isAnswered = () => Boolean(within("#answer-text", ".cite"));
  // The frame after the one in which a hit is found has drawn it.
  const look = () => requestAnimationFrame(within("#hits", "li") ? () => (seen.firstHit = performance.now()) : look);
  document.addEventListener("DOMContentLoaded", () => {
    if (sessionStorage.length > 0) return; // the first visit alone
    sessionStorage.setItem("visited", "");
    document.querySelector("#examples button").click();
    look();
  });
}

async function visits() {
  const tab = await browser.open(PAGE, { before: watch });
  const { page } = tab;
  page.setDefaultTimeout(PATIENCE);
  await Promise.race([page.waitForFunction(() => seen.firstHit > 0), tab.failed]);
  const first = await page.evaluate(() => seen);
  await page.waitForSelector('#status[data-state="ready"]');

  // The second visit, on which nothing is downloaded: its clock starts anew.
  const { origin } = new URL(page.url());
  await page.goto(`${origin}/site/icon.svg`);
  await page.goto(origin + PAGE, { waitUntil: "commit" });
  const meaning = await page.evaluate(async () => {
    const until = async (is) => {
      while (!is()) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await until(() => globalThis.vademecum && document.body.dataset.searchable !== undefined);
    await vademecum.loadEmbedder();
    document.querySelector("#examples button").click();
    await until(() => globalThis.isAnswered() && !document.querySelector("#ask-button").hidden && document.querySelector("#answer-actions").children.length > 0);
    return performance.now();
  });

  // Each question for the first time, with the encoder warm.
  const answer = median(await page.evaluate(stepsOf, ASKED));

  const html = `<!doctype html><title>A long page</title><h1>A long page</h1>${paragraphs(HTML)}<p>It ends ${LAST_WORD} here.</p>`;
  const [started] = await Promise.all([
    page.evaluate(() => new Promise((resolve) => document.querySelector("#files").addEventListener("change", () => resolve(performance.now()), { once: true, capture: true }))),
    page.setInputFiles("#files", { name: "long.html", mimeType: "text/html", buffer: Buffer.from(html) }),
  ]);
  const searchable = await page.evaluate(async (word) => {
    for (;;) {
      const { hits } = await vademecum.search(word, { mode: "keyword", limit: 1 });
      if (hits.length > 0 && hits[0].text.includes(word)) return performance.now();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }, LAST_WORD);

  // Its vectors are being computed now.
  await page.click("#tab-ask");
  await page.evaluate(() => (seen.waits = []));
  await page.click("#question");
  await page.keyboard.type(TYPED, { delay: BETWEEN_KEYS });
  const waits = await page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    return seen.waits;
  });
  const isBusy = (await page.getAttribute("#status", "data-state")) === "busy";
  if (!isBusy) throw new Error("the file was embedded before anything was typed");
  await tab.close();
  return { drawn: first.drawn, firstHit: first.firstHit, meaning, answer, html: searchable - started, typing: Math.max(0, ...waits) };
}

/** On the page: asks for answers from ten passages each; returns the milliseconds that choosing their sentences took. */
async function stepsOf(questions) {
  const { Agent } = await import(new URL("vademecum/index.js", location.href).href);
  const agent = new Agent(vademecum);
  const all = [];
  for (const question of questions) {
    const run = agent.pipeline(question, { limit: 10 }).search().answer().run();
    for await (const event of run) if (event.type === "stop" && event.step === "answer") all.push(event.durationMs);
    await run.result;
  }
  return all;
}

/** Returns paragraphs of different made sentences, some headings among them, of about so many bytes. */
function paragraphs(size) {
  const [who, what, where] = [["The keeper", "A gardener", "The last visitor", "Her brother", "An old captain"], ["paints", "counts", "mends", "forgets", "describes", "measures", "collects"], ["the northern gate", "a row of lamps", "eleven grey stones", "the well behind the mill", "letters from the coast", "a map of the river"]];
  const parts = [];
  for (let at = 0, length = 0; length < size; at++) {
    const sentence = (by) => `${who[(at * 3 + by) % who.length]} ${what[(at + by * 2) % what.length]} ${where[(at * 5 + by) % where.length]} on day ${at * 7 + by}.`;
    const text = `${at % 12 === 0 ? `<h2>Chapter ${at / 12 + 1}</h2>` : ""}<p>${[0, 1, 2, 3, 4, 5].map(sentence).join(" ")}</p>\n`;
    parts.push(text);
    length += text.length;
  }
  return parts.join("");
}
