// Failures at the start of the page: a missing file, a library that is damaged, of another model, or open in another tab; and
// announcements for screen readers.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startSite } from "../support/changing-site.mjs";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { libraryOf, SAMPLE } from "../support/small-sample.mjs";

const MODEL = "models/all-minilm-l6-v2/model.onnx";
let site;
let demo;
let context;
let page;

before(async () => {
  site = await startSite();
  const notes = await libraryOf();
  await site.change("library/rust-book.library", () => notes);
  demo = await startDemo({ offline: true, routes: { [new URL(ORIGIN).host]: site.address } });
});
after(async () => {
  await demo?.close();
  site?.close();
});
// Each test is a first visit.
beforeEach(async () => {
  await context?.close();
  context = await demo.page.context().browser().newContext({ viewport: { width: 1280, height: 900 } });
  site.broken.clear();
  site.told.length = 0;
  page = await context.newPage();
  page.setDefaultTimeout(60_000);
});

/** Drops a file. Returns whether the browser would open it, after the events of the drag and of the drop. */
const drop = (name, text) =>
  page.evaluate(([name, text]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], name));
    const event = (type) => new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true });
    return ["dragover", "drop"].map((type) => document.dispatchEvent(event(type)));
  }, [name, text]);
const stateIs = (state, where = page) => where.waitForSelector(`#status[data-state="${state}"]`);
const statusText = (where = page) => where.textContent("#status-text");
const isReadOnly = () => page.evaluate(async () => (await /** @type {any} */ (globalThis).vademecum.stats()).library.readOnly);
const focused = () => page.evaluate(() => document.activeElement.id);
const screenshot = (name) => demo.screenshot(name, {}, page);

test("a module that fails to load is reported with advice, and the page starts once it loads", async () => {
  site.broken.add("main.js");
  await page.goto(ORIGIN);
  await stateIs("failed");
  assert.match(await page.textContent("#notice"), /A part of this page could not be loaded\. Check your connection, then load the page again\./);
  await screenshot("start-module-missing");
  await page.waitForTimeout(1000); // the library, which was opened meanwhile, is closed, and loads no model
  assert.equal(await statusText(), "The page could not be started.");
  site.broken.clear();
  await page.click("#retry");
  await page.waitForSelector("body[data-searchable]");
  assert.ok(await page.isHidden("#notice"));
  assert.equal(await isReadOnly(), false);
});

test("questions are answered although the scripts of the other tabs cannot be loaded, which these tabs say", async () => {
  await page.route("**/scripts-rest-*.js", (route) => route.abort());
  await page.goto(ORIGIN);
  await page.waitForSelector("body[data-searchable]");
  assert.match(await page.textContent("#notice"), /A part of this page could not be loaded\. Check your connection, then load the page again\./);
  await page.fill("#question", "What does the moon pull?");
  await page.press("#question", "Enter");
  await page.waitForSelector("#answer-text .cite");
  for (const tab of ["library", "trace", "evaluate"]) {
    await page.click(`#tab-${tab}`);
    assert.match(await page.textContent(`#${tab} .missing`), /This part of the page could not be loaded\./);
  }
  assert.ok(await page.evaluate(() => document.querySelector("#pick-files").closest("[inert]") !== null), "nothing can be chosen that does nothing");
  assert.deepEqual(await drop("zebra.md", "# Zebra"), [false, false]);
  assert.equal(await page.textContent("#notice"), "No files were added, because the library is not open. Load the page again.");
  await screenshot("start-tabs-missing");
  await page.unroute("**/scripts-rest-*.js");
  await page.click("#evaluate .missing button");
  await page.waitForSelector("body[data-searchable]");
  await page.click("#tab-library");
  await page.waitForSelector("#documents tr, #documents li");
  assert.ok(await page.isHidden("#library .missing"));
});

test("the engine receives each message once, also if a script of its worker comes late", async () => {
  /** @type {any} */ let goOn;
  const held = new Promise((resolve) => (goOn = resolve));
  let isHeld = false;
  await page.route("**/policy.js", async (route) => {
    isHeld = true;
    await held;
    await route.continue();
  });
  const loaded = page.waitForResponse("**/vademecum/worker.js");
  await page.goto(ORIGIN);
  await loaded;
  await page.waitForTimeout(1000); // in which the page asks the engine to open the library
  assert.ok(isHeld);
  assert.equal(await page.getAttribute("body", "data-searchable"), null, "nothing runs without the page's policy");
  goOn();
  await page.waitForSelector("body[data-searchable]");
  assert.equal(await isReadOnly(), false);
});

test("a library is not held after its engine's module could not be loaded", async () => {
  site.broken.add("vademecum/vademecum_bg.wasm");
  await page.goto(`${ORIGIN}/icon.svg`);
  const open = () =>
    page.evaluate(async () => {
      const { KnowledgeBase } = await import("/vademecum/direct.js");
      try {
        const kb = await KnowledgeBase.open("held");
        return (await kb.stats()).library.readOnly;
      } catch (error) {
        return error.code;
      }
    });
  assert.equal(await open(), "module_unavailable");
  site.broken.clear();
  assert.equal(await open(), false);
});

