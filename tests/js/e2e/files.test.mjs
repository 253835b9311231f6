// Files of every kind, valid and invalid: the text read from them, and actionable messages for failures.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { docx, drop, dropFolder, hold, LOCKED, lockedPdf, mappedPdf, reports, scannedPdf, textPdf, zip } from "../support/files.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

let demo;
let page;
before(async () => {
  demo = await startDemo();
  page = demo.page;
  page.setDefaultTimeout(90_000);
  await useSmallSample(page);
  await demo.open();
});
after(() => demo?.close());

/** Small archives that unpack to 70 MB of XML; one declares that size, the other a smaller one. */
const swollen = (options) => docx([["Normal", " ".repeat(70_000_000)]], { isPacked: true, ...options });
const swollenBook = () =>
  zip({ "META-INF/container.xml": "<rootfile full-path='b.opf'/>", "b.opf": "<package><item id='c' href='c.xhtml'/><itemref idref='c'/></package>", "c.xhtml": `<body>${" ".repeat(70_000_000)}</body>` }, { isPacked: true });

const stored = (...place) => page.evaluate((place) => vademecum.document(...place), place);
const search = (query, options) => page.evaluate(([query, options]) => vademecum.search(query, { mode: "keyword", ...options }), [query, options]);
const counts = async () => {
  const { documents, chunks } = await page.evaluate(() => vademecum.stats());
  return { documents, chunks };
};

test("a PDF keeps its pages, title and author, and hits have page numbers", async () => {
  const lines = (what) => Array.from({ length: 30 }, (_, at) => `Line ${at} of this part speaks of ${what}.`);
  const second = [...lines("clouds and of rain"), "Quillfeather is men-", "tioned on the second page alone."];
  const file = textPdf([["The first part", ...lines("harbours and of ships")], second], { title: "The handbook" });
  await drop(page, { "handbook.pdf": file });
  assert.match((await reports(page))[0], /^handbook\.pdf added: \d+ passages?\.$/);
  const { title, metadata, text } = await stored("handbook.pdf");
  assert.deepEqual([title, metadata.author, metadata.type], ["The handbook", "Ada Example", "pdf"]);
  assert.match(text, /this part speaks of harbours and of ships\.\n/);
  assert.match(text, /Quillfeather is mentioned on the second page alone/, "a word that was parted at a line's end is one again");
  const { hits } = await search("second page alone mentioned Quillfeather");
  assert.equal(hits[0].docId, "handbook.pdf");
  assert.equal(hits[0].page, 2);
});

test("PDFs in Chinese and Japanese that only name their character map are read", async () => {
  const maps = () => page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("character-maps.bin")).length);
  assert.equal(await maps(), 0, "nobody needed them yet");
  await page.evaluate(() => performance.clearResourceTimings()); // its list is full after some hundred files
  const chinese = mappedPdf({ map: "GBK-EUC-H", ordering: "GB1", hex: "cda8b9fdc3d4b9ac" }); // 通过迷宫
  const japanese = mappedPdf({ map: "90ms-RKSJ-H", ordering: "Japan1", hex: "93fa967b8cea82cc95b68f91" }); // 日本語の文書
  const wide = mappedPdf({ map: "UniGB-UCS2-H", ordering: "GB1", hex: "4e2d6587" }); // 中文
  await drop(page, { "chinese.pdf": chinese, "japanese.pdf": japanese, "wide.pdf": wide });
  for (const line of await reports(page)) assert.match(line, /^(chinese|japanese|wide)\.pdf added: 1 passage/);
  const text = async (id) => (await stored(id)).text.trim();
  assert.deepEqual([await text("chinese.pdf"), await text("japanese.pdf"), await text("wide.pdf")], ["通过迷宫", "日本語の文書", "中文"]);
  assert.equal(await maps(), 1);
});

