// Questions while the library changes: before it is loaded, after a collection is emptied, when documents are removed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { onAskTab } from "../support/ask-tab.mjs";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

const OWLS = "Which birds fly without a sound?";
let demo;
let page;
let llm;
let text, choose, done, option;

before(async () => {
  demo = await startDemo();
  ({ page, llm } = demo);
  ({ text, choose, done, option } = onAskTab(demo));
  await useSmallSample(page);
  await demo.open();
});
after(() => demo?.close());

const focused = (on = page) => on.evaluate(() => document.activeElement.id);
const said = (on, words) => on.waitForFunction((words) => document.getElementById("ask-said").textContent.includes(words), words);

/** Starts a first visit that waits for the sample until `arrive` is called. */
async function firstVisit() {
  const context = await demo.page.context().browser().newContext();
  const visit = await context.newPage();
  /** @type {any} */ let arrive;
  const arrived = new Promise((resolve) => (arrive = resolve));
  await useSmallSample(visit, arrived);
  await visit.goto(ORIGIN);
  await visit.waitForSelector("#examples button");
  return { visit, arrive, close: () => context.close() };
}

test("a question that is asked while the library loads waits for it, can be stopped, and is answered", async () => {
  const { visit, arrive, close } = await firstVisit();
  await visit.fill("#question", OWLS);
  await visit.focus("#ask-button");
  await visit.keyboard.press("Enter");
  await said(visit, "Your library is loading…");
  assert.equal(await focused(visit), "stop-button", "the focus is not lost with the button");
  assert.equal(await visit.isVisible("#passages"), false, "nothing is said to be found or not");
  await demo.screenshot("ask-being-read", {}, visit);
  await visit.keyboard.press("Enter");
  await visit.waitForSelector("#ask-button:not([hidden])");
  assert.equal(await focused(visit), "question");
  assert.equal(await visit.isVisible("#answer"), false);
  await visit.keyboard.press("Enter");
  await visit.waitForSelector("#stop-button:not([hidden])");
  arrive();
  await visit.waitForSelector("#answer-text .cite");
  assert.match(await visit.textContent("#answer-text .body"), /Owls fly without a sound/);
  assert.equal(await visit.textContent("#ask-said"), "");
  await close();
});

/** Opens a first visit in which `boot.js` is late, in a browser that shows the page before it, as those without `blocking="render"` do. */
async function beforeScripts() {
  const context = await demo.page.context().browser().newContext();
  context.setDefaultTimeout(60_000);
  const visit = await context.newPage();
  /** @type {any} */ let arrive;
  const arrived = new Promise((resolve) => (arrive = resolve));
  await useSmallSample(visit);
  await context.route("**/boot.js", async (route) => {
    await arrived;
    await route.continue();
  });
  const body = readFileSync(new URL("../../../target/site/index.html", import.meta.url), "utf8").replace(' blocking="render"', "");
  await context.route(`${ORIGIN}/`, (route) => route.fulfill({ body, contentType: "text/html; charset=utf-8" }));
  await visit.goto(ORIGIN, { waitUntil: "commit" });
  await visit.waitForSelector("#question");
  await visit.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))); // input before it is painted is dropped
  return { visit, arrive, close: () => context.close() };
}

for (const [how, act] of /** @type {const} */ ([
  ["Enter", (visit) => visit.keyboard.press("Enter")],
  ["the button", (visit) => visit.click("#ask-button")],
])) {
  test(`a question that is asked by ${how} before any script has run is asked once the page has started`, async () => {
    const { visit, arrive, close } = await beforeScripts();
    await visit.click("#question");
    await visit.keyboard.type(OWLS);
    await act(visit);
    assert.equal(await visit.inputValue("#question"), OWLS, "Enter begins no new line");
    arrive();
    await visit.waitForSelector("#answer-text .cite");
    assert.match(await visit.textContent("#answer-text .body"), /Owls fly without a sound/);
    await close();
  });
}

test("text typed while the library loads is searched again afterwards", async () => {
  const { visit, arrive, close } = await firstVisit();
  await visit.fill("#question", "owls");
  await said(visit, "Your library is loading…");
  assert.equal(await visit.isVisible("#passages"), false);
  arrive();
  await visit.waitForSelector("#hits li");
  assert.match(await visit.textContent("#hits li"), /Owls/);
  assert.equal(await visit.textContent("#ask-said"), "");
  await close();
});