test("files dropped before the library is open are added once it is", async () => {
  /** @type {any} */ let goOn;
  const held = new Promise((resolve) => (goOn = resolve));
  await page.route("**/main.js", async (route) => (await held, route.continue()));
  await page.goto(ORIGIN, { waitUntil: "domcontentloaded" }); // the first script has run
  assert.deepEqual(await drop("zebra.md", "# Zebra\n\nA zebra grazes."), [false, false]);
  assert.equal(await page.textContent("#notice"), "Your files will be added as soon as the library is open.");
  assert.deepEqual(await drop("gnu.md", "# Gnu\n\nA gnu grazes."), [false, false]);
  goOn();
  await page.waitForSelector("body[data-searchable]");
  await page.waitForFunction(() => document.querySelectorAll('#file-reports li[data-state="done"]').length > 0 && /gnu\.md/.test(document.querySelector("#file-reports").textContent));
  assert.ok(await page.isVisible("#library"), "the progress is shown");
  assert.ok(await page.isHidden("#notice"));
  const { hits } = await page.evaluate(() => vademecum.search("grazes", { mode: "keyword" }));
  assert.deepEqual(hits.map(({ docId }) => docId).sort(), ["gnu.md", "zebra.md"]);
});

test("if the sample fails to load, the page names the missing file, and how to add it later", async () => {
  site.broken.add("library/rust-book.library");
  await page.goto(ORIGIN);
  await page.waitForSelector("#notice:not([hidden])");
  assert.match(await page.textContent("#notice"), /The sample, library\/rust-book\.library, could not be loaded \(.+\).* Check your connection, then add it in the library tab, under Storage/);
  await stateIs("ready");
  site.broken.clear();
  await page.click("#tab-library");
  await page.click("#add-sample");
  await page.waitForFunction(() => document.querySelector("#storage-told").textContent === "The sample is in the library.");
});

test("each state of the progress is announced once, while the bar shows every step", async () => {
  const note = (n) => ({ id: `note-${n}`, title: `Note ${n}`, format: "markdown", text: `# Note ${n}\n\nFerry ${n} leaves the harbour at noon, and comes back with ${n} passengers.` });
  const library = await libraryOf({ ...SAMPLE, documents: Array.from({ length: 200 }, (_, n) => note(n)) }); // so many take longer than the page waits to look
  await page.route("**/rust-book.library", (route) => route.fulfill({ contentType: "application/octet-stream", body: library }));
  await page.addInitScript(() => {
    globalThis.said = [];
    globalThis.shown = [];
    document.addEventListener("DOMContentLoaded", () => {
      for (const [id, list] of [["status-said", said], ["status-text", shown]]) {
        const element = document.getElementById(id);
        new MutationObserver(() => list.push(element.textContent)).observe(element, { childList: true, characterData: true, subtree: true });
      }
    });
  });
  await page.goto(ORIGIN);
  await stateIs("ready");
  const { said, shown, live } = await page.evaluate(() => ({ said, shown, live: document.querySelector("#status").closest('[role="status"], [aria-live]') !== null }));
  assert.deepEqual(said, [...new Set(said)], "nothing is said twice");
  assert.ok(!said.some((text) => /\d/.test(text)), said.join("\n"));
  assert.equal(said.at(-1), "Ready. The search is all on this device.");
  assert.ok(shown.some((text) => /^Fetching the search model: \d+( of \d+)? MB(, about \d+ (s|min))?$/.test(text)), shown.join("\n"));
  assert.ok(shown.some((text) => /^Learning meanings, \d+ %\. You can ask already\.$/.test(text)), shown.join("\n"));
  assert.equal(live, false);
});

test("retrying by keyboard keeps the focus", async () => {
  site.broken.add(MODEL);
  await page.goto(ORIGIN);
  await stateIs("failed");
  await page.focus("#retry");
  await page.keyboard.press("Enter");
  assert.notEqual(await focused(), "");
  await page.waitForFunction(() => document.activeElement.id === "retry"); // it failed again
  site.broken.clear();
  await page.keyboard.press("Enter");
  await stateIs("ready");
  assert.equal(await focused(), "status");
});