test("a Word document keeps its headings", async () => {
  const file = docx([["Heading1", "Travel rules"], ["Normal", "Everyone travels by train."], ["Heading2", "Hotels"], ["Normal", "Wumpelstein pays at most ninety a night."]]);
  await drop(page, { "rules.docx": file });
  assert.match((await reports(page))[0], /^rules\.docx added: \d passages?\.$/);
  assert.equal((await stored("rules.docx")).title, "Travel rules");
  const { hits } = await search("Wumpelstein");
  assert.deepEqual(hits[0].headings.slice(-1), ["Hotels"]);
});

test("a CSV file of records becomes one document per row, with types for filters", async () => {
  const csv = 'name,city,seats,opened,note\r\n"Hall, old",Ulm,120,1999-05-01,"He said ""stay""\nand left"\r\nNew hall,Bonn,300,2012-10-30,\r\nArena,Ulm,9000,2020-01-15,loud\r\n';
  await drop(page, { "halls.csv": csv });
  assert.match((await reports(page))[0], /^halls\.csv added: 3 rows\.$/);
  const { title, text, metadata } = await stored("halls.csv#1");
  assert.equal(title, "Hall, old");
  assert.match(text, /note: He said "stay"\nand left/);
  assert.deepEqual([metadata.seats, metadata.opened, metadata.city], [120, "1999-05-01", "Ulm"]);
  const ids = (filters) => page.evaluate((filters) => vademecum.documents({ filters }).then(({ documents }) => documents.map(({ id }) => id)), filters);
  assert.deepEqual(await ids({ seats: { ">": 200 }, opened: { ">": "2015-01-01" } }), ["halls.csv#3"]);
  await drop(page, { "halls.csv": csv });
  assert.equal((await reports(page))[0], "halls.csv is in the library already, and has not changed.");
  await drop(page, { "halls.csv": csv, "new-hall.md": "# New hall\n\nIt opened." });
  assert.match((await reports(page))[1], /^new-hall\.md added: 1 passage\.$/);
  assert.equal(await page.textContent(".adding-said"), "1 added, 1 in the library already.");
  await drop(page, { "halls.csv": csv.split("\r\n").slice(0, -2).join("\r\n") });
  assert.match((await reports(page))[0], /^halls\.csv replaced: 2 rows\.$/, "a row is gone");
  // The same file with fewer rows replaces the older one.
  await drop(page, { "halls.csv": "name,city,seats\nNew hall,Bonn,310\nSmall hall,Bonn,40\n" });
  assert.match((await reports(page))[0], /^halls\.csv replaced: 2 rows\.$/);
  assert.deepEqual(await ids({ file: "halls.csv" }), ["halls.csv#1", "halls.csv#2"]);
});

test("the report tells of a CSV file without a header, and of one that is no table", async () => {
  await drop(page, { "ages.csv": "Ada,31\nBen,44\n", "torn.csv": 'a,b,c\n1,2,3\n4,"5,6\n7,8,9\n' });
  assert.deepEqual(await reports(page), [
    "ages.csv added: 2 rows. No header row was found: the columns are named “column 1”, “column 2” and so on.",
    "torn.csv added: 1 passage. It could not be read as a table (line 3), and was added as text.",
  ]);
  assert.equal(await page.locator('#file-reports li[data-state="warning"]').count(), 2, "what was made of them differs from what the files say");
  assert.deepEqual((await stored("ages.csv#2")).metadata, { type: "csv", file: "ages.csv", "column 1": "Ben", "column 2": 44, path: "ages.csv" });
  await page.evaluate(() => vademecum.remove("default", ["ages.csv#1", "ages.csv#2", "torn.csv"]));
});

test("JSON Lines become documents with metadata; an invalid line is named", async () => {
  const lines = [{ id: "a", title: "Ferns", text: "Ferns like shade.", url: "https://example.org/ferns", metadata: { family: "Polypodiopsida" } }, { title: "Moss", height: 3 }];
  await drop(page, { "plants.jsonl": lines.map((line) => JSON.stringify(line)).join("\n"), "broken.jsonl": '{"text":"fine"}\n{"text":' });
  const [good, bad] = await reports(page);
  assert.match(good, /^plants\.jsonl added: 2 rows/);
  assert.match(bad, /^broken\.jsonl was not added\. Line 2 is not an object/);
  const fern = await stored("plants.jsonl#a");
  assert.deepEqual([fern.title, fern.url, fern.text, fern.metadata.family], ["Ferns", "https://example.org/ferns", "Ferns like shade.", "Polypodiopsida"]);
  assert.equal((await stored("plants.jsonl#2")).metadata.height, 3);
});

