// Asking: the styles, with a model and without; being asked back; stopping and going on; threads; what the address keeps.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { startDemo } from "../support/demo.mjs";

const CONTRACTS = readFileSync(new URL("../../data/corpus/contracts.jsonl", import.meta.url), "utf8").trim().split("\n").map((line) => JSON.parse(line));
const OWNERSHIP = "What are the rules of ownership?";
let demo;
let page;
let llm;

before(async () => {
  demo = await startDemo();
  ({ page, llm } = demo);
  await demo.open();
  // Words find the contracts at once; their vectors come later, as after any visit that was left early.
  await page.evaluate(async (documents) => {
    await vademecum.collection("contracts", { description: "Signed contracts with customers and suppliers", schema: { party: "string", year: "number", signed: "date", kind: "string", value: "number" } });
    await new Promise((resolve, reject) => {
      vademecum.add("contracts", documents, { onProgress: ({ phase }) => phase === "embed" && resolve() }).catch(reject);
    });
    await vademecum.close();
  }, CONTRACTS);
  await demo.open();
  await page.waitForSelector("#collections input", { state: "attached" });
});
after(() => demo?.close());

const choose = (style) => page.check(`#styles input[value="${style}"]`, { force: true });
const done = () => page.waitForFunction(() => !document.querySelector("#ask-button").hidden && document.querySelector("#answer-actions").children.length > 0, null, { timeout: 60_000 });
const text = (selector) => page.textContent(selector);
const asks = (body, property) => Object.hasOwn(body.response_format?.json_schema?.schema?.properties ?? {}, property);

async function option(selector, is) {
  await page.evaluate(() => (document.querySelector("#ask-options").open = true));
  await page.setChecked(selector, is, { force: true });
}

test("each way to answer says in a line what it does, and what it does without a model", async () => {
  await demo.screenshot("ask-empty", { fullPage: true });
  const lines = {};
  for (const style of ["search", "pipeline", "react", "investigate", "graph"]) {
    await choose(style);
    lines[style] = await text("#style-line");
  }
  assert.match(lines.search, /word for word\. No model is asked\.$/);
  for (const style of ["pipeline", "react", "investigate", "graph"]) assert.match(lines[style], /Without a model/, style);
  assert.equal(await page.isVisible("#choose-model"), true);
});

test("every style answers without a model", async () => {
  for (const style of ["search", "pipeline", "react", "investigate", "graph"]) {
    await choose(style);
    await demo.ask(OWNERSHIP);
    await page.waitForFunction((name) => location.search.endsWith(`style=${name}`), style);
    await done();
    assert.ok((await page.locator("#answer-text .cite").count()) > 0, `${style} cites`);
    assert.equal(await text("#answer-title"), "From your documents, word for word", style);
  }
  assert.equal(llm.requests.length, 0);
});

test("a citation by a document's id opens the passage, highlighted and in view", async () => {
  await choose("investigate");
  await demo.ask(OWNERSHIP);
  await done();
  await page.locator("#answer-text .cite").first().click();
  await page.waitForSelector("#reader[open] mark");
  assert.ok(await page.evaluate(() => {
    const { top, bottom } = document.querySelector("#reader mark").getBoundingClientRect();
    return top < innerHeight && bottom > 0;
  }));
  await page.keyboard.press("Escape");
});

test("collections can be chosen to search in, and nothing is found elsewhere", async () => {
  await choose("search");
  await option('#collections input[value="contracts"]', true);
  await demo.ask("What notice does the lease have?");
  await done();
  const found = await page.locator("#hits .path b").allTextContents();
  const titles = CONTRACTS.map(({ title }) => title);
  assert.ok(found.length > 0 && found.every((title) => titles.includes(title)), found.join(", "));
  await option('#collections input[value="contracts"]', false);
  await page.evaluate(() => (document.querySelector("#ask-options").open = false));
});

test("what is asked back has its answers as buttons, and leads to a table that can be taken along as CSV", async () => {
  await choose("investigate");
  await demo.ask("Find contracts from 2024");
  await page.waitForSelector(".clarify-question");
  assert.equal(await text("#answer-title"), "A question back");
  assert.equal(await page.evaluate(() => document.activeElement.className), "clarify-question");
  await demo.screenshot("ask-clarify", { fullPage: true });
  await page.locator(".choices button").first().click();
  await page.waitForSelector(".rows table");
  await done();
  assert.ok((await page.locator(".rows tbody tr").count()) > 10);
  assert.match(await text(".rows caption"), /^\d+ documents$/);
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
  assert.equal(await text("#reader-title"), title);
  await page.keyboard.press("Escape");
});

