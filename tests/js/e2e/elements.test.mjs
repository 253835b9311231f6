// The package's elements on a page of other people, in Chromium, under a strict policy and with the real model.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startDemo, untilTrue } from "../support/demo.mjs";
import { elementPage, filledElements, PETS, violations } from "../support/element-page.mjs";
import { startHost } from "../support/part-host.mjs";
import { documents, filled, published } from "../support/parts-library.mjs";

const HOST = "http://parts.test";

let demo;
let page;
let made;
let host;

before(async () => {
  const kb = await filled(documents(40));
  made = await published(kb);
  await kb.close();
  host = await startHost(made.files);
  demo = await startDemo({ policy: false, routes: { "parts.test": host.address } });
  page = demo.page;
});
after(async () => {
  await demo?.close();
  host?.close();
  await made?.remove();
});
beforeEach(() => {
  demo.complaints.length = 0;
  host.reset();
});

const events = (name) => page.evaluate((name) => told.filter(([one]) => one === name).map(([, detail]) => detail), name);
/** Returns tag, class and text of what has the focus, in shadow trees as well. */
const focused = () =>
  page.evaluate(() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return `${at?.localName}.${at?.className} ${at?.textContent}`;
  });
const search = "vademecum-search";
const options = () => page.locator(`${search} [role=option]`);

test("hits are listed while one types, with the words marked, and chosen by keys", async () => {
  await elementPage(page, "<vademecum-search limit='5'></vademecum-search>");
  await filledElements(page);
  const field = page.getByRole("combobox", { name: "Search" });
  await field.pressSequentially("pur");
  await options().first().waitFor();
  assert.deepEqual(await page.locator(`${search} mark`).allTextContents(), ["purr"], "an unfinished word is marked as the word that it begins");
  assert.equal(await field.getAttribute("aria-expanded"), "true");
  await field.press("ArrowDown");
  const active = await field.getAttribute("aria-activedescendant");
  assert.equal(await page.locator(`${search} [aria-selected=true]`).getAttribute("id"), active);
  assert.deepEqual(await violations(page), []);
  await demo.screenshot("elements-search");
  await field.press("Enter");
  const [{ hit, query }] = await events("select");
  assert.deepEqual([hit.docId, query], ["cats.md", "pur"]);
  assert.equal(await field.getAttribute("aria-expanded"), "false");
  await field.press("ArrowDown");
  assert.equal(await field.getAttribute("aria-expanded"), "true", "an arrow opens the list again");
  await field.press("Escape");
  assert.equal(await field.getAttribute("aria-expanded"), "false");
  assert.equal(await field.inputValue(), "pur", "the first Escape keeps the text");
  assert.deepEqual(demo.complaints, [], "the strict policy was not violated");
});

test("a search by meaning finds other words, and attributes limit it", async () => {
  await elementPage(page, "<vademecum-search mode='vector' limit='1' placeholder='Pets' label='Search pets'></vademecum-search>");
  await filledElements(page, PETS, true);
  await page.getByRole("combobox", { name: "Search pets" }).fill("a happy kitten's noise");
  await options().first().waitFor();
  assert.equal(await options().count(), 1);
  assert.match(await options().first().textContent(), /^Cats/);
});

test("only the last of several fast searches is shown, and an error is told with its message", async () => {
  await elementPage(page, "<vademecum-search></vademecum-search>");
  await filledElements(page);
  await page.evaluate(() => {
    const signals = (globalThis.seen = []);
    const own = { async search(query, { signal }) {
      signals.push([query, signal]);
      await new Promise((resolve) => setTimeout(resolve, query === "first" ? 400 : 20));
      if (query === "broken") throw Object.assign(new Error("The shelf is empty."), { code: "mine" });
      return { hits: [{ id: query, docId: query, collection: "default", title: query, text: query, headings: [], page: null, span: { start: 0, end: 1 } }] };
    } };
    /** @type {any} */ (document.querySelector("vademecum-search")).source = own;
  });
  const field = page.getByRole("combobox");
  await field.fill("first");
  await untilTrue(page, () => seen.length === 1);
  await field.fill("second");
  await options().first().waitFor();
  await page.waitForTimeout(500);
  assert.deepEqual(await options().allTextContents(), ["secondsecond"]);
  assert.deepEqual(await page.evaluate(() => seen.map(([query, signal]) => [query, signal.aborted])), [["first", true], ["second", false]]);
  await field.fill("broken");
  await page.locator(`${search} [role=alert]`).waitFor();
  assert.equal(await page.locator(`${search} [role=alert]`).textContent(), "The shelf is empty.");
  assert.equal((await events("error")).length, 1);
  assert.equal(await options().count(), 0);
});

