// The trace tab: live events of a run, the exact requests, the veto, and runs as files.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { asks, onAskTab } from "../support/ask-tab.mjs";
import { startDemo, untilTrue } from "../support/demo.mjs";

const QUESTION = "What are the rules of ownership?";
let demo;
let page;
let llm;
let text, done, option, budget;

before(async () => {
  demo = await startDemo();
  ({ page, llm } = demo);
  ({ text, done, option, budget } = onAskTab(demo));
  page.setDefaultTimeout(120_000);
  await demo.open();
});
after(() => demo?.close());

async function veto(is) {
  await demo.tab("ask");
  await option("#ask-veto", is);
}
const asJson = (selector) => page.evaluate((where) => JSON.parse(document.querySelector(`${where} .raw pre`).textContent), selector);
const unfoldStep = (step) => page.evaluate((name) => [...document.querySelectorAll(".step")].filter((one) => one.querySelector(".name").textContent === name).forEach((one) => (one.open = true)), step);

test("before the first question the tab says what to do", async () => {
  await demo.tab("trace");
  assert.ok(await page.isVisible("#trace-empty"));
  assert.equal(await page.isVisible("#trace-run"), false);
  await demo.screenshot("trace-empty");
  await page.click("#trace-ask");
  assert.equal(await page.evaluate(() => document.activeElement.id), "question");
});

test("without a model nothing left the device, and the searches are shown", async () => {
  await demo.ask(QUESTION);
  await done();
  await page.click("text=How this was found");
  await page.waitForSelector(".step");
  assert.match(await text("#ledger"), /^Nothing\. No model was in use.*This run only/);
  await unfoldStep("search");
  await page.waitForSelector(".call.search .chunks button:has-text('Ownership')");
  await page.locator(".call.search .chunks button").first().click();
  await page.waitForSelector("#reader[open] mark");
  await page.keyboard.press("Escape");
  assert.match(await text("#coverage"), /covered.*rules of ownership/);
});

test("passages that were replaced or removed since a run are shown as they were found, with a note", async () => {
  const put = (text) => page.setInputFiles("#files", { name: "harbour.md", mimeType: "text/markdown", buffer: Buffer.from(`# The harbour\n\n${text}`) });
  const isIn = (words) => untilTrue(page, (words) => vademecum.document("harbour.md").then(({ text }) => text.includes(words), () => false), words);
  await put("The harbour of Ozymand freezes in January. No ship leaves it then.");
  await isIn("January");
  await demo.ask("When does the harbour of Ozymand freeze?");
  await done();
  assert.match(await text("#answer-text .body"), /freezes in January/);
  await demo.ask("What is a vector?"); // the previous question is one step back in the history
  await done();
  await put("No ship leaves in winter. The harbour of Ozymand freezes in February, they say now.");
  await isIn("February");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector("#question").value.includes("harbour"));
  await done();
  await page.locator("#answer-text .cite").first().click();
  await page.waitForSelector("#reader[open]");
  assert.match(await text("#reader-note"), /was replaced since then\. This is the passage as it was found/);
  assert.match(await text("#reader mark"), /freezes in January/);
  await page.click("text=Open the current version");
  await page.waitForSelector("#reader-note", { state: "hidden" });
  assert.match(await text("#reader .text"), /February, they say now/);
  await page.keyboard.press("Escape");

  // The trace also shows the passage as it was found, although the current version has been opened.
  await page.click("text=How this was found");
  await unfoldStep("search");
  await page.locator(".call.search .chunks button:has-text('The harbour')").first().click();
  await page.waitForSelector("#reader[open] #reader-note:not([hidden])");
  assert.match(await text("#reader mark"), /freezes in January/);
  await page.keyboard.press("Escape");

  await demo.tab("library");
  await page.fill("#document-search", "harbour");
  await page.waitForFunction(() => document.querySelectorAll("#documents li").length === 1); // a row replaced during a click loses it
  await page.click('#documents .remove[aria-label="Remove The harbour"]');
  await page.waitForSelector("#toasts .toast");
  await page.fill("#document-search", "");
  await demo.tab("trace");
  await page.waitForSelector(".call.search .chunks button:has-text('The harbour (removed since)')");
  await demo.tab("ask");
  await demo.ask("What is a vector?");
  await done();
  await page.goBack();
  await page.waitForFunction(() => document.querySelector("#question").value.includes("harbour"));
  await done();
  assert.match(await text("#answer-note"), /A document was removed from the library since/);
  assert.equal(await text("#hits li:first-child .why"), "removed since");
  await demo.screenshot("ask-removed-since", { fullPage: true });
  await page.locator("#answer-text .cite").first().click();
  await page.waitForSelector("#reader[open]");
  assert.match(await text("#reader-note"), /was removed from the library since then\. This is the passage as it was found/);
  assert.match(await text("#reader mark.quoted"), /freezes in January/);
  await demo.screenshot("reader-removed-since");
  await page.keyboard.press("Escape");
  assert.equal(await page.isVisible("#notice"), false);
});

