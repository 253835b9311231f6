// A language model at an endpoint: complete, streamed, failing, hanging and malformed replies.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { LLM, ORIGIN, startDemo } from "../support/demo.mjs";

const QUESTION = "What are the rules of ownership?";
let demo;
let page;
let llm;

before(async () => {
  demo = await startDemo();
  ({ page, llm } = demo);
  await demo.open();
});
after(() => demo?.close());
beforeEach(() => {
  llm.answer = "Each value has one owner [1]. Nothing else is known [42].";
});

const done = () => page.waitForSelector("#ask-button:not([hidden])");

test("settings refuse an invalid address, in a sentence", async () => {
  await demo.tab("model");
  await page.fill("#endpoint", "localhost");
  await page.click("#save-settings");
  assert.match(await page.textContent("#settings-notice"), /“localhost” is not an address/);
});

test("a reply in one piece becomes an answer, its citation a link, and an invented citation is removed", async () => {
  llm.behaviour = "json";
  await demo.useLlm("secret-key");
  assert.equal(await page.textContent("#llm-name"), "stub-model");
  await demo.ask(QUESTION);
  await done();
  assert.equal(await page.textContent("#answer-text .body"), "Each value has one owner 1. Nothing else is known.");
  assert.match(await page.textContent("#answer-note"), /212 tokens.*do not exist \(42\)/);
  const { path, key, body } = llm.requests.at(-1);
  assert.deepEqual([path, key, body.model, body.stream], ["/v1/chat/completions", "Bearer secret-key", "stub-model", true]);
  assert.match(body.messages.at(-1).content, new RegExp(`Question: ${QUESTION.replace("?", "\\?")}$`));
  await page.click("#answer-text .cite");
  await page.waitForSelector("#reader[open] mark");
  await page.keyboard.press("Escape");
  await demo.screenshot("llm-answer", { fullPage: true });
});

test("the key is in no storage", async () => {
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
  assert.ok(!kept.includes("secret-key"));
});

test("a streamed reply is shown as it arrives", async () => {
  llm.behaviour = "stream";
  llm.answer = "One word after another until the sentence is whole [1].";
  /** @type {any} */ let goOn;
  llm.go = new Promise((resolve) => (goOn = resolve));
  await demo.ask(QUESTION);
  await page.waitForFunction(() => document.querySelector("#answer-text").shadowRoot?.querySelector(".writing")?.textContent === "One word ");
  goOn();
  await done();
  assert.match(await page.textContent("#answer-text .body"), /One word after .* is whole 1\.$/); // behind a quotation: no passage supports it
});

test("a server error is reported, and the documents still answer", async () => {
  llm.behaviour = "fail";
  await demo.ask(QUESTION);
  await done();
  assert.match(await page.textContent("#notice"), /HTTP 500: out of memory\. The server failed; ask again/);
  assert.match(await page.textContent("#answer-note"), /gave no answer; these sentences are quoted from your documents/);
  assert.ok(await page.isVisible("#answer-text .cite"));
  await demo.screenshot("llm-error", { fullPage: true });
});

test("a private document that the model was not shown is mentioned below the answer", async () => {
  llm.requests.length = 0;
  llm.behaviour = "json";
  await page.evaluate(() => vademecum.add([{ id: "rules.md", title: "Rules of our own", text: "# Rules of our own\n\nOur rules of ownership are a secret of this house.", metadata: { neverSend: true } }]));
  await demo.ask(QUESTION);
  await done();
  assert.match(await page.textContent("#answer-note"), /The language model was not shown 1 private document that also matches this question: Rules of our own\./);
  assert.ok(llm.requests.length > 0 && !JSON.stringify(llm.requests).includes("secret of this house"));
  await demo.screenshot("llm-private", { fullPage: true });
  await page.evaluate(() => vademecum.remove(["rules.md"]));
});

test("a wrong key is reported", async () => {
  llm.behaviour = "unauthorised";
  await demo.ask(QUESTION);
  await done();
  assert.match(await page.textContent("#notice"), /HTTP 401: bad key\. Check the API key/);
});

test("a reply that is not a completion is reported with what arrived", async () => {
  llm.behaviour = "text";
  await demo.ask(QUESTION);
  await done();
  assert.match(await page.textContent("#notice"), /expected a chat completion, got <h1>It works!/);
});

test("a hanging server is abandoned when the user stops", async () => {
  llm.behaviour = "hang";
  const gone = llm.gone;
  await demo.ask(QUESTION);
  await page.waitForFunction(() => document.querySelector("#answer-text").shadowRoot?.querySelector(".body").textContent.startsWith("Beginning"));
  await page.click("#stop-button");
  await done();
  assert.equal(await page.textContent("#answer-title"), "Stopped");
  assert.equal(await page.isVisible("#notice"), false);
  for (let wait = 0; wait < 50 && llm.gone === gone; wait++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(llm.gone > gone, "the connection was closed");
});

test("an address without a server is reported with an actionable sentence", async () => {
  await demo.tab("model");
  await page.fill("#endpoint", "http://nobody.test:4321/v1");
  await page.click("#save-settings");
  await demo.ask(QUESTION);
  await done();
  assert.match(await page.textContent("#notice"), /nobody\.test:4321.* could not be reached\. Is it running, and does it allow requests from/);
});

test("only the chosen endpoint was requested", () => {
  assert.deepEqual(demo.origins(), [LLM, "http://nobody.test:4321", ORIGIN].sort());
  const paths = demo.proxy.seen.filter(({ origin }) => origin === LLM).map(({ path }) => path);
  // The page suggests the names of the endpoint's models.
  assert.deepEqual([...new Set(paths)].sort(), ["/v1/chat/completions", "/v1/models"]);
});
