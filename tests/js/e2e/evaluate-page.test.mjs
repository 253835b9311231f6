// The Evaluate tab: questions, strategies and results, with the sample and the real search model.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { startSite } from "../support/changing-site.mjs";
import { LLM, ORIGIN, startDemo } from "../support/demo.mjs";

let site;
let demo;
let page;

before(async () => {
  site = await startSite();
  demo = await startDemo({ routes: { [new URL(ORIGIN).host]: site.address } });
  page = demo.page;
  await demo.open();
  await demo.tab("evaluate");
});
after(async () => {
  await demo?.close();
  site?.close();
});

const told = () => page.textContent("#estimate");
const rows = () => page.locator("#cases tr").count();
const ways = async (...names) => {
  for (const box of await page.locator("#strategies input").all()) await box.setChecked(names.includes(await box.getAttribute("value")));
};
const reported = () => page.waitForSelector("#report:not([hidden])", { timeout: 300_000 });

test("without questions, the page says what to do", async () => {
  assert.match(await told(), /There are no questions yet: make some from your documents/);
  assert.ok(await page.isDisabled("#run-evaluation"));
  assert.ok(await page.isDisabled('#strategies input[value="react"]'), "what needs a model cannot be chosen without one");
  await demo.screenshot("evaluate-empty", { fullPage: true });
});

test("questions are generated from the documents, the same for the same seed, and can be edited", async () => {
  await page.fill("#case-number", "8");
  await page.click("#make-button");
  await page.waitForSelector("#cases tr:nth-child(8)");
  const questions = () => page.locator("#cases td:first-child textarea").evaluateAll((fields) => fields.map(({ value }) => value));
  const first = await questions();
  await page.click("#clear-cases");
  await page.click("#make-button");
  await page.waitForSelector("#cases tr:nth-child(8)");
  assert.deepEqual(await questions(), first);
  assert.match(await told(), /^8 questions in 4 ways: 32 runs\. No language model is called/);
  await page.locator("#cases textarea").first().fill("What is ownership?");
  await page.locator("#cases tr").last().getByRole("button").click();
  assert.equal(await rows(), 7);
  assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), "Question", "focus goes to a neighbour");
});

test("Enter while questions are being generated does not start it twice", async () => {
  await page.click("#clear-cases");
  await page.evaluate(() => {
    const make = vademecum.makeCases;
    window.calls = 0;
    vademecum.makeCases = async function (options) {
      window.calls++;
      await new Promise((resolve) => (window.goOn = resolve));
      return make.call(this, options);
    };
    window.asBefore = () => delete vademecum.makeCases;
  });
  await page.click("#make-button");
  await page.waitForSelector("#make-cancel:not([hidden])");
  const focused = () => page.evaluate(() => document.activeElement.id);
  assert.equal(await focused(), "make-cancel", "the focus goes to the button that came");
  await page.press("#case-number", "Enter");
  await page.press("#case-seed", "Enter");
  assert.equal(await page.evaluate(() => window.calls), 1);
  await page.focus("#make-cancel");
  await page.evaluate(() => window.goOn());
  await page.waitForSelector("#make-button:not([hidden])");
  assert.equal(await focused(), "make-button", "and back");
  assert.equal(await rows(), 8);
  await page.evaluate(() => window.asBefore());
});