test("a second tab reads, leaves embedding to the first, and continues when that is closed", async () => {
  site.broken.add(MODEL);
  const first = page;
  await first.goto(ORIGIN);
  await stateIs("failed", first); // the sample is stored, but not embedded
  site.broken.clear();
  site.told.length = 0;
  page = await context.newPage();
  await page.goto(ORIGIN);
  await stateIs("ready");
  assert.equal(await statusText(), "Another tab is using the library: it is read-only here.");
  const { pending, library } = await page.evaluate(() => vademecum.stats());
  assert.deepEqual([pending, library.readOnly], [3, true]);
  assert.equal((await page.evaluate(() => vademecum.search("owls"))).hits[0].docId, "owls");
  assert.ok(await page.isHidden("#notice") && (await page.isHidden("#retry")));
  await page.click("#tab-library");
  await page.waitForSelector("#library-taken:not([hidden])");
  assert.ok(await page.isDisabled("#pick-files"));
  assert.ok(await page.isEnabled("#export"));
  const [remove, deletion] = [page.locator("#documents .remove").first(), page.locator("#collections button").first()];
  await remove.waitFor({ state: "attached" });
  await deletion.waitFor({ state: "attached" });
  assert.deepEqual([await remove.isVisible(), await deletion.isVisible()], [false, false]);
  await screenshot("start-second-tab");
  await first.close();
  await page.waitForFunction(() => /^Ready/.test(document.querySelector("#status-text").textContent));
  await page.waitForSelector("#library-taken", { state: "hidden" });
  assert.ok(await page.isEnabled("#pick-files"));
  assert.deepEqual([await remove.isVisible(), await deletion.isVisible()], [true, true]);
  assert.equal((await page.evaluate(() => vademecum.stats())).pending, 0);
});

test("a library with vectors of another model is opened and re-embedded", async () => {
  await page.goto(`${ORIGIN}/icon.svg`);
  await page.evaluate(async () => {
    const { Embedder, KnowledgeBase } = await import("/vademecum/index.js");
    const embedder = Embedder.custom(async (texts) => texts.map(() => [1, 2, 3]), { id: "another" });
    const kb = await KnowledgeBase.open("demo", { embedder });
    await kb.add([{ id: "mine.md", text: "# Mine\n\nA kite needs a tail." }]);
    await kb.close();
  });
  await page.goto(ORIGIN);
  await stateIs("ready");
  const found = await page.evaluate(async () => ({ stats: await vademecum.stats(), found: await vademecum.search("flying toys on a string", { mode: "vector" }) }));
  assert.equal(found.stats.pending, 0);
  assert.equal(found.found.hits[0].docId, "mine.md");
});

test("a damaged library is reported, and replaced with an empty one after a confirmation", async () => {
  await page.goto(ORIGIN);
  await stateIs("ready");
  await page.goto(`${ORIGIN}/icon.svg`);
  await page.evaluate(async () => {
    const { openStorage } = await import("/vademecum/storage/index.js");
    let storage = await openStorage("demo");
    while (storage.readOnly) {
      await storage.close(); // the previous page is still releasing it
      storage = await openStorage("demo");
    }
    for (const { name } of (await storage.list()).filter(({ name }) => name.includes("text"))) {
      const bytes = await storage.read(name);
      bytes[bytes.length >> 1] ^= 1;
      await storage.write(name, bytes);
    }
    await storage.close();
  });
  await page.goto(ORIGIN);
  await page.waitForSelector("#damaged:not([hidden])");
  assert.match(await page.textContent("#damaged"), /Your library is damaged/);
  assert.equal(await statusText(), "The library could not be opened.");
  await screenshot("start-damaged");
  await page.click("#begin-anew");
  await page.waitForSelector("dialog.confirm");
  assert.match(await page.textContent("dialog.confirm"), /permanently deleted from this browser/);
  await page.click('dialog.confirm button:has-text("Cancel")');
  assert.ok(await page.isVisible("#damaged"));
  await page.click("#begin-anew");
  await page.click('dialog.confirm button:has-text("Delete it and start")');
  await page.waitForSelector("body[data-searchable]");
  await stateIs("ready");
  assert.ok(await page.isHidden("#damaged"));
  assert.equal((await page.evaluate(() => vademecum.stats())).documents, 3);
});

test("a question asked before the page has started is asked afterwards, and is sent to no server", async () => {
  /** @type {any} */ let goOn;
  const held = new Promise((resolve) => (goOn = resolve));
  await page.route("**/main.js", async (route) => (await held, route.continue()));
  await page.goto(ORIGIN, { waitUntil: "domcontentloaded" });
  await page.fill("#question", "What does the moon pull?");
  await page.press("#question", "Enter");
  assert.match(await page.textContent("#ask-said"), /^Your question will be asked as soon as the page has started\.$/);
  goOn();
  await page.waitForSelector("#answer-text .cite");
  assert.equal(await page.textContent("#answer-asked"), "What does the moon pull?");
  site.asked.length = 0;
  await page.reload();
  await page.waitForSelector("#answer-text .cite");
  assert.ok(site.asked.length > 0);
  assert.deepEqual(site.told.filter((text) => /moon/i.test(text)), []);
});

test("a link with the question before the hash works, and the address is changed so that no server sees it", async () => {
  await page.goto(`${ORIGIN}/?q=What+does+the+moon+pull%3F&style=search`);
  await page.waitForSelector("#answer-text .cite");
  const { search, hash } = new URL(page.url());
  assert.deepEqual([search, hash], ["", "#ask?q=What+does+the+moon+pull%3F&style=search"]);
  assert.deepEqual(site.told.filter((text) => /moon/i.test(text)), ["/?q=What+does+the+moon+pull%3F&style=search"], "the link itself");
});