test("UTF-16 with a byte order mark is read, and text in an older Windows encoding at the user's request", async () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("Zürich liegt am See.", "utf16le")]);
  await drop(page, { "utf16.txt": utf16, "windows.txt": Buffer.from("Stra\xdfe und B\xe4ume \x96 alles da.", "latin1") });
  const [first, second] = await reports(page);
  assert.match(first, /^utf16\.txt added/);
  assert.match(second, /^windows\.txt was not added\. .*not UTF-8: byte 4/);
  await page.click('#file-reports button:has-text("Windows-1252")');
  await page.waitForFunction(() => /windows\.txt added/.test(document.querySelector("#file-reports").textContent));
  assert.equal((await stored("windows.txt")).text, "Straße und Bäume – alles da.");
  assert.equal((await stored("utf16.txt")).text, "Zürich liegt am See.");
});

test("of several files in an older Windows encoding, each can be converted, and stays in its collection", async () => {
  const latin1 = (text) => Buffer.from(text, "latin1");
  await drop(page, { "one.txt": latin1("K\xf6ln"), "two.txt": latin1("M\xfcnchen"), "three.txt": latin1("N\xfcrnberg") });
  await page.waitForFunction(() => document.querySelectorAll("#file-reports li button").length === 3);
  await page.selectOption("#collection", "rust-book");
  const buttonOf = (name) => page.locator("#file-reports li", { hasText: `${name} was not added` }).locator("button");
  await buttonOf("two.txt").focus();
  await page.keyboard.press("Enter");
  assert.match(await page.evaluate(() => document.activeElement.closest("li")?.textContent), /^three\.txt/, "the focus goes on to the next");
  await page.waitForFunction(() => /two\.txt added/.test(document.querySelector("#file-reports").textContent));
  assert.match(await page.locator(".adding-said").first().textContent(), /^0 added, 2 not added: one\.txt, three\.txt\.$/);
  await buttonOf("one.txt").click();
  await buttonOf("three.txt").click();
  for (const name of ["one", "three"]) await page.waitForFunction((name) => document.querySelector("#file-reports").textContent.includes(`${name}.txt added`), name);
  assert.deepEqual((await reports(page)).map((line) => line.split(":")[0]).sort(), ["one.txt added", "three.txt added", "two.txt added"]);
  assert.deepEqual([(await stored("one.txt")).text, (await stored("two.txt")).text, (await stored("three.txt")).text], ["Köln", "München", "Nürnberg"]);
  await page.selectOption("#collection", "default");
});

test("HTML is read, and never executed", async () => {
  const html = `<title>Offer</title><p>Only this.</p><script>window.ran = 1</script><img src="x" onerror="window.ran = 2"><iframe srcdoc="<script>parent.ran = 3</script>"></iframe>`;
  await drop(page, { "page.html": html });
  await reports(page);
  await page.click('#documents button[title="page.html"]');
  await page.waitForSelector("#reader[open]");
  assert.equal(await page.textContent("#reader .heading"), "Offer");
  assert.equal((await page.textContent("#reader .text")).trim(), "Only this.");
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.deepEqual(demo.proxy.seen.filter(({ path }) => path === "/x"), []);
  await page.keyboard.press("Escape");
});

