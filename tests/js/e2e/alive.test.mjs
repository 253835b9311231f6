// What browsers do to an open page: they freeze its tab, clear its storage, and keep it for going back. Nothing is lost, and the page goes on.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { onAskTab } from "../support/ask-tab.mjs";
import { ARGUMENTS, ORIGIN, startDemo } from "../support/demo.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

let demo;
let page;
let session;

before(async () => {
  demo = await startDemo();
  ({ page } = demo);
  await useSmallSample(page);
  await page.addInitScript(() => {
    globalThis.Worker = class extends Worker {
      constructor(address, options) {
        super(address, options);
        if (/\/worker\.js$/.test(String(address))) Object.assign(globalThis, { worker: this });
      }
    };
  });
  await demo.open();
  await demo.ready();
  session = await page.context().newCDPSession(page);
});
after(() => demo?.close());

/** The event that browsers send to a page whose tab they had frozen. Browsers freeze no visible page, and pages of tests are always visible. */
const resume = () => page.evaluate(() => void document.dispatchEvent(new Event("resume")));

test("after a tab was frozen, the bar says again how things are", async () => {
  await page.evaluate(() => (document.getElementById("status-text").textContent = "of before"));
  await resume();
  await page.waitForFunction(() => document.getElementById("status-text").textContent === "Ready. The search is all on this device.");
  await demo.ask("Which birds fly without a sound?");
  await onAskTab(demo).done();
  assert.match(await page.textContent("#answer-text .body"), /[Oo]wls/);
});

test("an engine that does not come back from a frozen tab is reported, with a button that reloads the page", async () => {
  await page.evaluate(() => globalThis.worker.terminate()); // without an error, as if it had been discarded
  await resume();
  await page.waitForFunction(() => document.getElementById("status-text").textContent === "The search engine has stopped.");
  assert.match(await page.textContent("#notice"), /had put this page to sleep, and its search engine does not answer any more\. Reload the page; saved data is kept\./);
  await page.click("#retry");
  await demo.ready();
  assert.ok(await page.isHidden("#notice"));
});

test("storage that the browser clears while the page is open is noticed, and the library is stored again with all additions", async () => {
  await session.send("Storage.clearDataForOrigin", { origin: ORIGIN, storageTypes: "all" });
  await page.evaluate(() => vademecum.add([{ id: "later.md", text: "# Later\n\nThe kestrel of Quandry nests in the tower." }])); // as yet, nothing has noticed
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.waitForFunction(() => document.getElementById("status-text").textContent === "Your library is not stored any more.");
  assert.match(await page.textContent("#notice"), /^This browser has cleared what it had stored for this page.*It is all still in this tab/);
  assert.equal(await page.getAttribute("#status", "data-state"), "failed");
  await demo.screenshot("storage-cleared");
  const before = await page.evaluate(() => vademecum.stats().then(({ documents, embedded }) => [documents, embedded]));
  await page.evaluate(() => {
    const prototype = Object.getPrototypeOf(vademecum);
    const { import: own } = prototype;
    prototype.import = async function () {
      prototype.import = own;
      throw new Error("The disk is full.");
    };
  });
  await page.click("#retry:text('Store it again')");
  await page.waitForFunction(() => /could not be stored again: The disk is full\. It is still in this tab/.test(document.getElementById("notice").textContent));
  const saved = page.waitForEvent("download");
  await page.click("#save-library");
  assert.equal((await saved).suggestedFilename(), "library.vdm", "the only copy can be saved");
  const loaded = page.waitForEvent("load");
  await page.click("#retry:text('Store it again')");
  await loaded;
  await page.waitForSelector("body[data-searchable]");
  await demo.ready();
  assert.deepEqual(await page.evaluate(() => vademecum.stats().then(({ documents, embedded }) => [documents, embedded])), before);
  assert.equal((await page.evaluate(() => vademecum.search("kestrel of Quandry", { mode: "keyword" }))).hits[0].docId, "later.md");
  assert.ok(await page.isHidden("#notice"));
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  assert.equal(await page.evaluate(() => vademecum.document("later.md").then(({ id }) => id)), "later.md", "it is stored for good");
});

test("leaving the tab is asked about while the library is not stored", async () => {
  await session.send("Storage.clearDataForOrigin", { origin: ORIGIN, storageTypes: "all" });
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.waitForFunction(() => document.getElementById("status-text").textContent === "Your library is not stored any more.");
  await page.click("#status-text"); // browsers ask only those who have used the page
  const asked = page.waitForEvent("dialog");
  const left = page.reload().catch(() => {});
  const dialog = await asked;
  assert.equal(dialog.type(), "beforeunload");
  await dialog.accept();
  await left;
  await page.waitForSelector("body[data-searchable]");
});

test("a failure of the search model does not hide that the library is not stored", async () => {
  await demo.ready();
  await session.send("Storage.clearDataForOrigin", { origin: ORIGIN, storageTypes: "all" });
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.waitForFunction(() => document.getElementById("status-text").textContent === "Your library is not stored any more.");
  await page.evaluate(() => {
    globalThis.texts = [];
    const text = document.getElementById("status-text");
    new MutationObserver((changes) => globalThis.texts.push(...changes.flatMap(({ addedNodes: [added] }) => added?.textContent ?? []))).observe(text, { childList: true });
    vademecum.loadEmbedder = async () => {
      throw Object.assign(new Error("The model could not be loaded from /models: Failed to fetch."), { code: "model_unavailable" });
    };
  });
  await resume(); // the bar says again how things are
  await page.waitForFunction(() => globalThis.texts.length > 1);
  const texts = await page.evaluate(() => globalThis.texts);
  assert.match(texts[0], /^Searching by words only\. .*model/);
  assert.equal(texts.at(-1), "Your library is not stored any more.");
  const loaded = page.waitForEvent("load");
  await page.click("#retry:text('Store it again')");
  await loaded;
  await demo.ready();
  assert.ok(await page.isHidden("#notice"));
});

test("a page that comes back from the back/forward cache is alive, with its answer", async () => {
  const address = /** @type {string} */ (process.env.VADEMECUM_PAGE);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ARGUMENTS, ignoreDefaultArgs: ["--disable-back-forward-cache"] });
  try {
    const context = await browser.newContext({ serviceWorkers: "block" });
    const tab = await context.newPage();
    await useSmallSample(tab);
    await tab.goto(address);
    await tab.waitForSelector("body[data-searchable]");
    await tab.fill("#question", "Which birds fly without a sound?");
    await tab.press("#question", "Enter");
    await tab.waitForFunction(() => !document.getElementById("ask-button").hidden && document.getElementById("answer-actions").children.length > 0);
    const answer = await tab.textContent("#answer-text .body");
    await tab.evaluate(() => window.addEventListener("pageshow", ({ persisted }) => (window.seen = persisted)));
    await tab.goto(new URL("icon.svg", address).href);
    await tab.goBack({ timeout: 2_000 }).catch(() => {}); // a page from the cache does not load
    await tab.waitForFunction(() => window.seen === true);
    assert.equal(await tab.textContent("#answer-text .body"), answer);
    await tab.fill("#question", "tides");
    await tab.press("#question", "Enter");
    await tab.waitForFunction(() => !document.getElementById("ask-button").hidden && document.getElementById("answer-asked").textContent === "tides");
    assert.ok(await tab.isHidden("#notice"));
  } finally {
    await browser.close();
  }
});