test("what is asked back can be answered in words", async () => {
  await demo.ask("Find contracts from 2024");
  await page.waitForSelector(".clarify-question");
  await page.fill("#clarify-field", "then in 2023");
  await page.press("#clarify-field", "Enter");
  await done();
  const titles = CONTRACTS.filter(({ metadata }) => metadata.year === 2023).map(({ title }) => title);
  const answered = `${await text("#answer-text")} ${await text("#answer-rows")} ${await text("#sources")}`;
  assert.ok(titles.some((title) => answered.includes(title)), answered);
});

test("what holds nothing to look for clears the passages and says so", async () => {
  await page.fill("#question", "ownership");
  await page.waitForSelector("#hits li");
  await page.fill("#question", "???");
  await page.waitForSelector("#passages", { state: "hidden" });
  assert.match(await text("#ask-said"), /nothing to look for in “\?\?\?”/);
  await page.press("#question", "Enter");
  assert.equal(await page.isVisible("#answer"), false);
  assert.match(await text("#ask-said"), /nothing to look for/);
  await page.fill("#question", "ownership");
  await page.waitForSelector("#hits li");
  assert.equal(await text("#ask-said"), "");
});

test("a pipeline asks the model in the steps that were chosen, and no other", async () => {
  await demo.useLlm();
  await choose("pipeline");
  for (const step of ["gate", "decompose"]) await option(`#steps input[value="${step}"]`, true);
  assert.match(await text("#style-line"), /3 calls of the model\.$/);
  await demo.screenshot("ask-options", { fullPage: true });
  llm.behaviour = "script";
  llm.reply = (body) => {
    if (asks(body, "search")) return '{"search": true, "reason": "it asks for facts"}';
    if (asks(body, "questions")) return '{"questions": ["What is an owner?", "When is a value dropped?"]}';
    return "Each value has an owner [1]. The Quorble of 1877 was blue [2].";
  };
  const before = llm.requests.length;
  await demo.ask("What is an owner, and when is a value dropped?");
  await done();
  assert.equal(llm.requests.length - before, 3);
  assert.match(await text("#answer-text"), /^Each value has an owner 1\./);
  for (const step of ["gate", "decompose"]) await option(`#steps input[value="${step}"]`, false);
  await page.evaluate(() => (document.querySelector("#ask-options").open = false));
});

test("a sentence that nothing supports is marked, and the page says what it means", async () => {
  assert.match(await text("#answer-text .unsupported"), /Quorble of 1877/);
  assert.match(await text("#answer-warnings"), /supported by no passage that was found.*1877/);
  await demo.screenshot("ask-ungrounded", { fullPage: true });
});

test("the model searches by tools in the style react, and cites what it found", async () => {
  await choose("react");
  const call = (name, given) => ({ content: null, tool_calls: [{ id: "one", type: "function", function: { name, arguments: JSON.stringify(given) } }] });
  llm.reply = ({ messages }) =>
    messages.some(({ role }) => role === "tool") ? call("final_answer", { answer: "When its owner goes out of scope [1]." }) : call("search", { query: "value dropped owner scope" });
  await demo.ask("When is a value dropped?");
  await done();
  assert.equal(await text("#answer-text"), "When its owner goes out of scope 1.");
});

test("a run that was stopped can be gone on with, and asks only what is left", async () => {
  await choose("pipeline");
  llm.behaviour = "stream";
  llm.answer = "Values are dropped at the end of the scope [1].";
  llm.go = new Promise(() => {});
  await demo.ask("When does a scope end?");
  await page.waitForFunction(() => document.querySelector("#answer-text").textContent.startsWith("Values are"));
  await page.click("#stop-button");
  await done();
  assert.equal(await text("#answer-title"), "Stopped");
  await demo.screenshot("ask-stopped");
  llm.go = Promise.resolve();
  await page.click("text=Go on from here");
  await page.waitForFunction(() => document.querySelector("#answer-title").textContent === "Answer" && !document.querySelector("#ask-button").hidden);
  await done();
  assert.match(await text("#answer-text"), /^Values are dropped at the end of the scope 1\./);
});

