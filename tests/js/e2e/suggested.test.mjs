// Suggested questions of the Ask tab: made of one's own documents, answered by them, and in step with the library.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { onAskTab } from "../support/ask-tab.mjs";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { drop } from "../support/files.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

const LEASE = "# Lease of the mill\n\nThis lease is between the miller and the town.\n\n## Notice period\n\nEither side may end the lease with a notice period of six months.\n\n## Payment terms\n\nThe payment terms are strict: the rent is due on the third of each month.\n";
const STAFF = "name,salary,town\nAda Byron,61000,Ulm\nAlan Turing,58000,Bonn\n";
const OWN = "#examples button.suggested";
let demo;
let page;
let text, done;

before(async () => {
  demo = await startDemo();
  ({ page } = demo);
  ({ text, done } = onAskTab(demo));
  await useSmallSample(page);
  await demo.open();
});
after(() => demo?.close());

const shown = () => page.locator("#examples button:visible").allTextContents();
const isShown = (question) => page.waitForFunction(([own, question]) => [...document.querySelectorAll(own)].some(({ textContent }) => textContent === question), [OWN, question]);

test("the sample's questions give way to questions of one's own documents", async () => {
  assert.equal((await shown()).length, 3);
  assert.equal(await page.locator(OWN).count(), 0);
  await drop(page, { "lease.md": LEASE, "staff.csv": STAFF });
  await demo.ready();
  await demo.tab("ask");
  await isShown("What is the notice period?");
  const offered = await shown();
  assert.ok(offered.length === 2 || offered.length === 3, offered.join("\n"));
  assert.ok(offered.some((question) => /^What is the (salary|town) of A/.test(question)), offered.join("\n"));
  assert.ok(await page.isVisible("#own-told"));
  assert.ok(await page.isHidden("#sample-told"));
  await demo.screenshot("suggested");
});

test("each suggested question is answered from the document that it is about", async () => {
  for (const question of await shown()) {
    await page.click(`${OWN} >> text="${question}"`);
    await page.waitForFunction((asked) => document.getElementById("answer-asked").textContent === asked, question);
    await done();
    assert.ok((await page.locator("#answer-text .cite").count()) > 0, `${question}: ${await text("#answer")}`);
    assert.match(`${await text("#answer")} ${await text("#answer-text .body")}`, /lease|staff|Ada|Alan/i, question);
    await page.click("#new-question");
    await page.waitForSelector(OWN);
  }
});

test("beside a filter, only questions about its documents are offered", async () => {
  const offered = await shown();
  await demo.tab("library");
  await page.click('#library button[aria-label="Ask Lease of the mill"]');
  await page.waitForFunction((own) => document.querySelectorAll(own).length > 0 && [...document.querySelectorAll(own)].every(({ textContent }) => !/A(da|lan)/.test(textContent)), OWN);
  assert.ok(await page.isHidden("#sample-told"));
  await page.click("#filter-clear");
  await isShown(offered.find((question) => /A(da|lan)/.test(question)));
});

test("the next visit shows them before its scripts have run, and nothing moves", async () => {
  const offered = await shown();
  await page.addInitScript(() => {
    globalThis.shifts = [];
    new PerformanceObserver((list) => globalThis.shifts.push(...list.getEntries().map((entry) => /** @type {any} */ (entry).value))).observe({ type: "layout-shift", buffered: true });
  });
  /** @type {any} */ let goOn;
  const held = new Promise((resolve) => (goOn = resolve));
  await page.route("**/main.js", async (route) => (await held, route.continue()));
  await page.goto(`${ORIGIN}/icon.svg`);
  await page.goto(ORIGIN, { waitUntil: "domcontentloaded" });
  await page.waitForSelector(OWN);
  const first = await shown();
  goOn();
  assert.deepEqual(first, offered);
  await demo.ready();
  assert.deepEqual(await page.evaluate(() => globalThis.shifts), []);
  assert.deepEqual(await shown(), offered);
});

test("a document that comes while the tab is in view changes the questions, but neither moves anything nor touches what is typed", async () => {
  await page.evaluate(() => (globalThis.shifts.length = 0));
  const height = await page.evaluate(() => document.getElementById("to-try").offsetHeight);
  // As a folder that is kept in sync adds it: the library tells the tab.
  await page.evaluate(async () => {
    const entry = { id: "tower.md", title: "Tower", format: "markdown", text: "# Tower\n\n## Height of the tower\n\nThe height of the tower is 61 metres, without the flag.\n" };
    const transfer = new DataTransfer();
    transfer.items.add(new File([entry.text], entry.id, { type: "text/markdown" }));
    document.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: transfer }));
  });
  await demo.tab("ask");
  await page.focus("#question");
  await page.keyboard.type("owl");
  await page.waitForSelector("#hits li");
  assert.equal(await page.inputValue("#question"), "owl");
  await page.fill("#question", "");
  await page.waitForFunction((own) => [...document.querySelectorAll(own)].some(({ textContent }) => /tower/i.test(textContent)), OWN);
  assert.equal(await page.evaluate(() => document.getElementById("to-try").offsetHeight), height);
});

test("questions go with their documents, and the sample's come back", async () => {
  await demo.tab("library");
  await page.click('button[aria-label^="Delete the collection"]:not([aria-label*="Rust book"])');
  await page.click("dialog.confirm button.primary");
  await demo.tab("ask");
  await page.waitForFunction((own) => document.querySelectorAll(own).length === 0, OWN);
  assert.equal((await shown()).length, 3);
  assert.ok(await page.isVisible("#sample-told"));
  assert.equal(await page.evaluate(() => localStorage.getItem("vademecum.suggested")), "[]");
});
