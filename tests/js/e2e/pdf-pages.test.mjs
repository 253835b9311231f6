// Pages of PDF files in the reader: drawn, with the words that were found marked, and the text alone where the file is not at hand.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo, untilTrue } from "../support/demo.mjs";
import { drop, lockedPdf, reports, textPdf } from "../support/files.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let demo;
let page;
before(async () => {
  demo = await startDemo();
  page = demo.page;
  page.setDefaultTimeout(60_000);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await useSmallSample(page);
  await demo.open("/#library");
});
after(() => demo?.close());

const filler = (what) => Array.from({ length: 24 }, (_, at) => `Line ${at} of this part speaks of ${what} at length.`);
const HANDBOOK = textPdf([["The first part", ...filler("harbours")], [...filler("clouds"), "The quorndle valve opens at seven bar and is men-", "tioned nowhere else."]], { title: "The handbook" });

/** Finds a word on the Ask tab, and opens the first hit. */
async function openHit(word) {
  await demo.tab("ask");
  await page.fill("#question", "");
  await page.fill("#question", word);
  await page.waitForFunction((word) => document.querySelector("#hits").shadowRoot?.querySelector("li")?.textContent.toLowerCase().includes(word), word);
  await page.locator("#hits li button").first().click();
  await page.waitForSelector("#reader[open]");
}
/** Closes the reader, and waits for its event: a dialog is hidden before that, while the page still holds the canvas. */
async function close() {
  const closed = await page.evaluateHandle(() => ({ event: new Promise((resolve) => document.querySelector("#reader").addEventListener("close", () => resolve(null), { once: true })) }));
  await page.keyboard.press("Escape");
  await closed.evaluate(({ event }) => event);
  assert.ok(await page.isHidden("#reader"));
}
const drawn = (at) => page.waitForSelector(`#reader-page .sheet[data-page="${at}"] canvas`);
/** The names and sizes of the files that are kept. */
const kept = () =>
  page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const folder = /** @type {any} */ (await root.getDirectoryHandle("pdf-files").catch(() => null));
    const found = [];
    for await (const handle of folder?.values() ?? []) found.push(await handle.getFile().then(({ size }) => size, () => null));
    return found.filter((size) => size !== null); // one may be removed meanwhile
  });
const untilKept = async (count) => {
  for (let tries = 0; (await kept()).length !== count; tries++) {
    assert.ok(tries < 200, `${count} files should be kept`);
    await page.waitForTimeout(50);
  }
};
/** Returns the share of dark pixels under each mark, and the place of the mark on the page. */
const underMarks = (kind) =>
  page.evaluate((kind) => {
    const canvas = document.querySelector("#reader-page canvas");
    const context = canvas.getContext("2d");
    return [...document.querySelectorAll(`#reader-page .page-mark.${kind}`)].map((mark) => {
      const [left, top, width, height] = ["left", "top", "width", "height"].map((name) => parseFloat(mark.style[name]) / 100);
      const { data } = context.getImageData(left * canvas.width, top * canvas.height, Math.max(1, width * canvas.width), Math.max(1, height * canvas.height));
      let dark = 0;
      for (let at = 0; at < data.length; at += 4) if (data[at] < 128) dark += 1;
      return { left, top, width, height, dark: (4 * dark) / data.length };
    });
  }, kind);

test("a hit in a PDF opens its page, drawn, with the passage marked where it is printed", async () => {
  await drop(page, { "handbook.pdf": HANDBOOK });
  assert.match((await reports(page))[0], /^handbook\.pdf added/);
  assert.deepEqual(await kept(), [HANDBOOK.length]);
  await openHit("quorndle");
  await drawn(2);
  assert.equal(await page.textContent("#page-at"), "Page 2 of 2");
  const marks = await underMarks("passage");
  assert.ok(marks.length >= 2, JSON.stringify(marks));
  for (const { left, width, dark } of marks) {
    assert.ok(left > 0.09 && left < 0.11, `it begins where the lines begin: ${left}`);
    assert.ok(width > 0.1 && width < 0.9 && dark > 0.03, `text is printed under it: ${dark} of ${width}`);
  }
  assert.match(await page.getAttribute("#reader-page .sheet", "aria-label"), /^Page 2 of 2: The handbook\. Marked: “.*”?/);
  assert.ok(await page.locator("#reader-page .page-mark").first().evaluate((mark) => mark.getBoundingClientRect().bottom > 0 && mark.getBoundingClientRect().top < innerHeight), "it is in view");
  await demo.screenshot("pdf-page");
});