test("bad files are refused with actionable sentences, good ones beside them are added, and the rest is unchanged", async () => {
  const before = await counts();
  await drop(page, {
    "empty.txt": "  \n",
    "nothing.md": "",
    "archive.md": zip({ "a.txt": "inside" }),
    "paper.md": Buffer.from("%PDF-1.7 \xff", "latin1"),
    "program.txt": Buffer.from([0, 1, 2, 0xff]),
    "locked.pdf": lockedPdf(),
    "scan.pdf": scannedPdf(),
    "drawing.pdf": Buffer.from("\x89PNG\r\n\x1a\n and so on", "latin1"),
    "damaged.pdf": Buffer.from("%PDF-1.7 and then nothing"),
    "no-word.docx": zip({ "a.txt": "inside" }),
    "swollen.docx": swollen(),
    "swollen.epub": swollenBook(),
    "lying.docx": swollen({ said: (size) => Math.min(size, 5000) }),
    "old.docx": Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 1, 2, 3]),
    "photo.jpeg": Buffer.from([0xff, 0xd8, 0xff]),
    "good.md": "# Good\n\nThis one is fine.",
  });
  const lines = await reports(page);
  const said = (name) => lines.find((line) => line.includes(name)); // those refused for the same reason share a line
  assert.match(said("empty.txt"), /not added\. It contains no text/);
  assert.match(said("nothing.md"), /not added\. It contains no text/);
  assert.match(said("archive.md"), /not added\. It is a zip archive\. Unpack it, and add the files in it/);
  assert.match(said("paper.md"), /not added\. It is a PDF\. Restore its extension \.pdf/);
  assert.match(said("program.txt"), /not added\. It is not text\..*save it as text or PDF/);
  assert.match(said("locked.pdf"), /protected by a password.*save or print it as a PDF without one/);
  assert.match(said("scan.pdf"), /images, as in a scan.*Its text can be recognised/);
  assert.match(said("drawing.pdf"), /It is a picture \(PNG\), not a PDF, whatever its name says\. Rename it to end in \.png/);
  assert.match(said("damaged.pdf"), /damaged, or not a PDF.*save it again/);
  assert.match(said("no-word.docx"), /damaged, or not a Word document.*save it again/);
  for (const name of ["swollen.docx", "swollen.epub"]) assert.match(said(name), /exceed 64 MB when unpacked/);
  assert.match(said("lying.docx"), /damaged, or not a Word document|exceed 64 MB when unpacked/, "what an archive says of itself is not believed");
  assert.match(said("old.docx"), /protected by a password, or is in the format of Word before 2007.*save it as \.docx/);
  assert.match(said("photo.jpeg"), /It is a picture\. Its text can be recognised\./);
  assert.match(said("good.md"), /^good\.md added: 1 passage/);
  assert.deepEqual(await counts(), { documents: before.documents + 1, chunks: before.chunks + 1 });
  await demo.screenshot("library-bad-files", { fullPage: true });
});

test("one or all waiting files can be cancelled while others are read", async () => {
  const before = await counts();
  let letGo = await hold(page, "slow.md");
  await drop(page, { "slow.md": "# Slow", "not-this.md": "# Not this", "this.md": "# This\n\nBut this." });
  await page.focus('button[aria-label="Cancel not-this.md"]');
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.ariaLabel === "Cancel this.md"); // the focus moves to the next file
  await letGo();
  assert.deepEqual(await reports(page), ["slow.md added: 1 passage.", "not-this.md was not added: adding was stopped.", "this.md added: 1 passage."]);
  const after = await counts();
  assert.equal(after.documents, before.documents + 2);
  letGo = await hold(page, "slower.md");
  await drop(page, { "slower.md": "# Slower", "later.md": "# Later" });
  await page.click('#file-reports .adding-head button:has-text("Stop")');
  await letGo();
  assert.deepEqual(await reports(page), ["slower.md was not added: adding was stopped.", "later.md was not added: adding was stopped."]);
  assert.deepEqual(await counts(), after);
});

