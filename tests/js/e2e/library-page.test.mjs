// The library tab: folders, collections, filters, thousands of documents, the map, storage, and state that persists between visits.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo, untilTrue } from "../support/demo.mjs";
import { drop, reports } from "../support/files.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

let demo;
let page;
let folder;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "library-"));
  demo = await startDemo();
  page = demo.page;
  page.setDefaultTimeout(90_000);
  await useSmallSample(page);
  await demo.open("/#library");
});
after(async () => {
  await demo?.close();
  await rm(folder, { recursive: true, force: true });
});

const stats = () => page.evaluate(() => vademecum.stats());
const titles = () => page.locator("#documents .name").allTextContents();
const until = (text) => page.waitForFunction((text) => document.querySelector("#documents-range").textContent === text, text);

test("a folder is added recursively with its paths, without hidden system files", async () => {
  const files = { "notes/one.md": "# First note\n\nAbout rivers.", "notes/deep/two.txt": "About lakes.", "notes/.git/config": "hidden", "notes/.DS_Store": "hidden" };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  await page.setInputFiles("#folder", path.join(folder, "notes"));
  assert.deepEqual((await reports(page)).sort(), ["notes/deep/two.txt added: 1 passage.", "notes/one.md added: 1 passage."]);
  const found = await page.evaluate(() => vademecum.documents({ filters: { folder: "notes/deep" } }));
  assert.deepEqual(found.documents.map(({ id }) => id), ["notes/deep/two.txt"]);
});

test("files are added to the chosen collection, which can be created here and deleted after a confirmation", async () => {
  await page.selectOption("#collection", { label: "A new collection…" });
  await page.click('#collection-form button[type="submit"]');
  await page.waitForFunction(() => /name with at least one letter/.test(document.querySelector("#collection-notice").textContent));
  await page.fill("#collection-name", "contracts");
  await page.fill("#collection-description", "Signed contracts");
  await page.selectOption("#collection-language", "German");
  await demo.screenshot("library-collection-form");
  await page.click('#collection-form button[type="submit"]');
  await page.waitForFunction(() => document.querySelector("#collection").value === "contracts");
  // An existing name is rejected, because the description of that collection would be lost.
  for (const name of ["My Documents", "default", "rust-book"]) {
    await page.selectOption("#collection", { label: "A new collection…" });
    await page.fill("#collection-name", name);
    await page.fill("#collection-description", "mine");
    await page.click('#collection-form button[type="submit"]');
    await page.waitForFunction(() => /A collection named “(My documents|The Rust book, chapters 4, 8 and 9)” already exists/.test(document.querySelector("#collection-notice").textContent));
    await page.click("#collection-cancel");
  }
  assert.match((await stats()).collections.find(({ name }) => name === "rust-book").description, /CC0-1\.0/);
  assert.equal(await page.inputValue("#collection"), "contracts");
  await drop(page, { "vertrag.md": "# Vertrag\n\nDer Mieter zahlt monatlich." });
  assert.match((await reports(page))[0], /vertrag\.md added/);
  const made = (await stats()).collections.find(({ name }) => name === "contracts");
  assert.deepEqual([made.documents, made.description, made.language], [1, "Signed contracts", "german"]);
  await page.click('button[aria-label="Delete the collection contracts"]');
  await page.click('dialog.confirm button:has-text("Cancel")');
  assert.equal((await stats()).collections.find(({ name }) => name === "contracts").documents, 1);
  await page.click('button[aria-label="Delete the collection contracts"]');
  await page.click("dialog.confirm button.primary");
  await page.waitForFunction(() => !document.querySelector("#collections").textContent.includes("contracts"));
  assert.equal((await stats()).collections.find(({ name }) => name === "contracts").documents, 0);
  assert.equal(await page.inputValue("#collection"), "default");
});