test("what is typed before there is a source is searched when it is set, and a source that does not come is an error after a second", async () => {
  await elementPage(page, "<vademecum-search></vademecum-search>");
  await filledElements(page);
  await page.evaluate(() => Object.assign(document.querySelector("vademecum-search"), { source: null }));
  await page.getByRole("combobox").fill("purr");
  await page.getByText("Loading…").waitFor();
  await page.evaluate(() => Object.assign(document.querySelector("vademecum-search"), { source: /** @type {any} */ (globalThis).kb }));
  await options().first().waitFor();
  await page.waitForTimeout(1200);
  assert.ok(await page.locator(`${search} [role=alert]`).isHidden());
  await page.evaluate(() => Object.assign(document.querySelector("vademecum-search"), { source: null }));
  await page.getByRole("combobox").fill("walk");
  await page.locator(`${search} [role=alert]`).waitFor();
  assert.match(await page.locator(`${search} [role=alert]`).textContent(), /Set the property `source`/);
});

test("a search that a move of the element ends is made again", async () => {
  await elementPage(page, "<div id='here'><vademecum-search></vademecum-search></div><div id='there'></div>");
  await filledElements(page);
  const value = await page.evaluate(async () => {
    const element = /** @type {any} */ (document.querySelector("vademecum-search"));
    const [own, calls] = [element.source, []];
    element.source = { search: (query, options) => (calls.push(query), calls.length === 1 ? new Promise(() => {}) : own.search(query, options)) };
    element.value = "purr";
    await new Promise((resolve) => setTimeout(resolve, 600));
    const status = element.shadowRoot.querySelector("[role=status]");
    const before = status.textContent;
    element.remove();
    const between = status.textContent;
    document.getElementById("there").append(element);
    return [before, between];
  });
  assert.deepEqual(value, ["Searching…", ""]);
  await page.getByText("1 passage").waitFor();
});

