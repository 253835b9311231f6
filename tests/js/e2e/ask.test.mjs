// Questions without a model: styles, collections to search, clarifications, tables, and invalid queries.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { onAskTab } from "../support/ask-tab.mjs";
import { startDemo } from "../support/demo.mjs";

const CONTRACTS = readFileSync(new URL("../../data/corpus/contracts.jsonl", import.meta.url), "utf8").trim().split("\n").map((line) => JSON.parse(line));
const OWNERSHIP = "What are the rules of ownership?";
let demo;
let page;
let llm;
let text, choose, done, option, unfold;

before(async () => {
  demo = await startDemo();
  ({ page, llm } = demo);
  ({ text, choose, done, option, unfold } = onAskTab(demo));
  page.setDefaultTimeout(120_000); // `investigate` embeds several questions while the library is being embedded
  await demo.open();
  // Keyword search finds the contracts at once; their vectors are computed later, as after a visit that ends early.
  await page.evaluate(async (documents) => {
    await vademecum.collection("contracts", { description: "Signed contracts with customers and suppliers", schema: { party: "string", year: "number", signed: "date", kind: "string", value: "number" } });
    await new Promise((resolve, reject) => {
      // Without an event of that phase, the page's own call has computed these vectors among those of the sample.
      vademecum.add("contracts", documents, { onProgress: ({ phase }) => phase === "embed" && resolve() }).then(resolve, reject);
    });
    await vademecum.close();
  }, CONTRACTS);
  demo.complaints.length = 0; // the test closed the library of the previous page
  await demo.open();
  await page.waitForSelector("#ask-collections input", { state: "attached" });
});
after(() => demo?.close());

test("each style is described in a line, with and without a model", async () => {
  await demo.screenshot("ask-empty", { fullPage: true });
  const lines = {};
  for (const style of ["search", "pipeline", "react", "investigate", "graph"]) {
    await choose(style);
    lines[style] = await text("#style-line");
  }
  assert.match(lines.search, /quoted from your documents\. No model is called\.$/);
  for (const style of ["pipeline", "react", "investigate", "graph"]) assert.match(lines[style], /Without a model/, style);
  assert.equal(await page.isVisible("#choose-model"), true);
});

test("every style answers without a model", async () => {
  for (const style of ["search", "pipeline", "react", "investigate", "graph"]) {
    await choose(style);
    await demo.ask(OWNERSHIP);
    await page.waitForFunction((name) => location.hash.endsWith(`style=${name}`), style);
    await done();
    assert.ok((await page.locator("#answer-text .cite").count()) > 0, `${style} cites`);
    assert.match(await text("#answer-title"), /^(Best matching|Nearest) quotes?$/, style);
  }
  assert.equal(llm.requests.length, 0);
});

/**
 * Presses Ask, and twice again at the same place after `pause` milliseconds. The page itself presses again, with the time and the place of the
 * first press: a slow machine would make several clicks of it, and a page that still scrolls would be pressed elsewhere. Returns how many
 * clicks elements of the page receive.
 */
async function pressAgain(pause) {
  await page.evaluate((pause) => {
    let heard = 0;
    const hear = () => heard++;
    const again = ({ clientX, clientY, timeStamp }) => {
      for (const detail of [1, 2]) {
        const press = new MouseEvent("click", { clientX, clientY, detail, bubbles: true, cancelable: true });
        Object.defineProperty(press, "timeStamp", { value: timeStamp + pause });
        document.elementFromPoint(clientX, clientY)?.dispatchEvent(press);
      }
      document.body.removeEventListener("click", hear);
      document.body.dataset.heard = String(heard);
    };
    delete document.body.dataset.heard;
    document.body.addEventListener("click", hear);
    document.querySelector("#ask-button").addEventListener("click", (first) => setTimeout(again, pause, first), { once: true });
  }, pause);
  await page.click("#ask-button");
  await page.waitForSelector("body[data-heard]");
  return Number(await page.getAttribute("body", "data-heard"));
}

test("a double click on Ask asks once, and does not stop the run", async () => {
  await choose("search");
  const asked = await page.evaluate(() => history.length);
  for (const [pause, question] of /** @type {[number, string][]} */ ([[0, "What is ownership?"], [200, OWNERSHIP]])) {
    await page.fill("#question", question);
    assert.equal(await pressAgain(pause), 1, String(pause));
    await done();
    assert.match(await text("#answer-title"), /^(Best matching|Nearest) quotes?$/);
  }
  assert.equal(await page.evaluate(() => history.length), asked + 2);
});

test("a double click at the start asks once, although the page moves under the pointer", async () => {
  await demo.ask(OWNERSHIP);
  await done();
  for (const pause of [50, 200, 400]) {
    await page.click("#new-question");
    await page.fill("#question", OWNERSHIP);
    assert.equal(await pressAgain(pause), 1, String(pause));
    await done();
    assert.equal(await page.inputValue("#question"), OWNERSHIP, String(pause));
    assert.match(await text("#answer-title"), /^(Best matching|Nearest) quotes?$/);
  }
});

test("a question that the documents do not answer is declined, with the nearest passages below", async () => {
  await choose("search");
  await demo.ask("Which football team won the cup in 1998?");
  await done();
  assert.equal(await text("#answer-title"), "No answer found");
  assert.match(await text("#answer-text .body"), /do not seem to answer this question\. The nearest passages are listed below\.$/);
  assert.equal(await text("#answer-note"), "");
  assert.equal(await text("#hits-title"), "Nearest passages");
  assert.ok((await page.locator("#hits li").count()) > 0);
  const [picked] = await Promise.all([page.waitForEvent("filechooser"), page.click("#answer-actions >> text=Add files")]);
  assert.ok(picked.isMultiple());
  assert.ok(await page.isVisible("#library"));
  await demo.tab("ask");
  await demo.screenshot("ask-abstained", { fullPage: true });
});

