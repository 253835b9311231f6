// The search page of `examples/docs-site` in a real browser: built and served as its header comment describes.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { ARGUMENTS, BROWSERS_OWN } from "../support/demo.mjs";
import { installed, NOTES, skip } from "../support/examples.mjs";
import { startProxy } from "../support/proxy.mjs";
import { startStatic } from "../support/static.mjs";

const HOST = "docs.test";
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const MODEL = path.join(ROOT, "target/site/models/all-minilm-l6-v2");
const SCREENSHOTS = process.env.VADEMECUM_SCREENSHOTS;
const run = promisify(execFile);
const build = (...words) => run(/** @type {string} */ (process.env.VADEMECUM_PROGRAM), ["build", ...words], { timeout: 120_000 });

let folder;
let site;
let proxy;
let browser;

before(async () => {
  if (skip) return;
  folder = await installed("docs-site");
  // Without vectors, whose embedding takes a minute; those of the notes are few.
  await build(path.join(ROOT, "docs"), "--no-vectors", "--out", path.join(folder, "docs.library"), "--parts", path.join(folder, "library"));
  site = await startStatic({ "/": folder });
  proxy = await startProxy({ [HOST]: site.address });
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ARGUMENTS, proxy: { server: proxy.address } });
});
after(async () => {
  await browser?.close();
  proxy?.close();
  site?.close();
});

async function opened(options = {}) {
  const page = await browser.newPage({ viewport: { width: 900, height: 900 }, ...options });
  page.setDefaultTimeout(60_000);
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  proxy.seen.length = 0;
  await page.goto(`http://${HOST}/`);
  return { page, complaints };
}
const asked = () => proxy.seen.filter(({ origin }) => !BROWSERS_OWN.test(origin));

test("hits are shown and marked from the first letters, and nothing of the library is fetched before", { skip }, async () => {
  const { page, complaints } = await opened();
  await page.waitForLoadState("networkidle");
  assert.deepEqual(asked().map(({ path }) => path).filter((path) => /^\/library\/|wasm$|\/models\//.test(path)), []);
  await page.locator("#query").pressSequentially("citat", { delay: 30 });
  await page.waitForSelector("#hits mark");
  const marked = await page.locator("#hits li:first-child mark").allTextContents();
  assert.ok(marked.every((word) => /^citat/i.test(word)), marked.join());
  assert.match(await page.textContent("#said"), /^\d+ passages, by words\.$/);
  assert.deepEqual([...new Set(asked().map(({ origin }) => origin))], [`http://${HOST}`]);
  assert.deepEqual(asked().map(({ path }) => path).filter((path) => /models|encoder|vademecum_bg/.test(path)), [], "a library without vectors needs no model");
  if (SCREENSHOTS) {
    await mkdir(SCREENSHOTS, { recursive: true });
    await page.screenshot({ path: path.join(SCREENSHOTS, "docs-site.png") });
  }
  await page.fill("#query", "zzzzqqq");
  await page.waitForFunction(() => document.querySelector("#said")?.textContent.startsWith("0 passages"));
  await page.fill("#query", "?!");
  await page.fill("#query", "");
  await page.waitForFunction(() => document.querySelectorAll("#hits li").length === 0);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("a hit leads to its document, at the passage, and back to the results", { skip }, async () => {
  const { page, complaints } = await opened();
  await page.fill("#query", "content security policy");
  await page.locator("#hits a").first().click();
  await page.waitForSelector("#text mark");
  assert.match(await page.textContent("#text mark"), /policy/i);
  assert.ok((await page.textContent("#text")).length > 1000);
  assert.equal(await page.evaluate(() => document.activeElement.id), "page");
  await page.click("#back");
  await page.waitForSelector("#hits:not([hidden]) li");
  assert.deepEqual(complaints, []);
  await page.close();
});

test("words are searched by keyboard alone, in an accessible page, in both colour schemes", { skip }, async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { page } = await opened({ colorScheme });
    await page.keyboard.press("Tab");
    await page.keyboard.type("offline");
    await page.waitForSelector("#hits li");
    await page.addScriptTag({ path: path.join(ROOT, "tests/js/node_modules/axe-core/axe.min.js") });
    const { violations } = await page.evaluate(() => axe.run());
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`), []);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#text mark");
    if (SCREENSHOTS) await page.screenshot({ path: path.join(SCREENSHOTS, `docs-site-page-${colorScheme}.png`) });
    await page.close();
  }
});

test("meaning is searched when the model has arrived", { skip, timeout: 180_000 }, async () => {
  await build(NOTES, "--model", MODEL, "--out", path.join(folder, "notes.library"), "--parts", path.join(folder, "notes"));
  const words = path.join(folder, "library");
  await cp(path.join(folder, "notes"), words, { recursive: true });
  await cp(MODEL, path.join(folder, "models/all-minilm-l6-v2"), { recursive: true });
  const { page, complaints } = await opened();
  const letModel = proxy.hold("/models/all-minilm-l6-v2/model.onnx");
  await page.fill("#query", "holiday not taken");
  await page.waitForFunction(() => /by words\./.test(document.querySelector("#said")?.textContent ?? ""));
  letModel();
  await page.waitForFunction(() => /by words and meaning\./.test(document.querySelector("#said")?.textContent ?? ""));
  assert.match(await page.textContent("#hits li"), /leave\.md/);
  assert.deepEqual(complaints, []);
  await page.close();
});
