// The first minute: what is there before the scripts, what moves, the two ways of asking, the compact field, and earlier questions.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { onAskTab } from "../support/ask-tab.mjs";
import { LLM, ORIGIN, startDemo } from "../support/demo.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

const OWLS = "Why do owls fly without a sound?";
const WIDTHS = [
  { width: 1280, height: 800 },
  { width: 768, height: 900 },
  { width: 390, height: 844 },
  { width: 320, height: 640 },
];
let demo;
let context;
let page;
let text, done, choose;

before(async () => {
  demo = await startDemo();
});
after(() => demo?.close());
// Each test is a first visit.
beforeEach(() => visit(WIDTHS[0]));

async function visit(viewport) {
  await context?.close();
  context = await demo.page.context().browser().newContext({ viewport });
  page = await context.newPage();
  page.setDefaultTimeout(120_000);
  ({ text, done, choose } = onAskTab({ page }));
}

async function open() {
  await useSmallSample(page);
  await page.goto(ORIGIN);
  await page.waitForSelector("body[data-searchable]");
}

async function ask(question) {
  await page.fill("#question", question);
  await page.press("#question", "Enter");
  await page.waitForFunction((asked) => document.getElementById("answer-asked").textContent === asked, question);
  await done();
}

const screenshot = (name) => demo.screenshot(name, {}, page);
const topOf = (selector) => page.evaluate((one) => document.querySelector(one).getBoundingClientRect().top, selector);

/** Collects what moves on the next pages. */
const watch = () =>
  page.addInitScript(() => {
    globalThis.shifts = [];
    const seen = (list) => {
      for (const { value, sources } of list.getEntries()) globalThis.shifts.push(`${value}: ${sources.map(({ node }) => node?.id || node?.parentElement?.id || node?.nodeName).join(", ")}`);
    };
    new PerformanceObserver(seen).observe({ type: "layout-shift", buffered: true });
  });
const ready = () => page.waitForSelector('#status[data-state="ready"]', { timeout: 300_000 });

for (const viewport of WIDTHS) {
  test(`nothing moves while the page starts and learns (${viewport.width} px)`, async () => {
    await visit(viewport);
    await watch();
    await page.goto(ORIGIN);
    await ready();
    assert.deepEqual(await page.evaluate(() => globalThis.shifts), []);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= viewport.width);
    assert.ok((await topOf("#examples")) - (await topOf("#question")) < 160, "the examples are directly below the field");
    await screenshot(`first-${viewport.width}`);
  });
}

for (const viewport of [WIDTHS[0], WIDTHS[2]]) {
  test(`nothing moves on a later visit with a model, another way and earlier questions (${viewport.width} px)`, async () => {
    await visit(viewport);
    await open();
    await ask(OWLS);
    await page.click("#tab-model");
    await page.fill("#endpoint", `${LLM}/v1`);
    await page.fill("#model-name", "stub-model");
    await page.click("#save-settings");
    await page.click("#tab-ask");
    await page.click("#ways label:has-text('Thorough')");
    await page.goto(`${ORIGIN}/icon.svg`);
    await watch();
    await page.goto(ORIGIN);
    await ready();
    assert.deepEqual(await page.evaluate(() => globalThis.shifts), []);
    assert.equal(await text("#promise"), "Your question and the passages found for it are sent to the language model you chose: stub-model at llm.test. Your files stay here.");
    assert.ok(await page.isChecked('#ways input[value="graph"]'));
    assert.ok(await page.isVisible("#recent"));
    await screenshot(`later-${viewport.width}`);
    await page.click("#tab-model");
    await page.click("#forget-llm");
    assert.equal(await text("#promise"), "Private: your files stay in this browser.");
  });
}

test("the promise, the examples and both ways are there before any script, and an example is asked once the page has started", async () => {
  /** @type {any} */ let goOn;
  const held = new Promise((resolve) => (goOn = resolve));
  await page.route("**/main.js", async (route) => (await held, route.continue()));
  await page.goto(ORIGIN, { waitUntil: "domcontentloaded" });
  assert.equal(await text("#promise"), "Private: your files stay in this browser.");
  assert.deepEqual((await page.locator("#ways label").allTextContents()).map((label) => label.trim()), ["Quick", "Thorough"]);
  assert.ok(await page.isHidden("#styles"), "the five styles are behind the options");
  const example = page.locator("#examples button").first();
  const question = await example.textContent();
  await example.click();
  assert.match(await text("#ask-said"), /^Your question will be asked/);
  goOn();
  await page.waitForSelector("#answer-text .cite");
  assert.equal(await text("#answer-asked"), question);
});

