// The page of `examples/` in a real browser, built and served as its header comment describes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { ARGUMENTS, BROWSERS_OWN } from "../support/demo.mjs";
import { installed, NOTES, printed, skip } from "../support/examples.mjs";
import { startProxy } from "../support/proxy.mjs";
import { startStatic } from "../support/static.mjs";

const HOST = "example.test";
let browser;
let proxy;
let site;

before(async () => {
  if (skip) return;
  const folder = await installed("search-page");
  assert.deepEqual(await printed(folder, "build.mjs", [NOTES]), ["3 documents are in notes.library"]);
  site = await startStatic({ "/": folder });
  proxy = await startProxy({ [HOST]: site.address });
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ARGUMENTS, proxy: { server: proxy.address } });
});
after(async () => {
  await browser?.close();
  proxy?.close();
  site?.close();
});

test("search-page searches a prebuilt library while the user types, and requests its own origin only", { skip }, async () => {
  const page = await browser.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`http://${HOST}/`);
  await page.waitForSelector("#query:enabled", { timeout: 60_000 });
  assert.equal(await page.textContent("#said"), "3 documents can be searched.");
  await page.locator("#query").pressSequentially("receip");
  await page.waitForSelector("#hits li");
  assert.match(await page.textContent("#hits li"), /^travel\.md .*receipts within four weeks/s);
  await page.fill("#query", "?!");
  await page.fill("#query", "laptop");
  await page.waitForFunction(() => document.querySelector("#hits li")?.textContent.startsWith("equipment.md"));
  const asked = new Set(proxy.seen.map(({ origin }) => origin).filter((origin) => !BROWSERS_OWN.test(origin)));
  assert.deepEqual([[...asked], complaints], [[`http://${HOST}`], []]);
});