test("pages are turned by buttons and keys, a page is zoomed, and one canvas alone is held", async () => {
  assert.deepEqual([await page.isDisabled("#page-back"), await page.isDisabled("#page-on")], [false, true]);
  await page.click("#page-back");
  await drawn(1);
  assert.deepEqual([await page.textContent("#page-at"), await page.isDisabled("#page-back")], ["Page 1 of 2", true]);
  assert.deepEqual(await underMarks("passage"), [], "the passage is on the other page");
  await page.focus("#reader-page");
  await page.keyboard.press("ArrowRight");
  await drawn(2);
  const width = () => page.evaluate(() => document.querySelector("#reader-page canvas").getBoundingClientRect().width);
  const atFirst = await width();
  await page.click("#page-larger");
  await page.waitForFunction((before) => document.querySelector("#reader-page canvas").getBoundingClientRect().width > 1.4 * before, atFirst);
  assert.equal(await page.getAttribute("#page-width", "aria-pressed"), "false");
  await page.click("#page-width");
  await page.waitForFunction((before) => document.querySelector("#reader-page canvas")?.getBoundingClientRect().width === before, atFirst);
  assert.equal(await page.locator("#reader-page canvas").count(), 1);
});

test("a canvas has a bounded number of pixels, however large a page is shown", async () => {
  const pixels = await page.evaluate(async (bytes) => {
    const url = "/reader/pdf-document.js";
    const { openPdf } = await import(url);
    const ending = new AbortController();
    const pdf = await openPdf(new Blob([Uint8Array.from(bytes)]), ending.signal);
    const canvas = await (await pdf.page(1)).drawn(9000, ending.signal, 3);
    ending.abort();
    return canvas.width * canvas.height;
  }, [...HANDBOOK]);
  assert.ok(pixels > 11_000_000 && pixels <= 12_000_000, String(pixels));
});