test("a chosen collection that is emptied is deselected", async () => {
  await page.setInputFiles("#files", { name: "mine.md", mimeType: "text/markdown", buffer: Buffer.from("# Mine\n\nI keep a heron.") });
  await page.waitForSelector('#file-reports li[data-state="done"]', { state: "attached" });
  await demo.tab("ask");
  await option('#ask-collections input[value="default"]', true);
  assert.match(await text("#ask-collections"), /My documents 1/, "it is called as in the library");
  await demo.screenshot("ask-collections");
  await page.fill("#question", "owls");
  // Herons are birds: vector search finds the note once its passage is embedded.
  await page.waitForFunction(() => document.querySelector("#hits").shadowRoot.querySelector("li") !== null && !document.querySelector("#hits").shadowRoot.querySelector("ol").textContent.includes("Owls"));
  const empty = async () => {
    await demo.tab("library");
    await page.click('button[aria-label="Delete the collection My documents"]');
    await page.click("dialog.confirm button.primary");
    await page.waitForFunction(() => !document.querySelector("#collections").textContent.includes("My documents"));
    await demo.tab("ask");
  };
  await empty();
  await page.waitForSelector("#hits li");
  assert.match(await text("#hits li"), /Owls/);
  assert.deepEqual(await page.evaluate(() => JSON.parse(localStorage.getItem("vademecum.ask")).collections), []);
  // The same for a choice stored by an earlier visit, even with unknown names.
  await page.evaluate(() => localStorage.setItem("vademecum.ask", JSON.stringify({ collections: ["default", "nowhere"] })));
  await demo.open();
  await demo.ask(OWLS);
  await page.waitForSelector("#answer-text .cite");
  assert.match(await text("#answer-text .body"), /Owls fly without a sound/);
  assert.equal(await page.isVisible("#notice"), false);
});

test("no passages are promised where none are listed", async () => {
  await demo.ask("Who is the CEO?");
  await done();
  assert.equal(await page.locator("#hits li").count(), 0);
  assert.equal(await text("#answer-text .body"), "Nothing in the documents answers this question.");
});

async function remove(title) {
  await demo.tab("library");
  await page.click(`#documents .remove[aria-label="Remove ${title}"]`);
  await page.waitForFunction((title) => ![...document.querySelectorAll("#documents .name")].some(({ textContent }) => textContent === title), title);
  await demo.tab("ask");
}

test("an answer stays when an unrelated document is removed, and is cleared with one of its own", async () => {
  await demo.ready();
  await page.setInputFiles("#files", [
    { name: "heron.md", mimeType: "text/markdown", buffer: Buffer.from("# Heron\n\nThe heron of Ozymand sleeps on one leg.") },
    { name: "invoice.md", mimeType: "text/markdown", buffer: Buffer.from("# Invoice\n\nNumber 7741 is due in Quillfeather.") },
  ]);
  await page.waitForFunction(() => document.querySelectorAll('#file-reports li[data-state="done"]').length >= 2);
  await choose("search");
  await demo.ask("How does the heron of Ozymand sleep?");
  await done();
  const answer = await text("#answer-text .body");
  assert.match(answer, /on one leg/);
  await remove("Invoice");
  assert.ok(await page.isVisible("#answer"));
  assert.equal(await text("#answer-text .body"), answer);
  await remove("Heron");
  await page.waitForSelector("#answer", { state: "hidden" });
  await said(page, "a document that it is based on was removed");
  await demo.screenshot("ask-put-away");
});

test("a run continues when an unrelated document is removed, and reports why it ends with one that it found", async () => {
  await demo.useLlm();
  await choose("pipeline");
  llm.behaviour = "stream";
  llm.answer = "They have soft feathers [1].";
  /** @type {any} */ let goOn;
  llm.go = new Promise((resolve) => (goOn = resolve));
  const writing = () => page.waitForFunction(() => document.querySelector("#answer-text").shadowRoot?.querySelector(".body").textContent.startsWith("They have"));
  await page.setInputFiles("#files", { name: "invoice.md", mimeType: "text/markdown", buffer: Buffer.from("# Invoice\n\nNumber 7741 is due in Quillfeather.") });
  await page.waitForFunction(() => /invoice\.md added/.test(document.querySelector("#file-reports").textContent));
  await demo.ask(OWLS);
  await writing();
  await remove("Invoice");
  assert.ok(await page.isVisible("#stop-button"), "it goes on");
  goOn();
  await done();
  assert.match(await text("#answer-text .body"), /^They have soft feathers/);

  llm.go = new Promise((resolve) => (goOn = resolve));
  await demo.ask("What makes owls so silent?");
  await writing();
  await remove("Owls");
  await done();
  assert.equal(await text("#answer-title"), "Stopped");
  assert.match(await text("#answer-note"), /A document that this answer depended on was removed.*Ask again/);
  assert.equal(await page.isVisible("#answer-text .body"), false);
  assert.deepEqual(await page.locator("#answer-actions button").allTextContents(), ["How this was found"], "it cannot be gone on with");
  await demo.screenshot("ask-lost");
  goOn();
});

