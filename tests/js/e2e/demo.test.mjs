// A first visit: the user asks, reads the source, adds a file and finds it. No request leaves the origin.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";

const QUESTION = "Why can't I use a value after it was moved?";
const MODEL = "/models/all-minilm-l6-v2/model.onnx";
let demo;
let page;
let letGo;

before(async () => {
  demo = await startDemo({ offline: true });
  page = demo.page;
  letGo = demo.proxy.hold(MODEL);
  await demo.open();
});
after(() => demo?.close());

const firstHit = () => page.textContent("#hits li:first-child");

test("keyword search finds passages before the model is loaded", async () => {
  await page.fill("#question", "dangling refer");
  await page.waitForSelector("#hits li");
  const state = await page.getAttribute("#status", "data-state");
  letGo(); // before anything fails: the tests below need the model
  assert.match(await firstHit(), /Dangling References/);
  assert.notEqual(state, "ready");
});

test("the library contains at least 300 passages and credits their source", async () => {
  const stats = await page.evaluate(() => vademecum.stats());
  assert.ok(stats.chunks >= 300, `${stats.chunks} chunks`);
  assert.match(stats.collections.find(({ name }) => name === "rust-book").description, /The Rust Programming Language.*MIT OR Apache-2.0/);
});

test("a question finds the right passage first, by vectors as well as by keywords", async () => {
  await demo.ready();
  await demo.screenshot("ready", { fullPage: true });
  const offered = await page.locator("#examples button").allTextContents();
  for (const [question, document] of [
    [offered[0], "ch04-01-what-is-ownership"],
    [offered[1], "ch08-02-strings"],
    [offered[2], "ch09-03-to-panic-or-not-to-panic"],
    ["How do I get several values of different types into one list?", "ch08-01-vectors"],
    ["What happens to memory when a variable leaves its block?", "ch04-01-what-is-ownership"],
    ["a part of an array without copying it", "ch04-03-slices"],
  ]) {
    const found = await page.evaluate((text) => vademecum.search(text, { limit: 3, explain: true }), question);
    assert.equal(found.mode, "hybrid");
    assert.equal(found.hits[0].docId, document, `${question}\n${found.hits.map((hit) => `${hit.docId}: ${hit.text}`).join("\n\n")}`);
  }
});

test("an answer without a model cites its sentences, and a citation opens the passage", async () => {
  await demo.ask(QUESTION);
  await page.waitForSelector("#answer-text .cite");
  assert.match(await page.textContent("#answer-title"), /^(Best matching|Nearest) quotes?$/);
  const answer = await page.textContent("#answer-text .body");
  await demo.screenshot("answer", { fullPage: true });
  await page.click("#answer-text .cite");
  await page.waitForSelector("#reader[open] mark.quoted");
  const quoted = (await page.textContent("#reader mark.quoted")).replace(/\s+/g, " ");
  const words = (/** @type {string} */ text) => (text.match(/\w+/g) ?? []).join(" "); // the answer has no marks of Markdown
  assert.ok(words(answer).includes(words(quoted)), `“${quoted}” is quoted in “${answer}”`);
  assert.ok(await page.locator("#reader mark.quoted").first().evaluate((mark) => {
    const { top, bottom } = mark.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  }), "the quoted words are in view");
  await demo.screenshot("reader");
  await page.keyboard.press("Escape");
  assert.equal(await page.isVisible("#reader"), false);
});

test("the address contains the question, and going back shows the previous one", async () => {
  const asked = () => new URLSearchParams(new URL(page.url()).hash.split("?")[1]).get("q");
  await demo.ask(QUESTION);
  await page.waitForSelector("#answer-text .cite");
  const first = await page.textContent("#answer-text .body");
  await demo.ask("How do I make a hash map?");
  await page.waitForSelector("#answer-text .cite");
  assert.equal(asked(), "How do I make a hash map?");
  assert.notEqual(await page.textContent("#answer-text .body"), first);
  await page.goBack();
  await page.waitForFunction((text) => document.querySelector("#question").value === text, QUESTION);
  await page.waitForFunction((text) => document.querySelector("#answer-text").shadowRoot?.querySelector(".body").textContent === text, first);
  assert.equal(await page.textContent("#answer-asked"), QUESTION);
  assert.equal(asked(), QUESTION);
});

test("a dropped file can be found, opened and removed", async () => {
  await page.evaluate(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["# Zebra care\n\nA zebra named Quillfeather eats marshmallow roots at dawn."], "zebra.md"));
    for (const type of ["dragover", "drop"]) {
      document.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
  });
  await page.waitForSelector('#library #file-reports li[data-state="done"]'); // the page switches to the library
  assert.match(await page.textContent("#file-reports"), /zebra\.md added: 1 passage/);
  await demo.ask("What does Quillfeather eat?");
  await page.waitForSelector("#answer-text .cite");
  assert.match(await page.textContent("#answer-text .body"), /marshmallow roots at dawn/);
  assert.match(await firstHit(), /Zebra/);
  await demo.tab("library");
  await page.click('#documents button[aria-label="Remove Zebra care"]');
  await page.waitForSelector("#toasts .toast");
  await demo.tab("ask"); // leaving the tab ends the time for undo
  await demo.tab("library");
  await page.waitForFunction(() => !document.querySelector("#documents").textContent.includes("Zebra care"));
  const { hits } = await page.evaluate(() => vademecum.search("Quillfeather", { mode: "keyword" }));
  assert.deepEqual(hits, []);
});

/** Tries to reach other origins from a page and from a worker of it. */
const reachOut = () => page.context().pages().at(-1).evaluate(async () => {
  navigator.sendBeacon("http://beacon.test/", "x");
  const code = "fetch('http://worker.test/').catch(() => {}).then(() => postMessage(0))";
  const worker = new Worker(URL.createObjectURL(new Blob([code])));
  await new Promise((resolve) => (worker.onmessage = resolve));
});

test("no request left the origin, none can, and the proxy would have recorded one", async () => {
  await reachOut();
  assert.deepEqual(demo.origins(), [ORIGIN]);
  const unguarded = await page.context().newPage();
  await unguarded.goto(`${ORIGIN}/files.json`);
  await reachOut();
  await unguarded.close();
  assert.deepEqual(demo.origins(), ["http://beacon.test", ORIGIN, "http://worker.test"].sort());
});

test("the console shows no errors", () => {
  assert.deepEqual(demo.complaints.filter((text) => !/beacon\.test|worker\.test|502/.test(text)), []);
});