test("a run is drawn while it runs: the request waits, then its reply appears", async () => {
  await demo.useLlm();
  llm.behaviour = "stream";
  llm.answer = "Each value in Rust has an owner [1].";
  /** @type {any} */ let goOn;
  llm.go = new Promise((resolve) => (goOn = resolve));
  await demo.ask(QUESTION);
  await demo.tab("trace");
  await page.waitForSelector(".step .bar-of.wait");
  assert.match(await text("#trace-facts"), /running/);
  await unfoldStep("answer");
  await page.waitForSelector(".call.llm:has-text('no reply yet')");
  await demo.screenshot("trace-live", { fullPage: true });
  goOn();
  await page.waitForSelector(".call.llm .reply:has-text('Each value in Rust')");
  await page.waitForSelector("#trace-facts:has-text('answered')"); // grounding is checked after the reply
  assert.deepEqual(await page.locator(".step .name").allTextContents(), ["search", "answer", "ground"]);
});

test("the ledger shows exactly what the endpoint received", async () => {
  assert.match(await text("#ledger > p"), /^1 request, .* to .*\. It contained \d+ passages of \d+ documents?\.$/);
  await page.evaluate(() => (document.querySelector(".entry").open = true));
  const shown = await asJson("#ledger .entry");
  assert.deepEqual(shown, llm.requests.at(-1).body);
  await page.waitForFunction(() => !document.querySelector("#ledger .chunks").textContent.includes("#"));
  await unfoldStep("search");
  await demo.screenshot("trace", { fullPage: true });
  await page.emulateMedia({ colorScheme: "dark" });
  await demo.screenshot("trace-dark", { fullPage: true });
  await page.emulateMedia({ colorScheme: "light" });
});

test("with the veto, a request waits until it is allowed, and the request shown is the one sent", async () => {
  llm.behaviour = "script";
  llm.reply = () => "Allowed and answered [1].";
  await veto(true);
  assert.ok(await page.isChecked("#trace-veto"), "both switches are one");
  const before = llm.requests.length;
  await demo.ask("Who owns a value?");
  await page.waitForSelector("#veto[open]");
  assert.match(await text("#veto-where"), /The step “answer” would send [\d,]+ bytes to /);
  await page.waitForSelector("#veto-sources li:has-text('passage')");
  assert.match(await text("#veto-payload"), /Question: Who owns a value\?/);
  const shown = await asJson("#veto-payload");
  assert.equal(llm.requests.length, before, "nothing is sent while somebody decides");
  await demo.screenshot("veto");
  await page.click('#veto button[value="allow"]');
  await done();
  assert.deepEqual(llm.requests.slice(before).map(({ body }) => body), [shown]);
  assert.match(await text("#answer-text .body"), /Allowed and answered 1\.$/);
});