test("a citation by a document's id opens the passage, highlighted and in view", async () => {
  await choose("investigate");
  await demo.ask(OWNERSHIP);
  await done();
  await page.locator("#answer-text .cite").first().click();
  await page.waitForSelector("#reader[open] mark");
  assert.ok(await page.locator("#reader mark").first().evaluate((mark) => {
    const { top, bottom } = mark.getBoundingClientRect();
    return top < innerHeight && bottom > 0;
  }));
  await page.keyboard.press("Escape");
});

test("collections can be chosen as the scope, and nothing is found elsewhere", async () => {
  await choose("search");
  await option('#ask-collections input[value="contracts"]', true);
  await demo.ask("What notice does the lease have?");
  await done();
  const found = await page.locator("#hits .path b").allTextContents();
  const titles = CONTRACTS.map(({ title }) => title);
  assert.ok(found.length > 0 && found.every((title) => titles.includes(title)), found.join(", "));
  await option('#ask-collections input[value="contracts"]', false);
  await unfold(false);
});

test("a clarification offers replies as buttons, and leads to a table that can be exported as CSV", async () => {
  await choose("investigate");
  await demo.ask("Find contracts from 2024");
  await page.waitForSelector(".clarify-question");
  assert.equal(await text("#answer-title"), "A question back");
  assert.equal(await page.evaluate(() => document.activeElement.className), "clarify-question");
  await demo.screenshot("ask-clarify", { fullPage: true });
  await page.locator(".choices button").first().click();
  await page.waitForSelector(".rows table");
  await done();
  assert.equal(await page.evaluate(() => document.activeElement.id), "question", "the focus is not lost with the button");
  assert.ok((await page.locator(".rows tbody tr").count()) > 10);
  assert.match(await text(".rows caption"), /^\d+ documents$/);
  assert.match(await text("#answer-asked"), /^Find contracts from 2024 — Search without year/);
  assert.doesNotMatch(`${await text("#answer")} ${await text("#answer-text .body")}`, /underlined|language model/, "nothing is said of a text or a model that there is not");
  assert.ok(await page.isHidden("#answer .sources"), "the documents are not listed twice");
  const [file] = await Promise.all([page.waitForEvent("download"), page.click("text=Download CSV")]);
  const csv = readFileSync(await file.path(), "utf8");
  assert.match(csv, /^title,/);
  assert.equal(csv.trim().split("\r\n").length, (await page.locator(".rows tbody tr").count()) + 1);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.click("text=Copy as CSV");
  await page.waitForFunction(() => document.querySelector(".rows .hint").textContent === "Copied.");
  assert.equal((await page.evaluate(() => navigator.clipboard.readText())).replace(/\r\n/g, "\n"), csv.replace(/\r\n/g, "\n"));
  await demo.screenshot("ask-table", { fullPage: true });
  const title = await page.locator(".rows tbody button").first().textContent();
  await page.locator(".rows tbody button").first().click();
  await page.waitForSelector("#reader[open]");
  assert.equal(await text("#reader .heading"), title);
  await page.keyboard.press("Escape");
});

test("a clarification can be answered in words", async () => {
  await demo.ask("Find contracts from 2024");
  await page.waitForSelector(".clarify-question");
  await page.fill("#clarify-field", "then in 2023");
  await page.press("#clarify-field", "Enter");
  await done();
  const titles = CONTRACTS.filter(({ metadata }) => metadata.year === 2023).map(({ title }) => title);
  const answered = `${await text("#answer-text .body")} ${await text("#answer-rows")} ${await text("#answer .sources")}`;
  assert.ok(titles.some((title) => answered.includes(title)), answered);
});

test("a sum is shown above the table of its rows, and a misspelt question can be asked as it was meant", async () => {
  const rows = ["S-1,Orbit,10.50", "S-2,Orbit,20.25", "S-3,Comet,7.00"];
  await page.setInputFiles("#files", { name: "spendings.csv", mimeType: "text/csv", buffer: Buffer.from(`spending,supplier,amount\n${rows.join("\n")}\n`) });
  await page.waitForFunction(() => /spendings\.csv added/.test(document.querySelector("#file-reports").textContent));
  await demo.ask("What is the total amount of supplier Orbit?");
  await page.waitForSelector(".rows table");
  await done();
  assert.match(await text("#answer-text .body"), /30\.75/);
  await demo.ask("waht is ownreship");
  await page.click("text=Did you mean “what is ownership”?");
  await done();
  assert.equal(await page.inputValue("#question"), "what is ownership");
  assert.equal(await text("#answer-asked"), "what is ownership");
});

test("a question without words clears the passages and says so", async () => {
  await page.fill("#question", "ownership");
  await page.waitForSelector("#hits li");
  await page.fill("#question", "???");
  await page.waitForSelector("#passages", { state: "hidden" });
  assert.match(await text("#ask-said"), /“\?\?\?” contains nothing to search for/);
  await page.press("#question", "Enter");
  assert.equal(await page.isVisible("#answer"), false);
  assert.match(await text("#ask-said"), /contains nothing to search for/);
  await page.fill("#question", "ownership");
  await page.waitForSelector("#hits li");
  assert.equal(await text("#ask-said"), "");
});

test("the console shows no errors", () => assert.deepEqual(demo.complaints, []));
