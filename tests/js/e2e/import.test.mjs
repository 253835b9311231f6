// Imports of libraries that fail or are degraded: invalid files, and unavailable models.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { startSite } from "../support/changing-site.mjs";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

const MODEL = "models/all-minilm-l6-v2/model.onnx";
let site;
let demo;
let page;
before(async () => {
  site = await startSite();
  site.broken.add(MODEL);
  demo = await startDemo({ routes: { [new URL(ORIGIN).host]: site.address } });
  page = demo.page;
  page.setDefaultTimeout(60_000);
  await useSmallSample(page);
  await demo.open("/#library");
  await page.waitForSelector('#status[data-state="failed"]');
});
after(async () => {
  await demo?.close();
  site?.close();
});

/** Whether an element is within the viewport and not covered by another. */
const isInView = (selector) =>
  page.evaluate((selector) => {
    const element = document.querySelector(selector);
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight && element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  }, selector);

test("a file that is not a library, or is too large, is refused before it is read into memory", async () => {
  await page.setViewportSize({ width: 390, height: 700 });
  await page.waitForFunction(() => {
    scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" }); // sizes may be updated late
    return scrollY > 500 && scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
  });
  for (const [beginning, sentence] of /** @type {[string, RegExp][]} */ ([["PK\u0003\u0004 anything", /big\.vdm is not an exported library/], ["VADEMEC\n and so on", /big\.vdm has 5\.0 GB; a library of up to 1\.0 GB can be imported/]])) {
    await page.evaluate((beginning) => {
      const file = new File([beginning], "big.vdm");
      Object.defineProperty(file, "size", { value: 5e9 });
      window.wasRead = false;
      file.arrayBuffer = () => ((window.wasRead = true), Promise.resolve(new ArrayBuffer(0)));
      Object.defineProperty(document.querySelector("#import-file"), "files", { value: [file], configurable: true });
      document.querySelector("#import-file").dispatchEvent(new Event("change"));
    }, beginning);
    await page.waitForFunction((sentence) => new RegExp(sentence).test(document.querySelector("#notice").textContent), sentence.source);
    assert.equal(await page.evaluate(() => window.wasRead), false);
    assert.ok(await isInView("#notice"), "what went wrong is told where one is looking");
    await demo.screenshot("notice-in-view");
    await page.click("#notice-close");
    assert.ok(await page.isHidden("#notice"));
  }
  await page.evaluate(() => delete document.querySelector("#import-file").files);
  await page.setViewportSize({ width: 1280, height: 900 });
});

test("without the model, an import still adds the documents, and the page says what remains to be done", async () => {
  await page.evaluate(() => vademecum.add([{ id: "kites.md", text: "# Kites\n\nA kite needs a tail." }]).catch(() => {}));
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#export")]);
  const file = await readFile(await download.path());
  await page.click("#delete-all");
  await page.click('dialog.confirm button:has-text("Delete all")');
  await page.waitForFunction(() => document.querySelector("#library-size").textContent === "empty");
  await page.setInputFiles("#import-file", { name: "library.vdm", mimeType: "", buffer: file });
  await page.waitForFunction(() => /The documents of library\.vdm were imported, .*found by words/.test(document.querySelector("#storage-told").textContent));
  await page.waitForFunction(() => /^4 files/.test(document.querySelector("#library-size").textContent));
  assert.equal(await page.locator("#documents li").count(), 4);
  await page.waitForFunction(() => /4 passages without vectors/.test(document.querySelector("#storage-pending").textContent));
  assert.equal(await page.getAttribute("#status", "data-state"), "failed");
  await demo.screenshot("library-import-by-words", { fullPage: true });
  site.broken.clear();
  await page.click("#retry");
  await demo.ready();
  await page.waitForFunction(() => document.querySelector("#storage-pending").textContent === "");
});

test("failed or delegated work in the storage part is reported neither as running nor as done", async () => {
  const understand = async (stub) => {
    await page.evaluate((stub) => {
      vademecum.embedPending = (0, eval)(stub);
      // Shown and pressed in one step: the next redraw of the status hides it again.
      document.querySelector("#understand").hidden = false;
      document.querySelector("#understand").click();
    }, String(stub));
    await page.waitForFunction(() => !document.querySelector("#understand").disabled);
  };
  const status = (pattern) => page.waitForFunction((pattern) => new RegExp(pattern).test(document.querySelector("#status-text").textContent), pattern.source);
  await understand(async ({ onProgress }) => {
    onProgress({ phase: "embed", loaded: 1, total: 4 });
    throw Object.assign(new Error("The browser's storage is full."), { code: "storage_full" });
  });
  assert.match(await page.textContent("#notice"), /storage is full/);
  await status(/^Ready\./); // nothing is pending or in progress
  assert.equal(await page.getAttribute("#status", "data-state"), "ready");

  await page.evaluate(() => {
    const { stats } = vademecum;
    vademecum.stats = async () => ({ ...(await stats.call(vademecum)), pending: 2 });
  });
  await understand(async () => 0);
  await status(/^Searchable by words\. 2 passages still to be understood\.$/);
  assert.equal(await page.getAttribute("#status", "data-state"), "partly");
  await page.evaluate(() => {
    delete vademecum.stats;
    delete vademecum.embedPending;
  });
  await page.setInputFiles("#files", { name: "later.md", mimeType: "text/markdown", buffer: Buffer.from("# Later\n\nWhoever was at work is done.") });
  await demo.ready();
});