test("the page stays white in dark mode, fits a phone, has names for a screen reader, and nothing moves while it is drawn", async () => {
  await page.evaluate(`if (!globalThis.axe) { ${AXE} }`);
  for (const [name, colorScheme, width, height] of /** @type {const} */ ([["dark", "dark", 1280, 900], ["phone", "light", 390, 844], ["phone-dark", "dark", 360, 740]])) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction(() => Math.abs(document.querySelector("#reader-page canvas")?.getBoundingClientRect().width - document.querySelector("#reader-page .sheet").getBoundingClientRect().width) < 1);
    await page.waitForFunction((width) => document.querySelector("#reader-page .sheet").getBoundingClientRect().width <= width, width);
    assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector("#reader-page .sheet")).backgroundColor), "rgb(255, 255, 255)");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.querySelector("#reader").scrollWidth <= innerWidth));
    const { violations } = await page.evaluate(() => axe.run(document.querySelector("#reader"), { resultTypes: ["violations"] }));
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), [], name);
    await demo.screenshot(`pdf-page-${name}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
  await close();
  assert.equal(await page.locator("#reader-page canvas").count(), 0, "closed, it holds no canvas");
  await page.evaluate(() => {
    window.shifts = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => (window.shifts += Reflect.get(entry, "value")))).observe({ type: "layout-shift" });
  });
  await page.locator("#hits li button").first().click();
  await drawn(2);
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => window.shifts), 0);
});

test("the words that an answer quotes are marked within their passage, across the lines that part a word", async () => {
  await close();
  await demo.ask("At how many bar does the quorndle valve open?");
  await page.waitForSelector("#answer-text .cite, #answer .clip button, #answer .sources button");
  await page.locator("#answer-text .cite, #answer .sources button").first().click();
  await drawn(2);
  const marks = await underMarks("quoted");
  assert.equal(marks.length, 2, JSON.stringify(marks));
  assert.ok(marks[0].top < marks[1].top && marks.every(({ dark }) => dark > 0.03), JSON.stringify(marks));
  assert.match(await page.getAttribute("#reader-page .sheet", "aria-label"), /Marked: “The quorndle valve opens at seven bar and is mentioned nowhere else\.?”/);
  await demo.screenshot("pdf-quote");
});

test("the text is one press away, and what was chosen last is shown next time", async () => {
  assert.ok(await page.isHidden("#reader .text"));
  await page.check('#reader-views input[value="text"]');
  await page.waitForSelector("#reader .text mark.quoted");
  assert.ok(await page.locator("#reader .text mark.quoted").first().evaluate((mark) => mark.getBoundingClientRect().bottom < innerHeight), "it is in view");
  assert.deepEqual([await page.isHidden("#reader-page"), await page.isHidden("#reader-turn"), await page.locator("#reader canvas").count()], [true, true, 0]);
  await close();
  await openHit("quorndle");
  await page.waitForSelector("#reader .text mark");
  assert.ok(await page.isHidden("#reader-page"));
  await page.check('#reader-views input[value="page"]');
  await drawn(2);
  await close();
});

/** Replaces the kept file, as damage or another program would. */
const overwrite = (bytes) =>
  page.evaluate(async (bytes) => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("pdf-files");
    for await (const handle of /** @type {any} */ (folder).values()) {
      const writable = await handle.createWritable();
      await writable.write(Uint8Array.from(bytes));
      await writable.close();
    }
  }, [...bytes]);

test("a file that is damaged, locked or another one leads to the text, and says why", async () => {
  const failed = /^The pages of this file cannot be shown/;
  const other = /^The file at hand is another version of this document/;
  const moved = textPdf([["Quite other words"], ["stand on both pages of this edition, nothing of the former one remains."]]);
  for (const [bytes, why] of /** @type {[Buffer, RegExp][]} */ ([[Buffer.from("no PDF at all"), failed], [lockedPdf(), failed], [HANDBOOK.subarray(0, 300), failed], [textPdf([["One page."]]), other], [moved, other]])) {
    await overwrite(bytes);
    await openHit("quorndle");
    await page.waitForFunction((source) => new RegExp(source).test(document.querySelector("#page-said").textContent), why.source);
    await page.waitForSelector("#reader .text mark");
    assert.deepEqual([await page.isHidden("#reader-page"), await page.isDisabled('#reader-views input[value="page"]')], [true, true]);
    await close();
  }
  await overwrite(HANDBOOK);
  await openHit("quorndle");
  await drawn(2);
  await close();
});

test("closed while the page is still being drawn, nothing is left, and the next document is shown", async () => {
  await page.locator("#hits li button").first().click();
  await page.waitForSelector("#reader[open] #reader-page");
  await close();
  await page.waitForTimeout(500);
  assert.equal(await page.locator("#reader-page canvas").count(), 0);
  await page.locator("#hits li button").first().click();
  await drawn(2);
  await close();
});

test("a removed document keeps its file until the removal can no longer be undone", async () => {
  await demo.tab("library");
  const remove = page.locator('#documents li:has-text("The handbook") button.remove');
  await remove.click();
  await page.locator('.toasts button:has-text("Undo"), button:has-text("Undo")').first().click();
  assert.equal((await kept()).length, 1);
  await remove.click();
  await page.waitForSelector('button:has-text("Undo")');
  assert.equal((await kept()).length, 1);
  await demo.tab("ask"); // carries the removal out
  await untilTrue(page, () => vademecum.document("handbook.pdf").then(() => false, () => true));
  await untilKept(0);
});

/** A PDF of two pages that takes three megabytes. */
const LARGE = textPdf([["The first page"], ["Flimmerquist is mentioned on the second page."]], { title: "Large", trailer: `/Pad (${"a".repeat(3_000_000)})` });

/** Limits the space for the page to what it uses and so many bytes more. */
async function leaveRoom(bytes) {
  const session = await page.context().newCDPSession(page);
  const usage = await page.evaluate(() => navigator.storage.estimate().then(({ usage }) => usage));
  await session.send("Storage.overrideQuotaForOrigin", { origin: ORIGIN, ...(bytes !== null && { quotaSize: usage + bytes }) });
}
const untilStorageSays = (pattern) => page.waitForFunction((source) => new RegExp(source).test(document.querySelector("#storage-used").textContent), pattern.source);

test("where storage is full, a PDF is added with its text alone, which the line on storage tells", async () => {
  await demo.tab("library");
  await leaveRoom(1_500_000);
  await drop(page, { "large.pdf": LARGE });
  assert.match((await reports(page))[0], /^large\.pdf added: \d+ passages?\.$/);
  assert.deepEqual(await kept(), []);
  await untilStorageSays(/There was no room for 1 PDF file: the reader shows text instead of pages\.$/);
  await openHit("flimmerquist");
  await page.waitForSelector("#reader .text mark");
  assert.ok(await page.isHidden("#reader-views"), "no view is offered that there is not");
  await close();
  await leaveRoom(null);
  await demo.tab("library");
  await drop(page, { "large.pdf": LARGE });
  await reports(page);
  assert.deepEqual(await kept(), [LARGE.length]);
  await untilStorageSays(/^The library takes [\d.]+ (KB|MB); PDF files, to show their pages, 3\.0 MB[^:]*$/);
});

test("a document that finds no room in storage takes that of the kept files", async () => {
  await leaveRoom(20_000);
  const words = Array.from({ length: 4_000 }, (_, at) => `word${at * 7919}`).join(" ");
  await drop(page, { "long.md": `# Long\n\n${words}` });
  assert.match((await reports(page))[0], /^long\.md added/);
  assert.deepEqual(await kept(), []);
  await untilStorageSays(/There was no room for 1 PDF file/);
  await leaveRoom(null);
});