test("files that wait for others say so, and can be stopped immediately", async () => {
  const before = await counts();
  const letGo = await hold(page, "first.md");
  await drop(page, { "first.md": "# First" });
  await page.waitForFunction(() => document.querySelector(".adding-said")?.textContent === "Reading first.md…");
  await drop(page, { "second.md": "# Second" });
  const second = page.locator("#file-reports .adding").nth(1);
  assert.equal(await second.locator(".adding-said").textContent(), "second.md: waiting for earlier files.");
  await second.locator('.adding-head button:has-text("Stop")').focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector('#file-reports .adding:nth-child(2)[data-state="done"]');
  assert.equal(await page.getAttribute("#file-reports .adding:nth-child(1)", "data-state"), "busy");
  assert.equal(await second.locator("li").textContent(), "second.md was not added: adding was stopped.");
  assert.equal(await page.evaluate(() => document.activeElement.id), "pick-files", "the focus is not lost with the button");
  await letGo();
  assert.deepEqual(await reports(page), ["first.md added: 1 passage.", "second.md was not added: adding was stopped."]);
  assert.equal((await counts()).documents, before.documents + 1);
});

test("progress of files is announced when its state changes, and not with every number", async () => {
  await page.evaluate(() => {
    window.readOut = [];
    const told = document.querySelector(".adding-told");
    window.ear = new MutationObserver(() => window.readOut.push(told.textContent));
    window.ear.observe(told, { childList: true });
  });
  await drop(page, Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`told-${at}.md`, at === 7 ? " " : `# Told ${at}`])));
  await reports(page);
  assert.deepEqual(await page.evaluate(() => (window.ear.disconnect(), window.readOut)), [
    "Reading 25 files…",
    "24 files can be searched by words. Understanding what they say…",
    "24 added, 1 not added: told-7.md.",
  ]);
  assert.equal(await page.locator('#file-reports [role="status"], #file-reports [aria-live]').count(), 0);
});

test("an empty folder is reported as empty", async () => {
  await dropFolder(page, "nothing", {});
  await page.waitForFunction(() => /contains no files that can be added/.test(document.querySelector("#notice").textContent));
  assert.ok(await page.isVisible("#notice"));
});

test("unreadable files of a folder are listed among the failures, and the others are added", async () => {
  const before = await counts();
  await dropFolder(page, "notes", { "good.md": "# Good", "closed.md": null, secret: LOCKED, deep: { "also.md": "# Also good" }, "closed.vdm": null });
  const lines = (await reports(page)).sort();
  assert.equal(lines.length, 3);
  assert.match(lines[0], /^3 files were not added\. The browser could not read it \(Permission denied\)\..*add it again/);
  for (const name of ["closed.md", "closed.vdm", "secret/"]) assert.ok(lines[0].includes(`notes/${name}`), name);
  assert.match(lines[1], /^notes\/deep\/also\.md added/);
  assert.match(lines[2], /^notes\/good\.md added/);
  assert.equal((await counts()).documents, before.documents + 2);
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`many-${at}.md`, `# Many ${at}`]));
  await dropFolder(page, "more", { ...many, "photo.jpeg": "no text", secret: LOCKED });
  await reports(page);
  assert.match(await page.textContent(".adding-said"), /^40 added, 1 not added: more\/secret\/, 1 skipped: \.jpeg cannot be read\./);
});

test("a Word document is named by its title, and the cells of a table row stay together", async () => {
  const rooms = [["Room", "Size", "Rent"], ["Kitchen", ["9 m²", "with a balcony"], "212 euros"], ["Living room", "24 m²", "480 euros"]];
  const parts = [["Titel", "Lease of the Quillon flat"], ["Heading1", "Rent"], { table: rooms, isHeaded: true }, ["Heading1", "Termination"], ["Normal", "With three months of notice."], { table: [["a", "b"], ["c", "d"]] }];
  await drop(page, { "lease.docx": docx(parts), "parts.docx": docx([["Heading1", "First part"], ["Normal", "Text of it."], ["Heading1", "Second part"], ["Normal", "More of it."]]) });
  await reports(page);
  const { title, text } = await stored("lease.docx");
  assert.equal(title, "Lease of the Quillon flat");
  assert.match(text, /^Lease of the Quillon flat\n\nRent\n\nRoom \| Size \| Rent\nKitchen \| 9 m² with a balcony \| 212 euros\nLiving room \| 24 m² \| 480 euros\n\nTermination\n/);
  assert.match(text, /\na \| b\nc \| d$/);
  const { hits } = await search("three months of notice");
  assert.deepEqual([hits[0].docId, hits[0].headings.at(-1)], ["lease.docx", "Termination"]);
  assert.ok(!hits[0].headings.includes("Rent"), "one part does not stand above the other");
  assert.equal((await stored("parts.docx")).title, "parts.docx", "of several headings none is the title");
});