test("expanding a long table moves the focus to the first new row", async () => {
  const row = await page.evaluate(async () => {
    const { rowsOf } = await import("/ask/rows.js");
    const rows = Array.from({ length: 30 }, (_, at) => [`Row ${at + 1}`]);
    const table = rowsOf({ columns: ["title"], rows, documents: rows.map(([name]) => ["default", name]), total: 30, csv: "" }, [], { open: () => {}, read: async () => [] });
    document.querySelector("main").append(table);
    const all = [...table.querySelectorAll("button")].find(({ textContent }) => textContent === "Show all 30");
    all.focus();
    all.click();
    await new Promise((resolve) => setTimeout(resolve));
    const { textContent } = document.activeElement;
    table.remove();
    return textContent;
  });
  assert.equal(row, "Row 26");
});

test("the page's name links to Ask, and keeps the model, its key and the answer", async () => {
  llm.behaviour = "json";
  await demo.ask("When does bread rise?");
  await done();
  await demo.tab("model");
  await page.click(".wordmark");
  assert.ok(await page.isVisible("#ask"));
  assert.ok(await page.isVisible("#answer"));
  assert.equal(await text("#llm-name"), "stub-model");
});

test("example questions are removed with the sample that answers them", async () => {
  await demo.open();
  await page.waitForSelector("#examples button");
  await demo.tab("library");
  await page.click('button[aria-label="Delete the collection The Rust book, chapters 4, 8 and 9"]');
  await page.click("dialog.confirm button.primary");
  await page.waitForFunction(() => document.querySelector("#library-size").textContent === "empty");
  await demo.tab("ask");
  await page.waitForSelector("#examples", { state: "hidden" });
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  assert.equal(await page.isVisible("#examples"), false);
  // Neither documents nor the chosen collection exist: the question is not an error.
  await page.evaluate(() => localStorage.setItem("vademecum.ask", JSON.stringify({ collections: ["nowhere"] })));
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  await demo.ask("owls");
  await done();
  assert.equal(await page.isVisible("#notice"), false);
  await demo.screenshot("ask-empty-library");
});

test("a table of rows has the columns of the file in its order, its numbers as written, and a shadow where it is cut", async () => {
  const rows = ["R-1,Acme,2260.70,EUR", "R-2,Bolt,120.00,EUR", "R-3,Core,99.90,EUR"];
  await page.setInputFiles("#files", { name: "invoices.csv", mimeType: "text/csv", buffer: Buffer.from(`invoice,customer,amount,currency\n${rows.join("\n")}\n`) });
  await page.waitForFunction(() => /invoices\.csv added/.test(document.querySelector("#file-reports").textContent));
  await demo.ask("List the invoices");
  await page.waitForSelector(".rows table");
  await done();
  assert.deepEqual(await page.locator(".rows thead th").allTextContents(), ["invoice", "customer", "amount", "currency", "title"]);
  assert.equal(await text(".rows caption"), "3 rows");
  assert.deepEqual((await page.locator(".rows tbody td.number").allTextContents()).sort(), ["120.00", "2260.70", "99.90"]);
  const first = page.locator(".rows tbody th button").first();
  assert.match(await first.textContent(), /^R-\d$/);
  await first.click();
  await page.waitForSelector("#reader[open]");
  assert.match(await text("#reader .text"), /^invoice: R-\d/);
  await page.click("#reader [part~=close]");
  assert.match(await page.evaluate(() => getComputedStyle(document.querySelector(".rows-scroll")).backgroundAttachment), /local.*scroll/);
});

test("the console shows no errors", () => assert.deepEqual(demo.complaints, []));