test("metadata values filter the documents, with counts, and a chip shows the filter until it is cleared", async () => {
  const rows = ["ACME,2021", "ACME,2022", "Globex,2022", "Globex,2023", "Globex,2023"].map((row, at) => `Order ${at + 10},${row}`);
  await drop(page, { "orders.csv": `title,vendor,year\n${rows.join("\n")}\n` });
  assert.match((await reports(page))[0], /orders\.csv added: 5 rows/);
  const value = (field, name) => page.locator(`#facets fieldset:has(legend:text-is("${field}")) label`, { hasText: name });
  assert.match(await value("vendor", "Globex").textContent(), /Globex3/);
  await value("vendor", "Globex").click();
  await until("1 file, 3 rows");
  assert.equal(await page.textContent("#filter-text"), "Only documents with vendor Globex");
  assert.match(await value("year", "2022").textContent(), /20221/, "the counts of the other fields follow");
  assert.match(await value("vendor", "ACME").textContent(), /ACME2/, "those of its own stay");
  await value("year", "2023").click();
  await until("1 file, 2 rows");
  await page.click('#documents button[title="orders.csv"]');
  assert.deepEqual(await titles(), ["orders.csv", "Order 13", "Order 14"]);
  await demo.screenshot("library-filters", { fullPage: true });
  await page.click("#filter-clear");
  await page.waitForFunction(() => document.querySelector("#filter-chip").hidden);
  await page.waitForFunction(() => document.querySelectorAll("#facets input:checked").length === 0);
});

test("documents can be searched by title, opened and removed", async () => {
  await page.fill("#document-search", "order 12");
  await until("1 file, 1 row");
  assert.deepEqual(await titles(), ["orders.csv", "Order 12"], "rows that were found are shown at once");
  await page.click("#documents .rows .title");
  await page.waitForSelector("#reader[open]");
  assert.match(await page.textContent("#reader .text"), /vendor: Globex/);
  // Includes fields without a filter, because all values differ or all are equal.
  const values = () => page.evaluate(() => Object.fromEntries([...document.querySelectorAll("#reader-values > div")].map((one) => [...one.children].map(({ textContent }) => textContent))));
  assert.deepEqual(await values(), { type: "csv", file: "orders.csv", title: "Order 12", vendor: "Globex", year: "2022", path: "orders.csv" });
  assert.equal(await page.textContent("#reader-metadata-count"), "6");
  await page.click("#reader-metadata summary");
  await demo.screenshot("reader-metadata");
  await page.keyboard.press("Escape");
  await drop(page, { "nested.jsonl": JSON.stringify({ title: "Nested", metadata: { author: { name: "Ada" }, tags: ["a", 2], none: null } }) });
  await reports(page);
  await page.fill("#document-search", "nested");
  await page.waitForFunction(() => document.querySelector("#documents .name")?.textContent === "nested.jsonl");
  await page.click('#documents button[title="nested.jsonl"]');
  await page.click("#documents .rows .title");
  await page.locator("#reader[open] .heading", { hasText: /^Nested$/ }).waitFor();
  assert.deepEqual(await values(), { type: "jsonl", file: "nested.jsonl", title: "Nested", "author.name": "Ada", tags: "a, 2", path: "nested.jsonl" });
  await page.keyboard.press("Escape");
  await page.click('#documents button[aria-label="Remove Nested"]');
  await page.fill("#document-search", "order 12");
  await page.waitForFunction(() => document.querySelector("#documents .rows .name")?.textContent === "Order 12");
  await page.click('#documents button[aria-label="Remove Order 12"]');
  await page.waitForFunction(() => document.querySelector("#toasts .toast:last-child p")?.textContent === "Removed Order 12.");
  await demo.tab("ask"); // leaving the tab ends the time for undo
  await demo.tab("library");
  await page.waitForSelector("#documents-empty:not([hidden])");
  assert.match(await page.textContent("#documents-empty"), /No document matches/);
  await page.fill("#document-search", "");
  await page.waitForFunction(() => document.querySelectorAll("#documents > li").length > 3);
  assert.equal(await page.inputValue("#document-search"), "");
});