test("in a thread the next question knows of the last, and the earlier ones are listed above", async () => {
  await option("#keep-thread", true);
  llm.behaviour = "script";
  llm.reply = (body) => (asks(body, "question") ? '{"question": "What happens when a borrowed value is changed?"}' : "It must be mutable [1].");
  await demo.ask("What is borrowing?");
  await done();
  const before = llm.requests.length;
  await demo.ask("And if it is changed?");
  await done();
  const rewriting = llm.requests.slice(before).find(({ body }) => asks(body, "question")).body;
  assert.match(JSON.stringify(rewriting.messages), /What is borrowing\?.*It must be mutable/);
  assert.match(await text("#turns"), /What is borrowing\?/);
  await page.locator("#turns summary").last().click();
  assert.equal(await text("#answer-asked"), "And if it is changed?");
  await demo.screenshot("ask-thread", { fullPage: true });
  await page.click("#new-thread");
  assert.equal(await page.isVisible("#thread"), false);
  assert.equal(await page.isVisible("#answer"), false);
  await option("#keep-thread", false);
  await page.evaluate(() => (document.querySelector("#ask-options").open = false));
});

test("going back shows the question before with its answer, and asks nobody again", async () => {
  llm.reply = () => "The first answer [1].";
  await demo.ask("How are strings indexed?");
  await done();
  llm.reply = () => "The second answer [1].";
  await demo.ask("What is a slice?");
  await done();
  const before = llm.requests.length;
  await page.fill("#question", "something that was only typed");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector("#question").value === "How are strings indexed?");
  await done();
  assert.match(await text("#answer-text"), /^The first answer/);
  await demo.tab("trace");
  await page.goBack();
  await page.goForward();
  await page.goBack();
  assert.match(await text("#answer-text"), /^The first answer/);
  await page.goForward();
  await page.goForward();
  await demo.tab("ask");
  assert.equal(llm.requests.length, before);
});

test("the address keeps question and style, and another page opened with it asks the same", async () => {
  await choose("graph");
  llm.reply = (body) => (asks(body, "calls") ? '{"intent": "fact", "concepts": ["slice"], "calls": [{"tool": "vector_search", "args": {"query": "string slice"}}]}' : asks(body, "status") ? '{"status": "enough", "reason": "it is there"}' : "A view into a string [1].");
  await demo.ask("What is a string slice?");
  await done();
  assert.match(await text("#answer-text"), /^A view into a string/);
  assert.equal(new URL(page.url()).search, "?q=What+is+a+string+slice%3F&style=graph");
  await choose("search");
  await page.reload();
  await page.waitForSelector("#answer-text .cite", { timeout: 60_000 });
  assert.equal(await page.inputValue("#question"), "What is a string slice?");
  assert.ok(await page.isChecked('#styles input[value="graph"]'));
});

test("a budget is kept, and what ran out is told", async () => {
  await demo.useLlm();
  await choose("pipeline");
  await option('#steps input[value="gate"]', true);
  await page.fill('#budget input[name="llmCalls"]', "1");
  await page.press('#budget input[name="llmCalls"]', "Tab");
  llm.behaviour = "script";
  llm.reply = () => "Owners own [1].";
  const before = llm.requests.length;
  await demo.ask(OWNERSHIP);
  await done();
  assert.equal(llm.requests.length - before, 1);
  assert.match(await text("#answer-note"), /The budget ran out \(calls of the model\)/);
  await page.fill('#budget input[name="llmCalls"]', "");
  await page.press('#budget input[name="llmCalls"]', "Tab");
  await option('#steps input[value="gate"]', false);
});

test("on a phone the answer is in view after asking, in the dark as well", async () => {
  await page.evaluate(() => (document.querySelector("#ask-options").open = false));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.evaluate(() => scrollTo(0, 0));
  await demo.ask("What is a hash map?");
  await done();
  await page.waitForFunction(() => {
    const { top } = document.querySelector("#answer-title").getBoundingClientRect();
    return top >= 0 && top < innerHeight * 0.7;
  });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await demo.screenshot("ask-phone-dark", { fullPage: true });
});

test("the page complains of nothing in its console", () => assert.deepEqual(demo.complaints, []));