test("pasted and loaded questions are parsed, and invalid ones are reported in a sentence", async () => {
  await page.click("#own-cases summary");
  const bad = {
    "[{": /starts like JSON, but is invalid/,
    '[{"documents":["a"]}]': /Question 1 has no `question`/,
    '{"question":"Who?"}': /Expected: a list of questions/,
    '{"questions":[]}': /The file contains no questions/,
    "": /The file is empty/,
    "question,documents\n,a.md": /Row 2 has no question/,
  };
  for (const [text, sentence] of Object.entries(bad)) {
    await page.fill("#case-text", text);
    await page.click("#take-cases");
    assert.match(await page.textContent("#case-notice"), sentence);
  }
  await page.click("#clear-cases");
  const csv = 'question,documents,answer\n"Who owns a value, and when?",no-such.md,its owner\n';
  await page.setInputFiles("#case-file", { name: "questions.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await page.waitForSelector("#cases tr");
  assert.equal(await page.inputValue("#cases textarea"), "Who owns a value, and when?");
  await page.click("#run-evaluation");
  await page.waitForSelector("#evaluation-notice:not([hidden])");
  assert.match(await page.textContent("#evaluation-notice"), /no-such\.md/);
  await page.fill("#cases input", "");
  await page.click("#run-evaluation");
  await page.waitForFunction(() => /1 question cannot be asked/.test(document.getElementById("evaluation-notice").textContent));
  assert.equal(await page.getAttribute("#cases input", "aria-invalid"), "true");
  assert.ok(await page.isHidden("#report"));
  await demo.screenshot("evaluate-refused", { fullPage: true });
  await page.click("#clear-cases");
});

test("searches and the agent are compared, with progress, a table, charts and results per question", async (t) => {
  await demo.ready();
  await page.fill("#case-number", "12");
  await page.click("#make-button");
  await page.waitForSelector("#cases tr:nth-child(12)");
  await ways("keyword", "vector", "hybrid", "pipeline");
  await page.click("#run-evaluation");
  await page.waitForFunction(() => /^\d+ of 48 runs, now \w+/.test(document.getElementById("evaluation-status").textContent), null, { timeout: 120_000 });
  await demo.screenshot("evaluate-running");
  await reported();
  assert.equal(await page.evaluate(() => document.activeElement.id), "report", "whoever waits is led to it");
  const cells = await page.locator(".measures tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map(({ textContent }) => textContent)));
  assert.deepEqual(cells.map(([name]) => name), ["keyword", "vector", "hybrid", "pipeline"]);
  t.diagnostic(cells.map((row) => row.join(" ")).join("; "));
  assert.ok(cells.every((row) => Number(row[2]) >= 0.5 && row.at(-1) === "0"), JSON.stringify(cells));
  const words = await page.textContent(".words");
  assert.match(words, /pipeline (ranks the right documents better than \w+ on \d+ of 12, worse on \d+, equally on \d+\. .*sign test, p = [\d.]+|and \w+ rank the right documents equally)/);
  assert.match(words, /12 questions are few: the true value of a measured 0\.80 could be anywhere from 0\.\d\d to 0\.\d\d/);
  assert.match(words, /The questions were generated by rule from words of the documents/);
  assert.match(words, /What left this device: Nothing\. No model was in use/);
  const drawings = await page.locator("#report svg").evaluateAll((all) => all.map((one) => [one.getAttribute("role"), one.getAttribute("aria-label")]));
  assert.ok(drawings.length >= 5 && drawings.every(([role, label]) => role === "img" && /(keyword|pipeline) /.test(label)), JSON.stringify(drawings));
  await demo.screenshot("evaluate-report", { fullPage: true });
});

test("each cell of the matrix opens a ranking, with links to documents", async () => {
  assert.equal(await page.locator(".matrix .cell").count(), 48);
  await page.locator(".matrix .cell").first().click();
  await page.waitForSelector("#found[open]");
  assert.ok((await page.locator("#found .wanted").count()) >= 1);
  await demo.screenshot("evaluate-found");
  await page.locator("#found ol button").first().click();
  await page.waitForSelector("#reader[open]");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#reader", { state: "hidden" });
  await page.keyboard.press("Escape");
  await page.waitForSelector("#found", { state: "hidden" });
  const all = await page.locator(".matrix tbody tr:visible").count();
  const differ = Number(/only the (\d+)/.exec(await page.textContent("#report .check"))[1]);
  if (differ > 0) {
    await page.check("#report .check input");
    assert.equal(await page.locator(".matrix tbody tr:visible").count(), differ);
    await page.uncheck("#report .check input");
  }
  assert.equal(all, 12);
});

test("the report is saved as JSON, and its questions can be loaded again", async () => {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-report")]);
  assert.equal(download.suggestedFilename(), "evaluation.json");
  const saved = JSON.parse(await readFile(await download.path(), "utf8"));
  assert.deepEqual([saved.version, saved.cases, saved.questions.length, saved.strategies.length, saved.model], [1, 12, 12, 4, null]);
  const [questions] = await Promise.all([page.waitForEvent("download"), page.click("#save-cases")]);
  await page.click("#clear-cases");
  await page.setInputFiles("#case-file", await questions.path());
  await page.waitForSelector("#cases tr:nth-child(12)");
});

test("with a model, its calls are estimated before and counted after, and it may write the questions", async () => {
  demo.llm.answer = '{"question": "How do people keep track of who owns a value?"}';
  await demo.useLlm("secret-key");
  await demo.tab("evaluate");
  await page.click("#clear-cases");
  await page.fill("#case-number", "2");
  await page.check("#case-llm");
  await page.click("#make-button");
  await page.waitForSelector("#cases tr:nth-child(2)");
  assert.ok(demo.llm.requests.length >= 1 && demo.llm.requests.every(({ body, key }) => body.model === "stub-model" && key === "Bearer secret-key"));
  assert.match(await page.textContent("#make-hint"), /^What left this device: \d+ requests?, .* to http:\/\/llm\.test\/v1\/chat\/completions\. (It|They) contained \d+ passages? of \d+ documents?\.$/);
  demo.llm.answer = "Each value has one owner [1].";
  const before = demo.llm.requests.length;
  await ways("hybrid", "pipeline");
  assert.match(await told(), /^2 questions in 2 ways: 4 runs\. About 6 to 16 calls to stub-model\. The questions and the passages found for them are sent there\./);
  await page.evaluate(() => (document.getElementById("report").hidden = true));
  await page.click("#run-evaluation");
  await reported();
  const pipeline = await page.locator(".measures tbody tr").last().locator("td").allTextContents();
  assert.ok(Number(pipeline[5]) >= 1, "calls are counted");
  assert.match(await page.locator("#report figcaption").allTextContents().then((all) => all.join()), /Quality against tokens/);
  const asked = demo.llm.requests.length;
  const [, counted] = /What left this device: (\d+) requests, .* to http:\/\/llm\.test\/v1\/chat\/completions\. They contained \d+ passages of \d+ documents?\./.exec(await page.textContent(".words"));
  assert.equal(Number(counted), asked - before, "each request is counted");
  assert.ok(Math.abs(asked - 1 - 2 * Number(pipeline[5])) <= 3);
});

test("a long comparison can be cancelled, and the previous report stays", async () => {
  demo.llm.behaviour = "hang";
  const before = await page.textContent("#report");
  await page.click("#run-evaluation");
  await page.waitForSelector("#cancel-evaluation:not([hidden])");
  await page.click("#cancel-evaluation");
  await page.waitForSelector("#evaluation-notice:not([hidden])");
  assert.match(await page.textContent("#evaluation-notice"), /^Cancelled/);
  assert.equal(await page.textContent("#report"), before);
  assert.ok(await page.isVisible("#run-evaluation"));
});

test("a document is opened from its own collection, however many collections come before it", async () => {
  demo.llm.behaviour = "json";
  await page.evaluate(async () => {
    const add = (collection, documents) => {
      const untilIn = new AbortController();
      return vademecum.add(collection, documents, { signal: untilIn.signal, onProgress: ({ phase }) => phase === "embed" && untilIn.abort() }).catch(() => {});
    };
    await vademecum.collection("crowd");
    await vademecum.collection("other");
    await add("crowd", Array.from({ length: 2300 }, (_, at) => ({ id: `n${at}.md`, title: `Number ${at}`, text: `Number ${at} is one of a crowd.` })));
    await add("crowd", [{ id: "twice.md", title: "First of two", text: "Zymurgy is brewing." }, { id: "last.md", title: "The very last", text: "Quokkas smile." }]);
    await add("other", [{ id: "twice.md", title: "Second of two", text: "Zymurgy is the last word." }]);
  });
  await page.click("#clear-cases");
  await page.locator("#own-cases").evaluate((details) => (details.open = true));
  await page.fill("#case-text", JSON.stringify([{ question: "Which quokkas smile?", relevant: ["last.md"], by: "rule" }, { question: "What is zymurgy?", relevant: ["n2299.md"] }]));
  await page.click("#take-cases");
  // Suggestions are searched among all values.
  const field = page.locator('#cases input[aria-label="Documents that answer it"]').last();
  await field.fill("n7.md | 229");
  await page.waitForFunction(() => [...document.querySelectorAll("#document-ids option")].some(({ value }) => value === "n7.md | n2298.md"));
  await field.fill("n2299.md");
  await ways("keyword");
  await page.evaluate(() => (document.getElementById("report").hidden = true));
  await page.click("#run-evaluation");
  await reported();
  assert.match(await page.textContent(".words"), /1 of the questions was generated by rule/);
  const cells = page.locator(".matrix .cell");
  await cells.first().click();
  await page.waitForSelector("#found[open]");
  assert.equal(await page.locator("#found ol .wanted button").textContent(), "The very last");
  await page.locator("#found ol .wanted button").click();
  await page.waitForSelector("#reader[open]");
  assert.match(await page.textContent("#reader .text"), /Quokkas smile/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#found", { state: "hidden" });
  await page.evaluate(() => vademecum.remove("crowd", ["n2299.md"]));
  await cells.last().click();
  await page.waitForSelector("#found[open]");
  assert.match(await page.locator("#found ol li").first().textContent(), /^First of twoin crowd Second of twoin other/);
  assert.match(await page.locator("#found ul li").textContent(), /^n2299\.md is no longer in the library/);
  await demo.screenshot("evaluate-found-twice");
  await page.getByRole("button", { name: "Second of two" }).click();
  await page.waitForSelector("#reader[open]");
  assert.match(await page.textContent("#reader .text"), /the last word/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#found", { state: "hidden" });
});

test("unsaved questions are not discarded silently: the page's name links to Ask, and a reload asks for confirmation", async () => {
  await page.click(".wordmark");
  assert.ok(await page.isVisible("#ask"));
  await demo.tab("evaluate");
  assert.equal(await rows(), 2);
  const isAsked = async () => {
    const asked = page.waitForEvent("dialog");
    await page.evaluate(() => void setTimeout(() => location.reload()));
    const dialog = await asked;
    assert.equal(dialog.type(), "beforeunload");
    await dialog.dismiss();
    assert.equal(await rows(), 2, "the page stays");
  };
  await isAsked();
  await Promise.all([page.waitForEvent("download"), page.click("#save-report")]);
  await page.locator("#cases textarea").first().fill("Which quokkas laugh?");
  await isAsked();
  await Promise.all([page.waitForEvent("download"), page.click("#save-cases")]);
  let asked = false;
  page.once("dialog", (dialog) => ((asked = true), dialog.accept()));
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  assert.equal(asked, false, "all of it is in files");
  assert.equal(await rows(), 0);
  await demo.tab("evaluate");
});

test("on a phone and in dark mode nothing is wider than the screen", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await demo.screenshot("evaluate-phone-dark", { fullPage: true });
});

test("only the chosen endpoint was requested, and the console shows no errors", () => {
  assert.deepEqual(demo.origins(), [LLM, ORIGIN].sort());
  assert.deepEqual(demo.complaints, []);
});