test("a file of more than 50 MB is not kept", async () => {
  await page.evaluate(async () => {
    const file = new File(["%PDF"], "huge.pdf");
    Object.defineProperty(file, "size", { value: 51 * 2 ** 20 });
    const { keepPdf } = await import("./library/pdf-files.js");
    await keepPdf({ collection: "default", id: "huge.pdf" }, file);
  });
  assert.deepEqual(await kept(), []);
});

test("storage that was cleared leaves the text, and deleting everything leaves no file", async () => {
  await drop(page, { "handbook.pdf": HANDBOOK });
  await reports(page);
  assert.equal((await kept()).length, 1);
  await page.evaluate(async () => (await navigator.storage.getDirectory()).removeEntry("pdf-files", { recursive: true }));
  await openHit("quorndle");
  await page.waitForSelector("#reader .text mark");
  assert.ok(await page.isHidden("#reader-views"));
  await close();
  await demo.tab("library");
  await drop(page, { "handbook.pdf": HANDBOOK });
  await reports(page);
  assert.equal((await kept()).length, 1);
  await page.click("#delete-all");
  await page.click('dialog.confirm button:has-text("Delete all")');
  await page.waitForFunction(() => /deleted\./.test(document.querySelector("#storage-told").textContent));
  await untilKept(0);
});

test("a PDF of a folder that is kept in sync is drawn from the folder, and no copy is kept", async () => {
  await page.evaluate(async (bytes) => {
    const folder = await (await (await navigator.storage.getDirectory()).getDirectoryHandle("papers", { create: true })).getDirectoryHandle("deep", { create: true });
    const writable = await (await folder.getFileHandle("manual.pdf", { create: true })).createWritable();
    await writable.write(Uint8Array.from(bytes));
    await writable.close();
    Reflect.set(window, "showDirectoryPicker", async () => (await navigator.storage.getDirectory()).getDirectoryHandle("papers"));
  }, [...HANDBOOK]);
  await page.click("#sync-folder");
  await page.waitForFunction(() => /In sync: 1 file added/.test(document.querySelector("#folders li p")?.textContent));
  assert.deepEqual(await kept(), []);
  await openHit("quorndle");
  await drawn(2);
  await close();
});

test("no request left the origin, and the console shows no errors", () => {
  assert.deepEqual(demo.origins(), [ORIGIN]);
  assert.deepEqual(demo.complaints, []);
});