test("a library in parts is attached by its address at the first focus, and not before", async () => {
  await elementPage(page, `<vademecum-search src="${HOST}/manifest.json"></vademecum-search>`);
  await filledElements(page, []);
  await page.evaluate(() => Object.assign(document.querySelector("vademecum-search"), { source: null }));
  await page.waitForTimeout(300);
  assert.equal(host.seen.length, 0);
  const field = page.getByRole("combobox");
  await field.focus();
  await untilTrue(page, () => performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/vademecum/parts.js")));
  await field.pressSequentially("lighthouse");
  await options().first().waitFor();
  assert.ok(host.seen.some(({ path }) => path === "/manifest.json"));
  await page.evaluate(() => document.querySelector("vademecum-search").setAttribute("src", "http://parts.test/none.json"));
  await field.fill("harbour");
  await page.locator(`${search} [role=alert]`).waitFor();
});

test("properties that were set before the element was defined are kept, and moving it keeps what it shows", async () => {
  await elementPage(page, "<div id='here'><vademecum-search></vademecum-search></div><div id='there'></div>");
  await page.evaluate(() => {
    const element = /** @type {any} */ (document.querySelector("vademecum-search"));
    element.labels = { search: "Look up" };
    element.options = { limit: 1 };
    element.source = { search: async (query, { limit }) => ({ hits: [{ docId: "a", collection: "default", title: `${query} ${limit}`, text: "text", headings: [], span: { start: 0, end: 1 } }] }) };
  });
  await filledElements(page);
  await page.getByRole("combobox", { name: "Look up" }).fill("early");
  await options().first().waitFor();
  assert.match(await options().first().textContent(), /^early 1/);
  await page.evaluate(() => document.getElementById("there").append(document.querySelector("vademecum-search")));
  await page.getByRole("combobox", { name: "Look up" }).fill("moved");
  await page.locator(`${search} [role=option]`, { hasText: "moved 1" }).waitFor();
  const styled = await page.evaluate(async () => {
    const frame = document.body.appendChild(document.createElement("iframe"));
    const element = document.querySelector("vademecum-search");
    frame.contentDocument.body.append(element); // adopted sheets are dropped by the move
    const { length } = element.shadowRoot.adoptedStyleSheets;
    document.getElementById("here").append(element);
    return [length, element.shadowRoot.adoptedStyleSheets.length, getComputedStyle(element).display];
  });
  assert.deepEqual(styled, [1, 1, "block"]);
});

test("an answer without a model is quoted in cards, whose source opens the reader at the words", async () => {
  await elementPage(page, "<vademecum-ask reader='reader'></vademecum-ask><vademecum-reader id='reader'></vademecum-reader>");
  await filledElements(page);
  await page.getByRole("textbox", { name: "Your question" }).fill("When do cats purr?");
  await page.getByRole("button", { name: "Ask" }).click();
  await page.getByText("From the documents, word for word").waitFor();
  assert.match(await page.locator("vademecum-ask .quote mark.quoted").first().textContent(), /^Cats purr when they are content\.$/);
  assert.match(await page.locator("vademecum-ask .quote .words").first().textContent(), /^Cats purr when they are content\. A cat sleeps for sixteen hours a day\.$/, "with what surrounds it");
  const [{ result }] = await events("answer");
  assert.equal(result.answeredBy, "rule");
  const status = page.getByRole("status").filter({ hasText: "The answer is there." });
  assert.deepEqual(await status.evaluate((one) => [one.innerText, ...[...one.children].map((child) => [child.clientWidth, getComputedStyle(child).clipPath])]), ["The answer is there.", [1, "inset(50%)"]], "for screen readers alone");
  await page.locator("vademecum-ask .quote .cite").first().click();
  await page.locator("vademecum-reader mark.quoted").waitFor();
  assert.match(await page.locator("vademecum-reader mark.quoted").textContent(), /^Cats purr when they are content\.?$/);
  assert.equal((await events("open"))[0].docId, "cats.md");
  assert.deepEqual(await violations(page), []);
  await demo.screenshot("elements-answer");
  await page.getByRole("button", { name: "Close" }).click();
  assert.equal(await page.locator("vademecum-reader").isVisible(), false);
  assert.equal((await events("close")).length, 1);
  assert.match(await focused(), /^button\.cite \[1\]/, "the focus is back where the reader was opened");
  assert.deepEqual(demo.complaints, []);
});

test("a question that the documents do not answer is said to have no answer, with the nearest passages", async () => {
  await elementPage(page, "<vademecum-ask></vademecum-ask>");
  await filledElements(page, PETS, true);
  await page.getByRole("textbox").fill("Who won the world cup of 2022?");
  await page.getByRole("textbox").press("Enter");
  await page.getByRole("heading", { name: "No answer found in the documents." }).waitFor();
  assert.equal(await page.locator("vademecum-ask [role=status]").textContent(), "No answer found in the documents.", "it is announced");
  assert.equal(await page.locator("vademecum-ask .quote").count(), 0);
  assert.deepEqual(await violations(page), []);
});

test("without an answer, the sentence that comes nearest is emphasised in its passage", async () => {
  await elementPage(page, "<vademecum-ask></vademecum-ask>");
  await filledElements(page, PETS, true);
  await page.getByRole("textbox").fill("What does a dog walk cost?");
  await page.getByRole("textbox").press("Enter");
  await page.getByRole("heading", { name: "No answer found in the documents." }).waitFor();
  assert.match(await page.locator("vademecum-ask strong").textContent(), /^Dogs need a walk twice a day\.$/);
});

test("an answer by a model streams, can be stopped, and a failure is said with its message", async () => {
  await elementPage(page, "<vademecum-ask></vademecum-ask>");
  await filledElements(page);
  await page.evaluate(() => {
    const element = /** @type {any} */ (document.querySelector("vademecum-ask"));
    element.llm = async function* (request, { signal }) {
      const [, number] = request.messages.at(-1).content.match(/\[(\d+)\] Cats/);
      yield "Cats purr ";
      if (!globalThis.letGo) await new Promise((resolve, reject) => {
        globalThis.letGo = resolve;
        signal.addEventListener("abort", () => reject(signal.reason));
      });
      yield `when they are content [${number}].`;
    };
  });
  const field = page.getByRole("textbox");
  await field.fill("When do cats purr?");
  await field.press("Enter");
  await page.getByText("Cats purr", { exact: true }).waitFor();
  assert.equal(await page.locator("vademecum-ask .answer").getAttribute("aria-busy"), "true");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped.").waitFor();
  assert.match(await focused(), /^input/);
  assert.equal((await page.locator("vademecum-ask .text").textContent()).trim(), "Cats purr", "what was written stays");
  await field.press("Enter");
  await page.locator("vademecum-ask .cite").waitFor();
  assert.equal(await page.locator("vademecum-ask .text").textContent(), "Cats purr when they are content [1].");
  await page.locator("vademecum-ask .cite").click();
  const [{ docId, citation }] = await events("open");
  assert.deepEqual([docId, citation.docId], ["cats.md", "cats.md"]);
  assert.deepEqual(await violations(page), []);
  await page.evaluate(() => {
    const element = /** @type {any} */ (document.querySelector("vademecum-ask"));
    element.llm = () => Promise.reject(new Error("The server is away."));
  });
  await field.press("Enter");
  await page.getByText("The server is away.").waitFor();
  assert.match(await page.locator("vademecum-ask .note").textContent(), /so the documents are quoted/);
  await page.evaluate(() => Object.assign(document.querySelector("vademecum-ask"), { source: null }));
  await field.press("Enter");
  await page.locator("vademecum-ask [role=alert]:visible").waitFor();
  assert.match(await page.locator("vademecum-ask [role=alert]").textContent(), /Set the property `source`/);
});

const PUMP = "# Pump\n\nThe pump needs care.\n\n## Limits\n\nThe **quorndle** valve opens at `7 bar`.\n\n| Place | Limit |\n|---|--:|\n| quorndle hall | 9 bar |\n\n```sh\nquorndle --reset\n```\n";
const RICH = [
  { id: "pump.md", title: "Pump", text: PUMP },
  { id: "birds.csv#1", title: "Swift", text: "name: Swift\nnest: wall\nnote: long\nbill", metadata: { type: "csv", file: "birds.csv", name: "Swift", nest: "wall", note: "long\nbill" } },
  { id: "talk", title: "Talk", text: "Opening words\fFlimmerquist ends", metadata: { type: "pptx" } },
];

test("the reader formats Markdown, tables, code, records and slides, with the passage and the quoted words in their places", async () => {
  await elementPage(page, "<vademecum-reader></vademecum-reader>");
  await filledElements(page, RICH);
  const open = (place) => page.evaluate((place) => /** @type {any} */ (document.querySelector("vademecum-reader")).open(place), place);
  const inside = (selector) => page.locator(`vademecum-reader .text ${selector}`).allTextContents();
  const at = (words) => ({ start: PUMP.indexOf(words), end: PUMP.indexOf(words) + words.length });
  await open({ docId: "pump.md", span: { start: PUMP.indexOf("## Limits"), end: PUMP.length }, quote: at("quorndle** valve opens at `7 bar") });
  assert.deepEqual(await inside("strong mark.quoted"), ["quorndle"]);
  assert.deepEqual(await inside("mark.quoted"), ["quorndle", " valve opens at ", "7 bar"]);
  assert.deepEqual(await inside("td mark"), ["quorndle hall", "9 bar"]);
  assert.deepEqual(await inside("pre mark"), ["quorndle --reset"]);
  assert.deepEqual(await inside(":is(h3, h4)"), ["Pump", "Limits"]);
  assert.doesNotMatch(await page.locator("vademecum-reader .text").textContent(), /\*\*|\|---|```|## /);
  assert.equal(await page.locator("vademecum-reader td").last().evaluate((cell) => getComputedStyle(cell).textAlign), "end");
  assert.deepEqual(await violations(page), []);
  await demo.screenshot("elements-reader");
  await open({ docId: "birds.csv#1" });
  assert.deepEqual([await inside("dt"), await inside("dd")], [["name: ", "nest: ", "note: "], ["Swift", "wall", "long\nbill"]]);
  await open({ docId: "talk" });
  assert.deepEqual(await page.locator("vademecum-reader .page-break").evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel)), ["Slide 1", "Slide 2"]);
  assert.deepEqual(demo.complaints, []);
});

test("a model's answer is shown as Markdown with its table while it streams and afterwards, and what nothing supports is marked", async () => {
  await elementPage(page, "<vademecum-ask></vademecum-ask>");
  await filledElements(page);
  await page.evaluate(() => {
    const element = /** @type {any} */ (document.querySelector("vademecum-ask"));
    element.llm = async function* (request) {
      const [, number] = request.messages.at(-1).content.match(/\[(\d+)\] Cats/);
      yield `Cats **purr** when they are content [${number}].\n\n| animal | sleeps |\n|---|---|\n`;
      await new Promise((resolve) => (globalThis.letGo = resolve));
      yield `| cat | sixteen hours [${number}] |\n| wombat | forty hours |\n`;
    };
  });
  await page.getByRole("textbox").fill("When do cats purr?");
  await page.getByRole("textbox").press("Enter");
  await page.locator("vademecum-ask th").first().waitFor();
  assert.deepEqual(await page.locator("vademecum-ask strong").allTextContents(), ["purr"], "formatted while it is written");
  await page.evaluate(() => /** @type {any} */ (globalThis).letGo());
  await page.locator("vademecum-ask .sources").waitFor();
  assert.deepEqual(await page.locator("vademecum-ask tbody tr").allTextContents(), ["catsixteen hours [1]", "wombatforty hours"]);
  assert.deepEqual(await page.locator("vademecum-ask .unsupported-row td:first-child").allTextContents(), ["wombat"]);
  assert.deepEqual(await page.locator("vademecum-ask .sources .number").allTextContents(), ["[1]"]);
  assert.deepEqual(await violations(page), []);
  await demo.screenshot("elements-answer-model");
});

test("an answer of the page's own run is shown while it is written and as its result, and opens the reader that it names", async () => {
  await elementPage(page, "<vademecum-answer live reader='reader'><p>Between</p></vademecum-answer><vademecum-reader id='reader'><p slot='about'>Of 2024</p><p>Before the text</p></vademecum-reader>");
  await filledElements(page);
  const state = () => page.locator("vademecum-answer .body").evaluate((body) => [body.textContent, body.ariaBusy, body.ariaLive]);
  await page.evaluate(() => Object.assign(document.querySelector("vademecum-answer"), { written: "Cats **pu" }));
  assert.deepEqual(await state(), ["Cats pu", "true", "polite"]);
  await page.evaluate(async () => {
    const { Agent } = await import(`${location.origin}/vademecum/index.js`);
    const element = /** @type {any} */ (document.querySelector("vademecum-answer"));
    element.source = kb;
    element.result = await new Agent(kb).pipeline("When do cats purr?").search().answer().ground().run({}).result;
  });
  await page.locator("vademecum-answer .quote").waitFor();
  assert.deepEqual((await state()).slice(1), ["false", "polite"]);
  assert.equal(await page.locator("vademecum-answer .source").textContent(), "Cats");
  await page.locator("vademecum-answer .cite").click();
  assert.equal(await page.locator("vademecum-reader mark.quoted").textContent(), "Cats purr when they are content.");
  assert.deepEqual([(await events("open"))[0].docId, await page.getByText("Of 2024").isVisible(), await page.getByText("Before the text").isVisible()], ["cats.md", true, true]);
  const answer = { answer: "It is **so** [7].", answeredBy: "llm", citations: [{ number: 7, at: { start: 13, end: 16 }, collection: "default", docId: "dogs.md", title: "Dogs", headings: [], page: null, span: { start: 8, end: 45 }, quote: null }] };
  await page.evaluate((answer) => Object.assign(document.querySelector("vademecum-answer"), { result: answer }), answer);
  await page.locator("vademecum-answer strong").waitFor();
  assert.deepEqual([(await state())[0], await page.locator("vademecum-answer .sources button").allTextContents()], ["It is so [1].", ["[1] Dogs"]]);
  assert.deepEqual(await violations(page), []);
  await page.evaluate(() => Object.assign(document.querySelector("vademecum-answer"), { result: null }));
  await page.locator("vademecum-answer .body").waitFor({ state: "hidden" });
  assert.deepEqual(demo.complaints, []);
});

test("a question back is announced, and a reply that fails leaves the next one a reply", async () => {
  await elementPage(page, "<vademecum-ask></vademecum-ask>");
  await filledElements(page);
  await page.evaluate(() => {
    const result = { terminatedBy: "clarify", clarification: { question: "Which year?", options: [{ label: "2023" }] }, state: { not: "a state" }, answer: null, abstained: false, citations: [], error: null };
    const run = () => ((globalThis.began = (globalThis.began ?? 0) + 1), { result: Promise.resolve(result), async *[Symbol.asyncIterator]() {} });
    Object.assign(document.querySelector("vademecum-ask"), { options: { run } });
  });
  const field = page.getByRole("textbox");
  await field.fill("How much?");
  await field.press("Enter");
  await page.getByRole("heading", { name: "Which year?" }).waitFor();
  assert.equal(await page.locator("vademecum-ask [role=status]").textContent(), "Which year?");
  await page.getByRole("button", { name: "2023" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("vademecum-ask [role=alert]:visible").waitFor();
  assert.match(await focused(), /^input/, "the button is gone");
  await field.press("Enter");
  await untilTrue(page, () => told.filter(([name]) => name === "error").length === 2);
  assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).began), 1);
});

test("text of documents is never HTML, and a document that is gone is said to be", async () => {
  await elementPage(page, "<vademecum-search></vademecum-search><vademecum-reader></vademecum-reader>");
  await filledElements(page);
  await page.getByRole("combobox").fill("fish");
  await options().first().waitFor();
  assert.match(await options().first().textContent(), /<img src=x/);
  const open = (place) => page.evaluate((place) => /** @type {any} */ (document.querySelector("vademecum-reader")).open(place), place);
  assert.equal(await open({ docId: "cats.md", span: { start: 0, end: 6 } }), true);
  assert.match(await page.locator("vademecum-reader .text").textContent(), /<img src=x/);
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).broken), undefined);
  assert.equal(await open({ docId: "none.md" }), false);
  assert.match(await page.locator("vademecum-reader [role=alert]").textContent(), /none\.md/);
});

test("colours may be those of variables of the page, whatever their names", async () => {
  await elementPage(page, "<vademecum-ask></vademecum-ask><vademecum-hits></vademecum-hits>");
  await filledElements(page);
  const colours = await page.evaluate(() => {
    const names = { accent: "accent", text: "ink", border: "line", background: "back", muted: "quiet" };
    const element = /** @type {any} */ (document.querySelector("vademecum-ask"));
    for (const [own, name] of Object.entries(names)) {
      document.documentElement.style.setProperty(`--${name}`, "rgb(1, 2, 3)");
      element.style.setProperty(`--vademecum-${own}`, `var(--${name})`);
    }
    const style = getComputedStyle(element.shadowRoot.querySelector(".field"));
    return [style.color, style.borderTopColor, style.backgroundColor];
  });
  assert.deepEqual(colours, ["rgb(1, 2, 3)", "rgb(1, 2, 3)", "rgb(1, 2, 3)"]);
});

test("hits are grouped by document, formatted, and opened, with what the page says of them", async () => {
  await elementPage(page, "<vademecum-hits reader='reader'></vademecum-hits><vademecum-reader id='reader'></vademecum-reader>");
  await filledElements(page, RICH);
  await page.evaluate(async () => {
    const element = /** @type {any} */ (document.querySelector("vademecum-hits"));
    const query = "quorndle valve";
    element.describe = (hit) => ({ notes: [`of ${hit.docId}`], title: "Found by words" });
    Object.assign(element, { query, hits: (await kb.search(query)).hits });
  });
  const first = page.locator("vademecum-hits .found-in").first();
  assert.match(await first.locator(".path").textContent(), /^Pumpof pump\.md$/);
  assert.deepEqual(await first.locator("strong mark").allTextContents(), ["quorndle"]);
  assert.equal(await first.locator("td").first().textContent(), "quorndle hall");
  assert.equal(await first.locator(".place").first().getAttribute("title"), "Found by words");
  assert.deepEqual(await violations(page), []);
  await demo.screenshot("elements-hits");
  await first.locator(".path").click();
  assert.doesNotMatch(await focused(), /^button/, "a click that opens nothing leads to no button");
  await first.locator(".hit").first().click(); // all of the passage opens the document
  await page.locator("vademecum-reader mark").first().waitFor();
  assert.equal((await events("open"))[0].hit.docId, "pump.md");
});

test("hits that are replaced while one is pressed are drawn when it is released, and the pressed one opens", async () => {
  await elementPage(page, "<vademecum-hits reader='reader'></vademecum-hits><vademecum-reader id='reader'></vademecum-reader>");
  await filledElements(page, RICH);
  const list = (query) =>
    page.evaluate(async (query) => {
      const { hits } = await kb.search(query);
      Object.assign(document.querySelector("vademecum-hits"), { query, hits });
      return hits[0].docId;
    }, query);
  await list("quorndle valve");
  const hit = page.locator("vademecum-hits .hit").first();
  await hit.hover();
  await page.mouse.down();
  const [pressed, other] = [await hit.textContent(), await list("hall")];
  assert.equal(await hit.textContent(), pressed);
  await page.mouse.up();
  await page.locator("vademecum-reader mark").first().waitFor();
  assert.equal((await events("open"))[0].hit.docId, "pump.md");
  assert.ok(other);
  await page.waitForFunction(() => document.querySelector("vademecum-hits").shadowRoot.querySelector("mark").textContent === "hall");
});

test("the texts are those of the page's language", async () => {
  await elementPage(page, "<vademecum-search></vademecum-search><vademecum-ask></vademecum-ask><vademecum-search id='fr' lang='fr'></vademecum-search>", "de-AT");
  await filledElements(page);
  await page.getByRole("textbox", { name: "Ihre Frage" }).fill("Who won the world cup?");
  await page.getByRole("button", { name: "Fragen" }).click();
  await page.getByRole("heading", { name: "In den Dokumenten steht keine Antwort." }).waitFor();
  const named = (selector) => page.locator(`${selector} input`).getAttribute("aria-label");
  assert.deepEqual([await named("vademecum-search:not([lang])"), await named("#fr")], ["Suche", "Search"], "English where a language is not built in");
  await page.evaluate(() => document.getElementById("fr").setAttribute("lang", "de"));
  assert.equal(await named("#fr"), "Suche");
});

test("on a narrow phone and in dark mode nothing is wider than the screen", async () => {
  await page.setViewportSize({ width: 320, height: 720 });
  await page.emulateMedia({ colorScheme: "dark" });
  await elementPage(page, "<vademecum-search></vademecum-search><vademecum-ask reader='reader'></vademecum-ask><vademecum-reader id='reader'></vademecum-reader>");
  await filledElements(page, [...PETS, { id: "long.md", title: "Averylongnamewithoutanyspace".repeat(4), text: `Cats purr in ${"unbroken".repeat(40)} words.` }]);
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
  await page.getByRole("textbox").fill("When do cats purr?");
  await page.getByRole("textbox").press("Enter");
  await page.locator("vademecum-ask .quote .cite").first().click();
  await page.locator("vademecum-reader mark").first().waitFor();
  assert.ok((await wide()) <= 320);
  await demo.screenshot("elements-phone-dark", { fullPage: true });
  await page.getByRole("combobox").fill("cats");
  await options().nth(1).waitFor();
  assert.ok((await wide()) <= 320);
  await demo.screenshot("elements-phone-dark-search");
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
});