test("files are listed with the newest first, or by title, or the longest first, and the choice is kept", async () => {
  await drop(page, { "zebra.md": "# Zebra\n\nShort.", "aardvark.md": `# Aardvark\n\n${"It digs for ants in the night, and sleeps by day. ".repeat(60)}` });
  await reports(page);
  const firstIs = (name) => page.waitForFunction((name) => document.querySelector("#documents .name")?.textContent === name, name);
  await firstIs("Aardvark");
  await drop(page, { "zebra.md": "# Zebra\n\nReplaced." });
  await firstIs("Zebra");
  assert.match(await page.textContent("#library-size"), /^\d+ files, 4 rows, \d+ passages$/);
  await page.waitForFunction(() => /My documents\d+ files, \d+ documents/.test(document.querySelector("#collections").textContent)); // each row of the table is a document
  await page.selectOption("#document-sort", "title");
  await firstIs("Aardvark");
  await page.selectOption("#document-sort", "newest");
  await firstIs("Zebra");
  await page.selectOption("#document-sort", "size");
  await firstIs("Aardvark");
  assert.equal(await page.evaluate(() => localStorage.getItem("vademecum.library-sort")), '"size"');
  await page.selectOption("#document-sort", "newest");
});

test("“Ask” beside a file narrows questions to it, by a chip that can be cleared", async () => {
  await page.click('#documents button[aria-label="Ask Zebra"]');
  assert.ok(await page.isVisible("#ask"));
  assert.equal(await page.evaluate(() => document.activeElement.id), "question");
  assert.equal(await page.textContent("#filter-text"), "Only zebra.md");
  const { hits } = await page.evaluate(() => vademecum.search("short replaced digs", { mode: "keyword", filters: [{ field: "path", operator: "in", value: ["zebra.md"] }] }));
  assert.deepEqual([...new Set(hits.map(({ docId }) => docId))], ["zebra.md"]);
  await page.click("#filter-clear");
  await demo.tab("library");
});

test("numbers and dates can be narrowed to a range", async () => {
  const rows = Array.from({ length: 12 }, (_, at) => `Probe ${at},${at * 1.5},2024-03-${String(at + 1).padStart(2, "0")}`);
  await drop(page, { "probes.csv": `title,depth,taken\n${rows.join("\n")}\n` });
  await reports(page);
  const end = (name) => page.locator(`#facets [aria-label="${name}"]`);
  await end("depth from").fill("3");
  await end("depth from").press("Enter");
  await until("1 file, 10 rows");
  assert.equal(await page.textContent("#filter-text"), "Only documents with depth from 3");
  await end("taken to").fill("2024-03-05");
  await end("taken to").press("Enter");
  await until("1 file, 3 rows");
  assert.equal(await page.textContent("#filter-text"), "Only documents with depth from 3, and taken to 2024-03-05");
  await demo.screenshot("library-ranges", { fullPage: true });
  await end("depth from").fill("");
  await end("depth from").press("Enter");
  await until("1 file, 5 rows");
  await page.click("#filter-clear");
  await page.waitForFunction(() => document.querySelector('#facets [aria-label="depth from"]').value === "");
  // Typed digit by digit, a year begins with years long ago: nothing is narrowed before the field is left.
  await end("taken from").focus();
  await page.keyboard.type("03102024");
  assert.ok(await page.isHidden("#filter-chip"));
  await end("depth to").focus();
  await until("1 file, 3 rows");
  assert.equal(await page.textContent("#filter-text"), "Only documents with taken from 2024-03-10");
  const some = page.locator('#documents .remove[aria-label="Remove 3 rows of probes.csv"]');
  assert.equal(await some.textContent(), "Remove 3 rows");
  await end("taken from").focus();
  await page.keyboard.press("Backspace"); // half a date is no empty field
  await end("depth to").focus();
  assert.equal(await page.textContent("#filter-text"), "Only documents with taken from 2024-03-10");
  await some.click();
  assert.equal(await page.textContent("#toasts .toast p"), "Removed 3 rows of probes.csv.");
  await page.click("#filter-clear");
  await page.click('#documents .remove[aria-label="Remove probes.csv"]');
});

