// Deletion of the library: nothing remains, even if other work is in progress.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { onAskTab } from "../support/ask-tab.mjs";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { drop, hold, reports } from "../support/files.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

let demo;
let page;
before(async () => {
  demo = await startDemo();
  page = demo.page;
  page.setDefaultTimeout(60_000);
  await page.emulateMedia({ reducedMotion: "reduce" }); // no animations in screenshots
  await useSmallSample(page);
  await demo.open();
});
after(() => demo?.close());

const stats = () => page.evaluate(() => vademecum.stats());
const question = () => page.textContent("dialog.confirm p");
const deleteAll = async () => {
  await page.click('dialog.confirm button:has-text("Delete all")');
  await page.waitForFunction(() => /deleted\./.test(document.querySelector("#storage-told").textContent));
};

test("the conversation that quotes the documents is deleted with them, permanently", async () => {
  await demo.ready();
  await onAskTab(demo).option("#keep-thread", true);
  for (const text of ["Which birds fly without a sound?", "What does the moon do?"]) {
    await demo.ask(text);
    await page.waitForFunction((text) => document.querySelector("#answer-asked").textContent === text && document.querySelector("#answer-text").shadowRoot?.querySelector(".cite"), text);
    await onAskTab(demo).done();
  }
  await page.waitForSelector("#thread:not([hidden])");
  await demo.tab("library");
  await page.focus("#delete-all");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog.confirm[open]");
  assert.match(await question(), /^3 documents and the stored conversation will be permanently deleted from this browser\./);
  await demo.screenshot("library-confirm");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement.id === "delete-all"); // the focus returns to the button
  assert.equal((await stats()).documents, 3);
  await page.keyboard.press("Enter");
  await deleteAll();
  assert.match(await page.textContent("#storage-told"), /^3 documents deleted\. The conversation was deleted as well\.$/);
  await page.waitForFunction(() => document.querySelector("#delete-all").disabled); // after the sizes are updated
  await page.waitForFunction(() => document.activeElement.id === "import"); // the first enabled button
  assert.deepEqual(await page.evaluate(() => vademecum.conversations()), []);
  await demo.tab("ask");
  assert.ok(await page.isHidden("#thread"));
  assert.deepEqual([await page.inputValue("#question"), await page.isHidden("#answer"), new URL(page.url()).hash], ["", true, ""], "the last question is gone with the answer");
  await page.goto(`${ORIGIN}/`);
  await page.waitForSelector("body[data-searchable]");
  await demo.ready();
  assert.deepEqual([await page.isHidden("#thread"), await page.textContent("#turns")], [true, ""]);
});

test("a conversation without documents can also be deleted", async () => {
  await page.evaluate(() => import("./vademecum/index.js").then(({ Agent }) => new Agent(vademecum).conversation({ keep: "ask" }).ask("Is anything here?").result));
  await demo.tab("library");
  await page.click("#delete-all:enabled");
  assert.match(await question(), /^The stored conversation will be permanently deleted/);
  await deleteAll();
  assert.deepEqual(await page.evaluate(() => vademecum.conversations()), []);
});

test("a question to an empty library is told so, and the sample can be added where that is said", async () => {
  await demo.ask("Which birds fly without a sound?");
  await onAskTab(demo).done();
  assert.equal(await page.textContent("#answer-text .body"), "There are no documents yet. Add files, or add the sample again.");
  assert.deepEqual(await page.locator("#answer-actions button").allTextContents(), ["Add files", "Add the sample", "How this was found"]);
  await demo.screenshot("ask-no-documents");
  await page.click("#answer-actions >> text=Add the sample");
  await page.waitForFunction(() => document.querySelector("#storage-told").textContent === "The sample is in the library.");
  await demo.ask("Which birds fly without a sound?");
  await page.waitForSelector("#answer-text .cite");
  await demo.ready();
  await demo.tab("library");
});

test("files that are being added are stopped before everything is deleted, and later ones are new", async () => {
  await drop(page, { "here.md": "# Here" });
  await reports(page);
  const letGo = await hold(page, "slow.md");
  await drop(page, { "here.md": "# Here again", "slow.md": "# Slow", "later.md": "# Later" });
  await page.waitForSelector('#file-reports .adding[data-state="busy"]');
  await page.click("#delete-all:enabled");
  assert.match(await question(), /Files that are being added are stopped\./);
  await deleteAll();
  await letGo();
  assert.equal(await page.locator("#file-reports .adding").count(), 0, "nothing is said to be in that is not");
  assert.equal((await stats()).documents, 0);
  await drop(page, { "here.md": "# Here" });
  assert.deepEqual(await reports(page), ["here.md added: 1 passage."]);
  assert.equal((await stats()).documents, 1);
});

test("deleting a collection stops only the files that are being added to it", async () => {
  await page.selectOption("#collection", { label: "A new collection…" });
  await page.fill("#collection-name", "letters");
  await page.click('#collection-form button[type="submit"]');
  await page.waitForFunction(() => document.querySelector("#collection").value === "letters");
  await drop(page, { "letter.md": "# Letter" });
  await reports(page);
  const letGo = await hold(page, "slow.md");
  await page.selectOption("#collection", "default");
  await drop(page, { "slow.md": "# Slow" });
  await page.selectOption("#collection", "letters");
  await drop(page, { "another.md": "# Another letter" }); // queued behind the slow file
  await page.click('button[aria-label="Delete the collection letters"]');
  assert.match(await question(), /Files that are being added to it are stopped\./);
  await page.click("dialog.confirm button.primary");
  await page.waitForFunction(() => !document.querySelector("#collections").textContent.includes("letters"));
  await letGo();
  assert.deepEqual(await reports(page), ["slow.md added: 1 passage."]);
  const { collections } = await stats();
  assert.deepEqual(["default", "letters"].map((wanted) => collections.find(({ name }) => name === wanted).documents), [2, 0]);
});

test("a reload while files are read says afterwards how many were not added, once", async () => {
  page.on("dialog", (dialog) => dialog.accept()); // the browser asks whether to leave
  await hold(page, "slow.md");
  await drop(page, { "slow.md": "# Slow", "slower.md": "# Slower" });
  await page.waitForSelector('#file-reports li[data-of="reading"]');
  await page.reload();
  await page.waitForFunction(() => document.querySelector("#notice").textContent === "Adding files was interrupted when the page was left: 2 files not added. Add them again.");
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  assert.equal(await page.textContent("#notice"), "");
});

test("no request left the origin, and the console shows no errors", () => {
  assert.deepEqual([demo.origins(), demo.complaints], [[ORIGIN], []]);
});