/** Starts a first visit whose model comes when `arrive` is called, and asks a question meanwhile. */
async function askedEarly() {
  /** @type {any} */ let arrive;
  const held = new Promise((resolve) => (arrive = resolve));
  await context.route("**/models/**", async (route) => (await held, route.continue()));
  await open();
  await ask(OWLS);
  assert.match(await text("#answer-note"), /still being learned/);
  const run = await page.evaluate(() => history.state.run);
  return { arrive, run };
}

test("what was answered by words alone is asked again by itself once meanings can be searched for", async () => {
  const { arrive, run } = await askedEarly();
  arrive();
  await page.waitForFunction((run) => history.state.run > run, run);
  await page.waitForFunction(() => !/still being learned/.test(document.getElementById("answer-note").textContent));
  assert.equal(await text("#answer-asked"), OWLS);
  assert.match(await text("#answer-text .body"), /edges of their feathers are soft/);
  assert.match((await page.locator("#hits .place").first().getAttribute("title")) ?? "", /meaning$/);
  assert.equal(await page.locator("#answer-actions >> text=Ask again").count(), 0);
});

test("an answer by words alone is renewed without the model that was chosen since", async () => {
  const { arrive, run } = await askedEarly();
  await page.click("#tab-model");
  await page.fill("#endpoint", `${LLM}/v1`);
  await page.fill("#model-name", "stub-model");
  await page.click("#save-settings");
  await page.click("#tab-ask");
  const sent = demo.llm.requests.length;
  arrive();
  await page.waitForFunction((run) => history.state.run > run, run);
  await done();
  assert.equal(demo.llm.requests.length, sent);
  assert.match(await text("#answer-text .body"), /edges of their feathers are soft/);
});

test("an answer by words alone is renewed once a model that had failed is loaded again", async () => {
  await context.route("**/models/**", (route) => route.abort());
  await open();
  await ask(OWLS);
  await page.waitForSelector("#retry:not([hidden])");
  const run = await page.evaluate(() => history.state.run);
  await context.unroute("**/models/**");
  await page.click("#retry");
  await page.focus("#question");
  await page.waitForFunction((run) => history.state.run > run, run);
});

test("an answer by words alone stays for somebody who types already, who can ask again", async () => {
  const { arrive, run } = await askedEarly();
  await page.fill("#question", "bread");
  arrive();
  await page.waitForSelector("#answer-actions >> text=Ask again");
  assert.deepEqual([await page.evaluate(() => history.state.run), await page.inputValue("#question")], [run, "bread"]);
  await screenshot("ask-again");
  await page.click("#answer-actions >> text=Ask again");
  await page.waitForFunction((run) => history.state.run > run, run);
  await done();
  assert.doesNotMatch(await text("#answer-note"), /still being learned/);
  assert.equal(await page.inputValue("#question"), OWLS);
});

test("a first visit loads the page's scripts as bundles, not module by module", async () => {
  await open();
  const scripts = await page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js")).map(({ name }) => name));
  assert.ok(scripts.some((name) => name.endsWith("/main.js")) && scripts.length < 60, scripts.join(" "));
});

test("Thorough answers both parts of a question, and can be chosen below an answer", async () => {
  await open();
  const both = "What does the moon pull, and why do owls fly without a sound?";
  await page.click("#ways label:has-text('Quick')");
  await ask(OWLS);
  assert.match(await page.evaluate(() => location.hash), /style=pipeline$/);
  await page.fill("#question", both);
  await page.press("#question", "Enter");
  await page.waitForFunction((asked) => document.getElementById("answer-asked").textContent === asked, both);
  await done();
  await page.click("#answer-actions >> text=Ask thoroughly");
  await page.waitForFunction(() => location.hash.endsWith("style=graph"));
  await done();
  assert.ok(await page.isChecked('#ways input[value="graph"]'));
  assert.match(await text("#answer-text .body"), /The moon pulls the sea/);
  assert.match(await text("#answer-text .body"), /edges of their feathers are soft/);
  assert.match(await text("#answer-note"), /^Searched (\d+ times|once)/);
  assert.ok(await page.isVisible("#answer-actions >> text=Ask quickly"));
  await page.click("#ways label:has-text('Quick')");
  await ask(OWLS);
  assert.doesNotMatch(await text("#answer-note"), /Searched/);
  await page.click("#answer-actions >> text=Ask thoroughly");
  await page.waitForFunction(() => /Searched .*; the same passages were best\./.test(document.getElementById("answer-note").textContent));
  await demo.screenshot("ask-thoroughly-same");
  await choose("react");
  assert.equal(await text("#ways label:has(input:checked)"), "React", "another style is shown beside them");
  assert.match(await text("#way-line"), /^Without a model a rule searches/);
  await page.click("#ways label:has-text('Quick')");
  assert.ok(await page.isHidden("#other-way"));
});