test("PDF pages are separated in the reader and numbered in hits, and control characters are not shown", async () => {
  await drop(page, { "pages.pdf": textPdf([["Harbour dues of Quandry are paid in May", "and the transport"], ["Fleet: Quandry has nine ferries and the", "oldest of them is green."]], { title: "Quandry" }) });
  await reports(page);
  await page.click("#tab-ask");
  await page.fill("#question", "Quandry");
  await page.waitForFunction(() => /Quandry/.test(document.querySelector("#hits").shadowRoot?.querySelector("li")?.textContent));
  const card = page.locator("#hits li:has-text('Harbour dues of Quandry')").first();
  assert.match(await card.locator(".place").first().getAttribute("aria-label"), /Quandry › page 1/);
  assert.doesNotMatch(await card.textContent(), /[\0-\x08\x0b-\x1f]/);
  await card.locator(".place").first().click();
  await page.check('#reader-views input[value="text"]');
  await page.waitForSelector("#reader[open] .page-break");
  assert.deepEqual(await page.locator("#reader .page-break").evaluateAll((all) => all.map(({ ariaLabel, role }) => [ariaLabel, role])), [["Page 1", "separator"], ["Page 2", "separator"]]);
  assert.match(await page.textContent("#reader .text"), /the transport\s+Fleet: Quandry/);
  assert.doesNotMatch(await page.textContent("#reader .text"), /\f/);
  await demo.screenshot("reader-pages");
  await page.keyboard.press("Escape");
  await page.fill("#question", "");
});

test("headings, code and tables of a document are shown as such, with code in a monospaced font", async () => {
  await drop(page, { "runbook.md": "# Runbook\n\nRestart it:\n\n```sh\nsystemctl restart quandry\n```\n\n| Place | Limit |\n|---|---|\n| staging | 2 s |\n" });
  await reports(page);
  await page.fill("#document-search", "runbook");
  await page.waitForFunction(() => document.querySelectorAll("#documents li").length === 1); // a row replaced during a click loses it
  await page.click('#documents button[title="runbook.md"]');
  await page.waitForSelector("#reader[open] pre");
  assert.deepEqual(await page.locator("#reader .text pre").allTextContents(), ["systemctl restart quandry"]);
  assert.deepEqual(await page.locator("#reader .text :is(th, td)").allTextContents(), ["Place", "Limit", "staging", "2 s"]);
  assert.equal(await page.textContent("#reader .text h3"), "Runbook");
  assert.match(await page.locator("#reader .text pre").evaluate((one) => getComputedStyle(one).fontFamily), /mono/i);
  await demo.screenshot("reader-code");
  await page.keyboard.press("Escape");
  await page.fill("#document-search", "");
});

/** A spreadsheet of one sheet, whose cells are texts and numbers. */
function xlsx(rows) {
  const cell = (value, at) => `<c r="${at}"${typeof value === "number" ? `><v>${value}</v>` : ` t="inlineStr"><is><t>${value}</t></is>`}</c>`;
  const body = rows.map((row, y) => `<row>${row.map((value, x) => cell(value, `${"ABC"[x]}${y + 1}`)).join("")}</row>`).join("");
  const kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const target = (type, path) => `<Relationships><Relationship Id="r1" Type="${kind}/${type}" Target="${path}"/></Relationships>`;
  return zip({
    "_rels/.rels": target("officeDocument", "xl/workbook.xml"),
    "xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet name="Staff" sheetId="1" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": target("worksheet", "worksheets/a.xml"),
    "xl/worksheets/a.xml": `<worksheet><sheetData>${body}</sheetData></worksheet>`,
  });
}