test("a denied request is not sent: the documents answer, and the page says why", async () => {
  const before = llm.requests.length;
  await demo.ask("What is a dangling reference?");
  await page.waitForSelector("#veto[open]");
  await page.keyboard.press("Escape");
  await done();
  assert.equal(llm.requests.length, before);
  assert.match(await text("#answer-title"), /^(Best matching|Nearest) quotes?$/);
  assert.match(await text("#answer-note"), /You denied 1 request: that step used a rule/);
  assert.equal(await page.isVisible("#notice"), false);
  await page.click("text=How this was found");
  assert.match(await text("#ledger > p"), /^Nothing: 1 request was denied\.$/);
  assert.match(await text("#ledger .entry"), /denied/);
  await unfoldStep("answer");
  await page.waitForSelector(".inside:has-text('Instead:')");
  await demo.screenshot("trace-denied", { fullPage: true });
});

test("all requests of a run can be allowed at once, and the next run asks again", async () => {
  await demo.tab("ask");
  await option('#steps input[value="gate"]', true);
  llm.reply = (body) => (asks(body, "search") ? '{"search": true, "reason": "facts"}' : "Both were allowed [1].");
  const before = llm.requests.length;
  await demo.ask(QUESTION);
  await page.waitForSelector("#veto[open]");
  assert.match(await text("#veto-sources"), /quotes no document/);
  await page.click('#veto button[value="all"]');
  await done();
  assert.equal(llm.requests.length - before, 2);
  await demo.ask("What is a move?");
  await page.waitForSelector("#veto[open]");
  await page.click('#veto button[value="deny"]');
  await page.waitForFunction(() => document.querySelector("#veto[open] #veto-where")?.textContent.includes("“answer”"));
  await page.click('#veto button[value="deny"]');
  await done();
  assert.match(await text("#answer-note"), /denied 2 requests/);
  await option('#steps input[value="gate"]', false);
});

test("stopping closes the open question", async () => {
  await demo.ask("What is a struct?");
  await page.waitForSelector("#veto[open]");
  await page.evaluate(() => document.querySelector("#stop-button").click());
  await page.waitForSelector("#veto", { state: "hidden" });
  await done();
  assert.equal(await text("#answer-title"), "Stopped");
  assert.equal(await text("#answer-note"), "Stopped before there was an answer.");
  await veto(false);
});

test("a budget is shown as used and allowed amounts", async () => {
  await budget("llmCalls", "4");
  await demo.ask(QUESTION);
  await done();
  await demo.tab("trace");
  assert.match(await text("#trace-facts"), /Model calls1 of 4/);
  await demo.tab("ask");
  await budget("llmCalls", "");
});

test("every run of this visit can be selected, and saved as a file that can be replayed", async () => {
  await demo.tab("trace");
  const runs = await page.locator("#trace-runs option").allTextContents();
  assert.ok(runs.length >= 8 && runs.at(-1).includes(QUESTION), runs.join("\n"));
  await page.selectOption("#trace-runs", { index: 0 });
  const [file] = await Promise.all([page.waitForEvent("download"), page.click("#trace-save")]);
  assert.match(file.suggestedFilename(), /\.run\.json$/);
  const saved = JSON.parse(readFileSync(await file.path(), "utf8"));
  assert.equal(saved.question, QUESTION);
  assert.deepEqual(saved.bundle.exchanges.map(({ request }) => request), [llm.requests.at(-1).body]);
  assert.ok(saved.bundle.runs[0].searches.length > 0 && saved.result.answer && saved.events.at(-1).type === "done");
  assert.match(await text("#trace-saved"), /^Saved\./);
  await page.selectOption("#trace-runs", { index: runs.length - 1 });
  assert.match(await text("#ledger"), /^Nothing\. No model/);
});

test("on a phone nothing is wider than the page", async () => {
  await page.selectOption("#trace-runs", { index: 0 });
  await page.setViewportSize({ width: 390, height: 844 });
  await unfoldStep("answer");
  await page.waitForSelector(".call.llm .reply");
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await demo.screenshot("trace-phone", { fullPage: true });
});

test("the console shows no errors", () => assert.deepEqual(demo.complaints, []));