for (const viewport of [WIDTHS[0], WIDTHS[2]]) {
  test(`an answer begins in the upper third, below a field that stays, and the start is a click away (${viewport.width} px)`, async () => {
    await visit(viewport);
    await open();
    await ask(OWLS);
    assert.ok((await topOf("#answer")) < 267, `${await topOf("#answer")} px`);
    assert.ok((await page.locator("#ask h1").boundingBox()).height <= 1, "the title is there for screen readers alone");
    for (const folded of ["#promise", "#to-try", "#way-line"]) assert.ok(await page.isHidden(`#ask ${folded}`), folded);
    await page.evaluate(() => {
      document.querySelector("#passages").style.minHeight = "200vh";
      scrollTo({ top: 600, behavior: "instant" });
    });
    assert.ok((await topOf("#ask-form")) < 40, "the field is in view");
    await screenshot(`compact-${viewport.width}`);
    await page.click("#new-question");
    assert.ok((await page.locator("#ask h1").boundingBox()).height > 20);
    assert.ok(await page.isHidden("#answer"));
    assert.equal(await page.inputValue("#question"), "");
    assert.equal(await page.evaluate(() => document.activeElement.id), "question");
    assert.equal(await page.evaluate(() => location.hash + location.search), "");
    await page.goBack();
    await page.waitForSelector("#answer:not([hidden])");
    assert.equal(await text("#answer-asked"), OWLS);
    await page.click(".wordmark");
    assert.ok((await page.locator("#ask h1").boundingBox()).height > 20, "the name of the page leads back as well");
  });
}

test("the last questions are offered by the arrow keys and in a list, stay after a reload, and can be forgotten", async () => {
  await open();
  assert.ok(await page.isHidden("#recent"));
  await ask("What rises overnight?");
  await ask(OWLS);
  await page.click("#new-question");
  assert.deepEqual(await page.locator("#recent-list button").allTextContents(), [OWLS, "What rises overnight?"]);
  const pressed = async (key) => {
    await page.press("#question", key);
    return page.inputValue("#question");
  };
  assert.equal(await pressed("ArrowUp"), OWLS);
  assert.equal(await pressed("ArrowUp"), "What rises overnight?");
  assert.equal(await pressed("ArrowUp"), "What rises overnight?");
  assert.equal(await pressed("ArrowDown"), OWLS);
  assert.equal(await pressed("ArrowDown"), "");
  await page.fill("#question", "own text");
  assert.equal(await pressed("ArrowUp"), "own text", "what was typed is not replaced");
  await page.goto(`${ORIGIN}/icon.svg`);
  await open();
  await screenshot("recent-questions");
  await page.click("#recent-list li:nth-child(2) button");
  await page.waitForFunction(() => document.getElementById("answer-asked").textContent === "What rises overnight?");
  await done();
  await page.click("#new-question");
  await page.click("#forget-questions");
  assert.ok(await page.isHidden("#recent"));
  assert.equal(await page.evaluate(() => localStorage.getItem("vademecum.questions")), "[]");
  await page.focus("#question");
  assert.equal(await pressed("ArrowUp"), "");
});

test("a first visit without the sample starts the next one without its examples", async () => {
  await open();
  await page.click("#tab-library");
  await page.click('button[aria-label="Delete the collection The Rust book, chapters 4, 8 and 9"]');
  await page.click("dialog.confirm button.primary");
  await page.waitForFunction(() => document.querySelector("#library-size").textContent === "empty");
  await page.route("**/main.js", (route) => route.abort());
  await page.goto(`${ORIGIN}/icon.svg`);
  await page.goto(ORIGIN, { waitUntil: "domcontentloaded" });
  assert.ok(await page.isHidden("#examples"));
  assert.ok(await page.isVisible("#ask-add"));
});