test("spreadsheets, presentations, OpenDocument texts, rich text, mails, records and code are read", async () => {
  const slide = `<p:sld><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><a:p><a:t>Gribblewort</a:t></a:p></p:sp></p:sld>`;
  await drop(page, {
    "staff.xlsx": xlsx([["name", "city", "salary"], ["Ada", "Zwiesel", 61000.5], ["Ben", "Zwiesel", 48000], ["Cy", "Ulm", 70000]]),
    "talk.pptx": zip({ "ppt/presentation.xml": `<p><p:sldId id="256" r:id="r1"/></p>`, "ppt/_rels/presentation.xml.rels": `<x><Relationship Id="r1" Target="slides/a.xml"/></x>`, "ppt/slides/a.xml": slide }),
    "rules.odt": zip({ "content.xml": `<x><text:h text:outline-level="1">Rules</text:h><text:p>Flimmerquist is forbidden.</text:p></x>` }),
    "minutes.rtf": "{\\rtf1\\ansi Minutes\\par Dr. K\\'f6chelbrink spoke.}",
    "keys.eml": "From: Ann <ann@x.example>\nSubject: Keys\nDate: Fri, 2 Jan 2026 10:00:00 +0000\n\nThey are in the snorkelbox.\n",
    "list.json": JSON.stringify([{ id: 1, title: "Ferns", text: "Wimplefern likes shade." }]),
    "main.py": "def quorndle():\n    return 7\n",
    "broken.xlsx": zip({ "a.txt": "inside" }),
  });
  const lines = await reports(page);
  assert.deepEqual(lines.filter((line) => !/ added: /.test(line)).map((line) => line.split(". ")[0]), ["broken.xlsx was not added"]);
  assert.match(lines.find((line) => line.startsWith("broken.xlsx")), /damaged, or not a spreadsheet/);
  const first = async (query) => (await search(query)).hits[0];
  for (const [query, id] of [["gribblewort", "talk.pptx"], ["flimmerquist", "rules.odt"], ["köchelbrink", "minutes.rtf"], ["snorkelbox", "keys.eml"], ["wimplefern", "list.json#1"], ["quorndle", "main.py"]]) {
    assert.equal((await first(query))?.docId, id, query);
  }
  assert.equal((await first("snorkelbox")).metadata.from, "Ann <ann@x.example>");
  const { documents } = await page.evaluate(() => vademecum.documents({ filters: { city: "Zwiesel", salary: { ">": 50000 } } }));
  assert.deepEqual(documents.map(({ id }) => id), ["staff.xlsx#Staff!1"]);
});

test("files refused for the same reason share a line with their names, apart from those added", async () => {
  const files = Object.fromEntries(["a.mp3", "b.xls", "c.gif", "d.zip", "e.exe"].map((name) => [name, "x"]));
  await drop(page, { ...files, "odd.txt": Buffer.from("K\xf6ln", "latin1"), "fine.md": "# Fine\n\nThis one is." });
  const lines = await reports(page);
  assert.equal(lines.length, 3);
  const group = lines.find((line) => /^5 files were not added\. This file type is not supported\./.test(line));
  for (const name of Object.keys(files)) assert.ok(group.includes(name), name);
  assert.ok(await page.isHidden("#file-reports details li"));
  await page.click("#file-reports summary");
  assert.deepEqual(await page.locator("#file-reports details li").allTextContents(), Object.keys(files));
  await demo.screenshot("library-refused", { fullPage: true });
  assert.ok(lines.some((line) => /^fine\.md added/.test(line)));
});

test("a file of 500 MB is refused before any of it is read into memory", async () => {
  const before = await counts();
  const read = await page.evaluate(() => {
    const file = new File(["tiny"], "huge.txt");
    Object.defineProperty(file, "size", { value: 500 * 1024 * 1024 });
    window.bytesRead = 0;
    const original = Blob.prototype.arrayBuffer;
    Blob.prototype.arrayBuffer = function () {
      if (this === file) window.bytesRead += this.size;
      return original.call(this);
    };
    return import("./library/readers/index.js").then(({ read }) => read({ path: "huge.txt", file }).catch((error) => error.message));
  });
  assert.match(read, /It has 524 MB; a \.txt file may have up to 16 MB\. Split it into parts\./);
  assert.equal(await page.evaluate(() => window.bytesRead), 0);
  await drop(page, { "large.md": { size: 20_000_000 } });
  assert.match((await reports(page))[0], /large\.md was not added\. It has 20 MB; a \.md file may have up to 16 MB/);
  assert.deepEqual(await counts(), before);
});