test("the map shows, describes and opens passages, and marks the latest hits", async () => {
  await demo.ready();
  await page.waitForSelector("#map:not([hidden])");
  assert.match(await page.textContent("#map-about"), /^\d+ passages\. What is alike in meaning lies close together; two directions show \d+ %/);
  await demo.ask("Which birds fly without a sound?");
  await page.waitForSelector("#hits li");
  await demo.tab("library");
  await page.focus("#map");
  await page.keyboard.press("ArrowRight"); // starts at the best hit
  await page.waitForSelector("#map-tip:not([hidden])");
  assert.match(await page.textContent("#map-tip"), /^1\. Owls/);
  await demo.screenshot("library-map");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#reader[open] mark");
  assert.match(await page.textContent("#reader mark"), /Owls fly without a sound/);
  await page.keyboard.press("Escape");
  await page.click(".map-part summary");
  assert.match(await page.textContent("#map-words li:first-child"), /^Passage 1 of the last question is in Owls, nearest to passages of /);
  await page.locator("#map").scrollIntoViewIfNeeded();
  const box = await page.locator("#map").boundingBox();
  const [one] = await page.evaluate(async () => {
    const [{ values, dimensions }, { project }] = await Promise.all([vademecum.vectors(), import("./library/projection.js")]);
    return (await project(values, dimensions)).points;
  });
  await page.mouse.move(box.x + box.width / 2 + one.x * (box.width / 2 - 22), box.y + box.height / 2 - one.y * (box.height / 2 - 22));
  await page.waitForSelector("#map-tip:not([hidden])");
});

test("the library can be exported to a file and imported again after everything was deleted", async () => {
  const before = await stats();
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#export")]);
  const file = await readFile(await download.path());
  await page.click("#delete-all");
  await page.click('dialog.confirm button:has-text("Delete all")');
  await page.waitForFunction(() => document.querySelector("#library-size").textContent === "empty");
  assert.match(await page.textContent("#documents-empty"), /add the sample again/);
  await demo.screenshot("library-empty", { fullPage: true });
  await drop(page, { "library.vdm": file });
  await page.waitForFunction(() => /documents imported from library\.vdm/.test(document.querySelector("#storage-told").textContent));
  const { documents, chunks, pending } = await stats();
  assert.deepEqual({ documents, chunks, pending }, { documents: before.documents, chunks: before.chunks, pending: 0 });
  await page.setInputFiles("#import-file", { name: "broken.vdm", mimeType: "", buffer: file.subarray(0, file.length / 2) });
  await page.waitForSelector("#notice:not([hidden])");
  assert.match(await page.textContent("#notice"), /damaged|cut/);
  assert.equal((await stats()).documents, documents, "a damaged file changes nothing");
});

test("the sample can be added again", async () => {
  await page.click('button[aria-label="Delete the collection The Rust book, chapters 4, 8 and 9"]');
  await page.click("dialog.confirm button.primary");
  await page.waitForFunction(() => !document.querySelector("#collections").textContent.includes("Rust book"));
  await page.click("#add-sample");
  await page.waitForFunction(() => document.querySelector("#collections").textContent.includes("Rust book"));
});

test("added documents are there after a reload", async () => {
  await page.waitForFunction(() => document.querySelector("#storage-told").textContent.startsWith("The sample is"), null, { timeout: 120_000 });
  const before = await stats();
  assert.equal(before.library.kind, "opfs");
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  await page.waitForSelector("#documents li");
  assert.equal((await stats()).documents, before.documents);
  assert.ok((await page.evaluate(() => vademecum.document("notes/one.md"))).text.includes("rivers"));
  assert.match(await page.textContent("#storage-kind"), /Stored in this browser/);
});

test("the browser is asked to keep the library, and its reply is shown", async () => {
  await page.click("#persist");
  await page.waitForFunction(() => /keeps it even when space runs short|refused/.test(document.querySelector("#persist-told").textContent));
  assert.equal(await page.isHidden("#persist"), /keeps it/.test(await page.textContent("#persist-told")));
});

