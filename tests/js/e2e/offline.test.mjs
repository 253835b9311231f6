// The page offline, installed, and across versions: what the service worker stores, and how it handles failures.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startSite } from "../support/changing-site.mjs";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { libraryOf } from "../support/small-sample.mjs";

const QUESTION = "Why can't I use a value after it was moved?";
const ends = [];
after(() => Promise.all(ends.map((end) => end())));

/** Starts the demo on a copy of the site that a test may change. */
async function startOn(site) {
  const demo = await startDemo({ offline: true, routes: { [new URL(ORIGIN).host]: site.address } });
  ends.push(demo.close);
  return demo;
}

async function newSite() {
  const site = await startSite();
  ends.push(site.close);
  return site;
}

const offline = (page, state) => page.waitForSelector(`body[data-offline="${state}"]`, { timeout: 120_000 });
/** Returns the page's description of the offline state, in the library under Storage. */
const told = (page) => page.textContent(".storage #offline-told");
const keep = (page) =>
  page.evaluate(async () => {
    delete document.body.dataset.offline;
    (await navigator.serviceWorker.ready).active.postMessage("keep");
  });

/** Tries to fetch from each worker of the page; returns `sent` or the browser's error for each. */
const reachOut = (page) =>
  Promise.all(page.workers().map((worker) => worker.evaluate(() => fetch("http://elsewhere.test/").then(() => "sent", String))));