test("the readers of PDF and Word are fetched only on first use, and from this origin", async () => {
  const fresh = await startDemo();
  try {
    await useSmallSample(fresh.page);
    await fresh.open();
    await drop(fresh.page, { "a.md": "# A\n\nPlain." });
    await reports(fresh.page);
    const vendor = () => fresh.proxy.seen.filter(({ path }) => path.startsWith("/vendor/")).map(({ path }) => path);
    const byPage = await fresh.page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/vendor/")).length);
    assert.equal(byPage, 0, "the page itself did not ask; the service worker keeps it for offline at its own time");
    await drop(fresh.page, { "b.pdf": textPdf([["One page."]]) });
    assert.match((await reports(fresh.page))[0], /b\.pdf added/);
    assert.ok(vendor().includes("/vendor/pdf.min.mjs") && vendor().length >= 2);
    assert.deepEqual(fresh.origins(), [ORIGIN]);
  } finally {
    await fresh.close();
  }
});

test("a tab closed while files are read leaves only complete documents, and all that were reported as added", async () => {
  const fresh = await startDemo();
  try {
    let tab = fresh.page;
    await useSmallSample(tab);
    await fresh.open("/#library");
    await fresh.ready();
    const textOf = (at) => `# Paper ${at}\n\n${`Sentence ${at} speaks of paper. `.repeat(40)}End of ${at}.`;
    const papers = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`paper-${at}.md`, textOf(at)]));
    tab.context().setDefaultTimeout(120_000);
    const listed = () => tab.evaluate(() => vademecum.documents({ collections: ["default"], limit: 1000 }).then(({ documents }) => documents.map(({ id }) => id)));
    const reopen = async () => {
      const { length } = await listed();
      const old = tab;
      tab = await fresh.page.context().newPage();
      await old.close();
      await tab.goto(`${ORIGIN}/#library`);
      await tab.waitForSelector("body[data-searchable]");
      return length;
    };
    const areWhole = async (ids) => {
      const kept = await tab.evaluate((ids) => Promise.all(ids.map((id) => vademecum.document(id).then(({ text, chunks }) => [id, chunks.length > 0 && text]))), ids);
      assert.deepEqual(Object.fromEntries(kept), Object.fromEntries(ids.map((id) => [id, papers[id]])));
    };
    // Closed at once: the files that were processed in time are stored.
    await drop(tab, papers);
    await tab.waitForFunction(() => document.querySelector(".adding")?.dataset.state === "busy");
    const early = await reopen();
    const afterEarly = await listed();
    assert.ok(afterEarly.length >= early, `${afterEarly.length} are there, and ${early} were before the tab was closed`);
    await areWhole(afterEarly);
    // Closed while a slow file delays the rest: the files before it are stored.
    await tab.evaluate((ids) => vademecum.remove(ids), afterEarly);
    await hold(tab, "paper-450.md");
    await drop(tab, papers);
    await tab.waitForFunction(() => vademecum.stats().then(({ collections }) => collections.find(({ name }) => name === "default").documents === 400), null, { polling: 200 });
    await tab.waitForFunction(() => /451 of 600/.test(document.querySelector(".adding-said").textContent));
    await reopen();
    const ids = await listed();
    assert.deepEqual(ids.sort(), Object.keys(papers).slice(0, 400).sort());
    await areWhole(ids);
    const { hits } = await tab.evaluate(() => vademecum.search("End of 399", { mode: "keyword", limit: 1 }));
    assert.equal(hits[0].docId, "paper-399.md");
  } finally {
    await fresh.close();
  }
});

test("no request left the origin, and the console shows no errors", () => {
  assert.deepEqual(demo.origins(), [ORIGIN]);
  assert.deepEqual(demo.complaints, []);
});