test("full storage is reported with sizes, existing data stays, and unsaved data is removed", async () => {
  const before = await stats();
  const session = await page.context().newCDPSession(page);
  const { usage } = before.library;
  await session.send("Storage.overrideQuotaForOrigin", { origin: ORIGIN, quotaSize: usage + 30_000 });
  const words = Array.from({ length: 60_000 }, (_, at) => `word${at * 7919}`).join(" ");
  await drop(page, { "too-much.md": `# Too much\n\n${words}` });
  const [line] = await reports(page);
  assert.match(line, /too-much\.md was not added\. The browser's storage is full: .*Remove documents, free disk space, or ask the browser, under Storage, to keep the library\.$/);
  await demo.screenshot("library-storage-full", { fullPage: true });
  await session.send("Storage.overrideQuotaForOrigin", { origin: ORIGIN });
  assert.equal((await stats()).documents, before.documents);
  await drop(page, { "small.md": "# Small\n\nFits again." });
  assert.match((await reports(page))[0], /small\.md added/);
});

test("ten thousand files at once: all but the bad ones are added, the page stays responsive, and the report is one line", async () => {
  await page.evaluate(() => {
    const transfer = new DataTransfer();
    for (let at = 0; at < 9998; at++) transfer.items.add(new File([`# Note ${at}\n\nThis is the note number ${at}.`], `note-${at}.md`));
    transfer.items.add(new File(["  "], "blank.md"));
    transfer.items.add(new File([Uint8Array.of(0x67, 0xfc, 0xdf)], "odd.txt"));
    window.longest = 0;
    let last = performance.now();
    window.watch = setInterval(() => {
      const now = performance.now();
      window.longest = Math.max(window.longest, now - last);
      last = now;
    }, 20);
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  });
  await page.waitForFunction(() => /Understanding/.test(document.querySelector(".adding-said")?.textContent), null, { timeout: 400_000 });
  const longest = await page.evaluate(() => (clearInterval(window.watch), window.longest));
  await page.click("#file-reports .adding-head button");
  const lines = await reports(page);
  assert.match(await page.textContent(".adding-said"), /^9,998 added, 2 not added: blank\.md, odd\.txt\./);
  assert.equal(lines.length, 2);
  // How many were embedded before the work was stopped depends on the machine.
  assert.match(await page.textContent("#storage-pending"), /^9,\d{3} passages without vectors/);
  assert.ok(await page.isEnabled("#understand"), "what was stopped can be gone on with");
  const { total } = await page.evaluate(() => vademecum.documents({ collections: ["default"], limit: 1 }));
  assert.ok(total >= 9998);
  const range = /^1–20 of [\d,]+ files, \d rows$/;
  assert.match(await page.textContent("#documents-range"), range);
  assert.equal(await page.locator("#documents > li").count(), 20);
  await page.fill("#document-search", "note 9997");
  await until("1 file");
  await demo.screenshot("library-thousands", { fullPage: true });
  console.log(`longest the page was busy: ${Math.round(longest)} ms`);
  assert.ok(longest < 3000, `the page did not answer for ${Math.round(longest)} ms`);
});

test("a tab closed while passages are embedded leaves the texts, and the next one continues", async () => {
  const { documents, pending } = await stats();
  assert.ok(pending > 1000, `${pending} passages are still to be understood`);
  const { context } = { context: page.context() };
  await page.close();
  page = await context.newPage();
  await page.goto(`${ORIGIN}/#library`);
  await page.waitForSelector("body[data-searchable]");
  const now = await stats();
  assert.equal(now.documents, documents);
  await untilTrue(page, (before) => vademecum.stats().then((now) => now.pending < before), now.pending, { pause: 1000 });
  const { hits } = await page.evaluate(() => vademecum.search("note number 4321", { mode: "keyword", limit: 1 }));
  assert.equal(hits[0].docId, "note-4321.md");
});

test("no request left the origin, and the console shows no errors", () => {
  assert.deepEqual(demo.origins(), [ORIGIN]);
  assert.deepEqual(demo.complaints, []);
});