test("once loaded, the page works without a network: library, both searches, and an answer", async (t) => {
  const demo = await startOn(await newSite());
  const { page } = demo;
  await demo.open();

  await t.test("from the first visit on, workers have the page's policy", async () => {
    const results = await reachOut(page);
    assert.ok(results.length >= 1);
    assert.deepEqual(new Set(results), new Set(["TypeError: Failed to fetch"]));
    assert.deepEqual(demo.origins(), [ORIGIN]);
  });

  await t.test("it can be installed", async () => {
    const session = await page.context().newCDPSession(page);
    const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
    // Contexts that Playwright creates are incognito, without installation of apps.
    assert.deepEqual(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito"), []);
    const { errors, data } = await session.send("Page.getAppManifest");
    assert.deepEqual(errors, []);
    const manifest = JSON.parse(data);
    assert.deepEqual([manifest.name, manifest.display, manifest.icons.length >= 1], ["Vademecum", "standalone", true]);
  });

  await demo.ready();
  await offline(page, "ready");
  assert.equal(await told(page), "This page also works offline.");
  const before = await page.evaluate(() => vademecum.stats());
  demo.proxy.close();
  await demo.open();
  await demo.ready();
  const after = await page.evaluate(() => vademecum.stats());
  assert.deepEqual([after.documents, after.embedded], [before.documents, before.chunks]);
  for (const mode of ["keyword", "vector"]) {
    const found = await page.evaluate(async ([question, mode]) => {
      const { hits, mode: was, degraded } = await vademecum.search(question, { mode });
      return { hits: hits.length, was, degraded };
    }, [QUESTION, mode]);
    assert.ok(found.hits > 0 && found.was === mode && !found.degraded, JSON.stringify(found));
  }
  await demo.ask(QUESTION);
  await page.waitForSelector("#answer-text .cite");
  for (const tab of ["trace", "library", "evaluate", "model"]) {
    await demo.tab(tab);
    assert.ok(await page.isVisible(`#${tab} h1`), tab);
  }
  assert.deepEqual(new Set(await reachOut(page)), new Set(["TypeError: Failed to fetch"]));
  await demo.tab("ask");
  await demo.screenshot("offline", { fullPage: true });
});

test("the page is cached as soon as the network is idle, before all passages are embedded", async () => {
  const site = await startSite();
  ends.push(site.close);
  const sample = await (await fetch(new URL("library/rust-book.json", process.env.VADEMECUM_PAGE))).json();
  const again = (at) => sample.documents.map((one) => ({ ...one, id: `${one.id}-${at}`, text: `${at} ${one.text}` }));
  const large = await libraryOf({ ...sample, documents: Array.from({ length: 12 }, (_, at) => again(at)).flat() });
  await site.change("library/rust-book.library", () => large);
  const demo = await startOn(site);
  await demo.open();
  await offline(demo.page, "ready");
  const { pending } = await demo.page.evaluate(() => vademecum.stats());
  assert.ok(pending > 0, "there are passages yet to be understood");
  // Files that the page needs to start were loaded first.
  const at = (name) => site.asked.indexOf(name);
  assert.ok(at("models/all-minilm-l6-v2/model.onnx") >= 0 && at("files.json") > at("models/all-minilm-l6-v2/model.onnx"), site.asked.join());
  assert.ok(at("vendor/pdf.min.mjs") > at("library/rust-book.library"), site.asked.join());
});

test("an incomplete cache is not served, and caching continues where it was interrupted", async () => {
  const site = await newSite();
  site.broken.add("vademecum/worker.js");
  const demo = await startOn(site);
  const { page } = demo;
  await page.goto(ORIGIN);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await keep(page);
  await offline(page, "failed");
  assert.match(await told(page), /does not work offline yet: some of its files could not be loaded/);
  site.broken.clear();
  site.asked.length = 0;
  await keep(page);
  await offline(page, "ready");
  assert.ok(site.asked.includes("vademecum/worker.js") && !site.asked.includes("index.html"), site.asked.join());

  await test("a new version waits until it is complete, is offered, and is active after a reload", async () => {
    await site.change("index.html", (text) => text.replace("<title>Vademecum", "<title>New Vademecum"));
    site.broken.add("index.html");
    await page.reload();
    assert.match(await page.title(), /^Vademecum/);
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await keep(page);
    await offline(page, "ready"); // the previous version is still complete
    assert.ok(await page.isHidden("#update"));
    site.broken.clear();
    await keep(page);
    await page.waitForSelector("#update:not([hidden])");
    assert.match(await page.title(), /^Vademecum/);
    await page.click("#update");
    await page.waitForFunction(() => /^New Vademecum/.test(document.title));
  });

  await test("a file that does not match the list is rejected", async () => {
    await site.change("index.html", (text) => text.replace("<title>New", "<title>Mixed"), { hash: "0".repeat(16) });
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await keep(page);
    await offline(page, "ready");
    await page.reload();
    assert.match(await page.title(), /^New Vademecum/);
  });

  await test("after a forced reload, which bypasses the service worker, the page is controlled again", async () => {
    const session = await page.context().newCDPSession(page);
    await session.send("Page.reload", { ignoreCache: true });
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await page.waitForFunction(() => document.body.dataset.searchable !== undefined, null, { timeout: 60_000 });
    assert.deepEqual(new Set(await reachOut(page)), new Set(["TypeError: Failed to fetch"]));
  });

  await test("a new version waits for tabs that use the current one, and a request for it reports them", async () => {
    await page.reload();
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await site.change("index.html", (text) => text.replace("<title>Mixed", "<title>Newer"));
    await keep(page);
    await page.waitForSelector("#update:not([hidden])");
    const other = await page.context().newPage();
    await other.goto(ORIGIN);
    assert.match(await other.title(), /^New Vademecum/, "what the first tab may yet load is still there");
    await page.click("#update");
    await page.waitForFunction(() => /Close this page’s other tabs first/.test(document.querySelector("#notice").textContent));
    await demo.screenshot("update-other-tabs");
    assert.match(await page.title(), /^New Vademecum/);
    await other.close();
    await page.click("#update");
    await page.waitForFunction(() => /^Newer Vademecum/.test(document.title));
  });

  await test("a new version is active after all tabs were closed", async () => {
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await site.change("index.html", (text) => text.replace("<title>Newer", "<title>Newest"));
    await keep(page);
    await page.waitForSelector("#update:not([hidden])");
    await page.goto("about:blank");
    await page.goto(ORIGIN);
    assert.match(await page.title(), /^Newest Vademecum/);
  });

  await test("a version that is fetched while another is activated keeps its files", async () => {
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await site.change("index.html", (text) => text.replace("<title>Newest", "<title>Second"));
    await keep(page);
    await page.waitForSelector("#update:not([hidden])");
    const release = demo.proxy.hold("/llm-frame.html"); // files are fetched in the order of their names
    await site.change("index.html", (text) => text.replace("<title>Second", "<title>Third"));
    await site.change("llm-frame.html", (text) => `${text}\n`);
    demo.proxy.seen.length = 0;
    const isAsked = () => demo.proxy.seen.some(({ path }) => path === "/llm-frame.html");
    // A request joins one under way, which may still have the list of before.
    for (let tries = 0; tries < 50 && !isAsked(); tries++) {
      await keep(page);
      await page.waitForTimeout(200);
    }
    assert.ok(isAsked());
    await page.click("#update");
    await page.waitForFunction(() => /^Second Vademecum/.test(document.title));
    release();
    await page.waitForSelector("#update:not([hidden])");
    const missing = await page.evaluate(async () => {
      const files = await caches.open("vademecum-demo");
      const next = await (await files.match("./?next")).json();
      const names = Object.entries(next).filter(([name]) => /^(index|llm-frame)\.html$/.test(name));
      const found = await Promise.all(names.map(([name, hash]) => files.match(`./${name}?${hash}`)));
      return names.filter((_, at) => !found[at]).map(([name]) => name);
    });
    assert.deepEqual(missing, []);
  });
});

test("with a full disk, the page works, and says that it is not cached", async () => {
  const demo = await startOn(await newSite());
  const { page } = demo;
  const session = await page.context().newCDPSession(page);
  await session.send("Storage.overrideQuotaForOrigin", { origin: ORIGIN, quotaSize: 12_000_000 });
  await demo.open();
  await keep(page);
  await offline(page, "full");
  assert.match(await told(page), /no space to store this page/);
  await demo.tab("library");
  await page.locator("#offline-told").scrollIntoViewIfNeeded();
  await demo.screenshot("library-not-offline");
  const files = await page.evaluate(async () => (await (await caches.open("vademecum-demo")).keys()).length);
  assert.equal(files, 0, "what is of no use takes no room");
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  assert.ok((await page.evaluate(() => vademecum.search("ownership", { mode: "keyword" }))).hits.length > 0);
});
