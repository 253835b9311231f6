// Libraries that come back from a file, when something is in the way: a file that is none, and a model that is not there.

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

test("a file that is no library, or is too large for one, is refused before it is read into memory", async () => {
  for (const [beginning, sentence] of [["PK\u0003\u0004 anything", /big\.vdm is no library/], ["VADEMEC\n and so on", /big\.vdm has 5\.0 GB; a library of up to 1\.0 GB can be imported/]]) {
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
  }
  await page.evaluate(() => delete document.querySelector("#import-file").files);
});

test("where the model is missing, what a file holds comes in all the same, the page shows it, and says what is left to do", async () => {
  await page.evaluate(() => vademecum.add([{ id: "kites.md", text: "# Kites\n\nA kite needs a tail." }]).catch(() => {}));
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#export")]);
  const file = await readFile(await download.path());
  await page.click("#delete-all");
  await page.click('dialog.confirm button:has-text("Delete all")');
  await page.waitForFunction(() => document.querySelector("#library-size").textContent === "empty");
  await page.setInputFiles("#import-file", { name: "library.vdm", mimeType: "", buffer: file });
  await page.waitForFunction(() => /The documents of library\.vdm are in the library, .*found by words/.test(document.querySelector("#storage-told").textContent));
  await page.waitForFunction(() => /^4 documents/.test(document.querySelector("#library-size").textContent));
  assert.equal(await page.locator("#documents li").count(), 4);
  await page.waitForFunction(() => /4 passages still to be understood/.test(document.querySelector("#storage-pending").textContent));
  assert.equal(await page.getAttribute("#status", "data-state"), "failed");
  await demo.screenshot("library-import-by-words", { fullPage: true });
  site.broken.clear();
  await page.click("#retry");
  await demo.ready();
  await page.waitForFunction(() => document.querySelector("#storage-pending").textContent === "");
});
