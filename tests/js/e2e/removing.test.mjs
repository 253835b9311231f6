// Removed documents can be restored for some seconds; after that, or when the page is closed, they are deleted.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { onAskTab } from "../support/ask-tab.mjs";
import { startDemo } from "../support/demo.mjs";
import { drop, reports } from "../support/files.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

let demo;
let page;
before(async () => {
  demo = await startDemo();
  page = demo.page;
  page.setDefaultTimeout(60_000);
  await useSmallSample(page);
  await demo.open("/#library");
  await drop(page, { "kept.md": "# Kept\n\nThe kestrel of Quandry nests in May." });
  await reports(page);
  await demo.ready();
});
after(() => demo?.close());

const stats = () => page.evaluate(() => vademecum.stats());
const isThere = (id) => page.evaluate((id) => vademecum.document(id).then(() => true, () => false), id);
const remove = (title) => page.click(`#documents .remove[aria-label="Remove ${title}"]`);
const focused = () => page.evaluate(() => document.activeElement.textContent || document.activeElement.id);
const TOAST = "#toasts .toast";
/** Moves the pointer off the undo button, because hovering postpones the deletion. */
const leave = () => page.mouse.move(0, 0);

test("undoing a removal restores a document with its metadata, and nothing is embedded again", async () => {
  const before = await page.evaluate(() => vademecum.document("kept.md"));
  await page.focus('#documents .remove[aria-label="Remove Kept"]');
  await page.keyboard.press("Enter");
  await page.waitForSelector(TOAST);
  assert.equal(await page.textContent(`${TOAST} p`), "Removed Kept.");
  assert.equal(await page.textContent("#documents-said"), "Kept was removed. You can undo this for a few seconds.");
  await page.waitForFunction(() => !document.querySelector('#documents .remove[aria-label="Remove Kept"]'));
  assert.equal(await focused(), "Undo");
  await demo.screenshot("library-removed", { fullPage: true });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await demo.screenshot("library-removed-phone-dark", { fullPage: true });
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
  await page.keyboard.press("Enter");
  await page.waitForSelector('#documents .remove[aria-label="Remove Kept"]');
  assert.equal(await focused(), "Remove");
  assert.deepEqual(await page.evaluate(() => vademecum.document("kept.md")), before);
  assert.equal((await stats()).pending, 0);
  assert.deepEqual(await page.evaluate(() => JSON.parse(localStorage.getItem("vademecum.removing"))), []);
});

test("a document stays removed unless this is undone within some seconds", async () => {
  await drop(page, { "gone.md": "# Gone\n\nThe gannet of Quandry dives." });
  await reports(page);
  await remove("Gone");
  await page.hover(`${TOAST} button`);
  assert.ok(await isThere("gone.md"));
  await page.waitForTimeout(11_000);
  assert.ok(await isThere("gone.md"), "the pointer is still upon Undo");
  await leave();
  await page.waitForSelector(TOAST, { state: "detached" });
  assert.equal(await isThere("gone.md"), false);
});

test("all rows of a table are removed together, and restored together", async () => {
  await drop(page, { "birds.csv": "name,nest\nKite,tree\nSwift,wall\nWren,hedge\n" });
  await reports(page);
  const { documents } = await stats();
  await page.click('#documents .remove[aria-label="Remove birds.csv"]');
  await page.waitForFunction(() => !document.querySelector("#documents").textContent.includes("birds.csv"));
  assert.doesNotMatch(await page.textContent("#library-size"), /row/);
  await page.click(`${TOAST} button`);
  await page.waitForSelector('#documents .remove[aria-label="Remove birds.csv"]');
  assert.match(await page.textContent("#library-size"), /, 3 rows, /);
  assert.equal((await stats()).documents, documents);
  await page.click('#documents .remove[aria-label="Remove birds.csv"]');
  await page.waitForSelector(TOAST);
  await demo.tab("ask"); // ends the time for undo
  await demo.tab("library");
  await page.waitForFunction((before) => vademecum.stats().then((now) => now.documents === before - 3), documents);
});

test("a question asked meanwhile does not find it", async () => {
  await drop(page, { "asked.md": "# Asked\n\nThe ibis of Quandry is violet." });
  await reports(page);
  await remove("Asked");
  await demo.ask("Which colour has the ibis of Quandry?");
  await onAskTab(demo).done();
  assert.doesNotMatch(await page.textContent("#ask"), /is violet/);
  await demo.tab("library");
  assert.equal(await page.locator(TOAST).count(), 0);
});

test("a document of the same name added meanwhile stays", async () => {
  await drop(page, { "again.md": "# Again\n\nThe first text." });
  await reports(page);
  await remove("Again");
  await drop(page, { "again.md": "# Again\n\nThe second text." });
  await reports(page);
  await leave();
  await page.waitForTimeout(11_000);
  assert.match((await page.evaluate(() => vademecum.document("again.md"))).text, /The second text/);
});

test("if the page is left meanwhile, the document, and no other, is gone at the next visit", async () => {
  const { documents } = await stats();
  await remove("Again");
  await page.waitForSelector(TOAST);
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  assert.deepEqual([await isThere("again.md"), await isThere("kept.md"), (await stats()).documents], [false, true, documents - 1]);
  // Also if the page has no time to act, as when the browser is killed.
  await page.evaluate(() => localStorage.setItem("vademecum.removing", JSON.stringify([["default", "kept.md"], ["nowhere", "a"]])));
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  assert.deepEqual([await isThere("kept.md"), (await stats()).documents], [false, documents - 2]);
});

test("the console shows no errors", () => assert.deepEqual(demo.complaints, []));
