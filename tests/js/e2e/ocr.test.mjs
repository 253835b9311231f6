// Text in pictures: recognised in the tab if the user asks for it, by files that are fetched then and kept.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startSite } from "../support/changing-site.mjs";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { drop, pictureOf, picturePdf, reports } from "../support/files.mjs";
import { libraryOf, useSmallSample } from "../support/small-sample.mjs";

let site;
let demo;
let page;
before(async () => {
  const library = await libraryOf();
  site = await startSite();
  await site.change("library/rust-book.library", () => library);
  demo = await startDemo({ offline: true, routes: { [new URL(ORIGIN).host]: site.address } });
  page = demo.page;
  page.setDefaultTimeout(60_000);
  await demo.open("/#library");
});
after(async () => {
  await demo?.close();
  site?.close();
});

const picture = (lines, type, size) => pictureOf(page, lines, type, size);
const LINES = Array.from({ length: 20 }, (_, at) => `Line ${at + 1} tells of the weather on that day.`);
const fetched = () => demo.proxy.seen.filter(({ path }) => path.startsWith("/vendor/ocr/")).map(({ path }) => path.split("/").at(-1).split("?")[0]);
const search = (query) => page.evaluate((query) => vademecum.search(query, { mode: "keyword" }).then(({ hits }) => hits[0] ?? null), query);
const offer = '#file-reports button:has-text("Read the text in the picture")';
const line = (pattern) => page.waitForFunction((source) => [...document.querySelectorAll("#file-reports .reports > li")].some(({ textContent }) => new RegExp(source).test(textContent)), pattern.source);

test("a picture is not read before this is asked for, and the offer tells what is downloaded", async () => {
  await page.waitForSelector('body[data-offline="ready"]', { timeout: 120_000 });
  assert.deepEqual(fetched(), [], "the service worker fetches it for nobody who does not need it");
  const { bytes } = await picture(["The gribblewort grows on the", "northern slope of the valley."]);
  await drop(page, { "slope.png": bytes });
  assert.match((await reports(page))[0], /^slope\.png was not added\. It is a picture\. Its text can be recognised\.Read the text in the pictureIn English and German, in this browser\./);
  await page.waitForFunction(() => /7\.4 MB are downloaded once\./.test(document.querySelector("#file-reports").textContent));
  assert.deepEqual(fetched(), []);
  await demo.screenshot("ocr-offer", { fullPage: true });
  await page.setViewportSize({ width: 360, height: 740 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await demo.screenshot("ocr-offer-phone");
  await page.setViewportSize({ width: 1280, height: 900 });
});

test("its text is recognised in the tab, found, and told to be recognised", async () => {
  await page.click(offer);
  await line(/^slope\.png: (downloading the text recognition|recognising its text)/);
  assert.match((await reports(page)).at(-1), /^slope\.png added: 1 passage\.$/);
  const hit = await search("gribblewort");
  assert.match(hit.text, /The gribblewort grows on the\s+northern slope of the valley\./);
  assert.deepEqual([hit.docId, hit.metadata.ocr, hit.metadata.type], ["slope.png", true, "image"]);
  await demo.tab("ask");
  await page.fill("#question", "gribblewort");
  await page.waitForFunction(() => /text recognised from a picture/.test(document.querySelector("#hits").shadowRoot?.querySelector("li .path")?.textContent));
  await page.locator("#hits li button").first().click();
  await page.waitForSelector("#reader .text mark");
  assert.match(await page.textContent("#reader-about"), /text recognised from a picture$/);
  await demo.screenshot("ocr-reader");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#reader", { state: "hidden" });
  await demo.tab("library");
  assert.deepEqual([...new Set(fetched())].sort(), ["deu.traineddata", "eng.traineddata", "tesseract-core-simd-lstm.js", "tesseract-core-simd-lstm.wasm", "tesseract.esm.min.js", "worker.min.js"]);
});

test("its files are fetched once: later pictures need no network, and the offer no download", async () => {
  const before = fetched().length;
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  const photo = await picture(["Die Wasserleitung im Keller", "wird am Dienstag gesperrt."], "image/webp");
  await drop(page, { "notice.webp": photo.bytes });
  await reports(page);
  await page.waitForTimeout(300);
  assert.doesNotMatch(await page.textContent("#file-reports"), /downloaded/);
  await page.click(offer);
  await line(/^notice\.webp added/);
  assert.match((await search("Wasserleitung")).text, /Die Wasserleitung im Keller\s+wird am Dienstag gesperrt/);
  assert.equal(fetched().length, before);
});

test("a scanned PDF is read page by page, with the numbers of its pages, and its pages are shown", async () => {
  const pages = [];
  for (const lines of [["The first page speaks of harbours", "and of the ships in them.", ...LINES], [...LINES, "The flimmerquist is men-", "tioned on the second page."]]) {
    const { bytes, width, height } = await picture(lines, "image/jpeg");
    pages.push({ jpeg: bytes, width, height });
  }
  await drop(page, { "scan.pdf": picturePdf(pages) });
  assert.match((await reports(page))[0], /^scan\.pdf was not added\. It contains no readable text: its pages are images/);
  await page.click(offer);
  await line(/^scan\.pdf: recognising its text, page [12] of 2/);
  await line(/^scan\.pdf added: \d passages?\.$/);
  const hit = await search("flimmerquist mentioned");
  assert.deepEqual([hit.docId, hit.page, hit.metadata.ocr, hit.metadata.type], ["scan.pdf", 2, true, "pdf"]);
  assert.match(await page.evaluate(() => vademecum.document("scan.pdf").then(({ text }) => text)), /harbours\s+and of the ships in them\.[^\f]*\f[^\f]*The flimmerquist is mentioned on the second page/);
  await demo.tab("ask");
  await page.fill("#question", "flimmerquist");
  await page.waitForFunction(() => /flimmerquist/.test(document.querySelector("#hits").shadowRoot?.querySelector("li")?.textContent));
  await page.locator("#hits li button").first().click();
  await page.waitForSelector('#reader-page .sheet[data-page="2"] canvas');
  const dark = await page.evaluate(() => {
    const canvas = document.querySelector("#reader-page canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, at) => at % 4 === 0 && value < 100).length;
  });
  assert.ok(dark > 500, `the picture is drawn: ${dark}`);
  assert.equal(await page.textContent("#page-said"), "This page is a picture: words cannot be marked on it.");
  await demo.screenshot("ocr-page");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#reader", { state: "hidden" });
  await demo.tab("library");
});

test("a PDF of which some pages are scans is added with the text it has, and the text of the others is recognised on request", async () => {
  const scan = async (lines) => {
    const { bytes, width, height } = await picture([...lines, ...LINES], "image/jpeg");
    return { jpeg: bytes, width, height };
  };
  const mixed = picturePdf([{ lines: ["The zintle is written in letters.", ...LINES] }, await scan(["The brackleford is printed on the second page."]), { lines: ["The omblet is on page three.", ...LINES] }, { lines: [" "] }]);
  await drop(page, { "mixed.pdf": mixed });
  assert.match((await reports(page))[0], /^mixed\.pdf added: \d passages?\. Without text: 2 pages of 4\.Recognise the missing textIn English and German, in this browser\./);
  assert.deepEqual([(await search("zintle")).metadata.ocr, await search("brackleford")], [undefined, null]);
  await demo.screenshot("ocr-mixed", { fullPage: true });
  await page.click('#file-reports button[aria-label="Recognise the missing text: mixed.pdf"]');
  await line(/^mixed\.pdf replaced: \d passages?\. Without text: 1 page of 4\.$/);
  assert.equal(await page.locator("#file-reports .reports button").count(), 0, "a page that stays empty is not offered again");
  const found = await Promise.all(["zintle", "brackleford", "omblet"].map(search));
  assert.deepEqual(found.map(({ docId, page }) => [docId, page]), [["mixed.pdf", 1], ["mixed.pdf", 2], ["mixed.pdf", 3]]);
  const pages = await page.evaluate(() => vademecum.document("mixed.pdf").then(({ text }) => text.split("\f")));
  assert.equal(pages[0], ["The zintle is written in letters.", ...LINES].join("\n"), "the text of a page is not recognised where it has some");
  assert.match(pages[1], /^The brackleford is printed on the second page\./);
  // What was recognised is told, page by page, and words are marked on the others.
  await demo.tab("ask");
  for (const [word, isPicture] of /** @type {const} */ ([["brackleford", true], ["zintle", false]])) {
    await page.fill("#question", word);
    await page.waitForFunction((word) => document.querySelector("#hits").shadowRoot?.querySelector("li")?.textContent.includes(word), word);
    assert.equal(/text recognised from a picture/.test(await page.locator("#hits li").first().textContent()), isPicture);
    await page.locator("#hits li button").first().click();
    await page.waitForSelector(`#reader-page .sheet[data-page="${isPicture ? 2 : 1}"] canvas`);
    assert.match(await page.textContent("#reader-about"), /text of 1 page recognised from pictures$/);
    assert.equal(await page.locator("#reader-page .page-mark").count() > 0, !isPicture);
    const said = () => page.textContent("#page-said");
    const note = "This page is a picture: words cannot be marked on it.";
    assert.equal(await said(), isPicture ? note : "");
    await demo.screenshot(isPicture ? "ocr-mixed-picture" : "ocr-mixed-text");
    if (isPicture) {
      await page.click("#page-on");
      await page.waitForSelector('#reader-page .sheet[data-page="3"] canvas');
      assert.equal(await said(), "", "the note is of the page that is shown");
      await page.click("#page-back");
      await page.waitForSelector('#reader-page .sheet[data-page="2"] canvas');
      assert.equal(await said(), note);
    }
    await page.keyboard.press("Escape");
    await page.waitForSelector("#reader", { state: "hidden" });
  }
  await demo.tab("library");
});

test("a passage that begins on a picture is marked on the page of text that it goes on to", async () => {
  const { bytes, width, height } = await picture(["The grumbold is drawn by hand, and it is", "seen from the harbour on clear days."], "image/jpeg");
  await drop(page, { "spread.pdf": picturePdf([{ jpeg: bytes, width, height }, { lines: ["Its height is two metres."] }]) });
  await reports(page);
  await page.click('#file-reports button[aria-label="Recognise the missing text: spread.pdf"]');
  await line(/^spread\.pdf replaced: 1 passage\.$/);
  await demo.tab("ask");
  await page.fill("#question", "grumbold");
  await page.waitForFunction(() => document.querySelector("#hits").shadowRoot?.querySelector("li")?.textContent.includes("grumbold"));
  await page.locator("#hits li button").first().click();
  await page.waitForSelector('#reader-page .sheet[data-page="1"] canvas');
  await page.click("#page-on");
  await page.waitForSelector('#reader-page .sheet[data-page="2"] canvas');
  assert.ok((await page.locator("#reader-page .page-mark").count()) > 0);
  assert.equal(await page.textContent("#page-said"), "");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#reader", { state: "hidden" });
  await demo.tab("library");
});

test("blank pages of a PDF are told, and no recognition is offered for them", async () => {
  await drop(page, { "blank.pdf": picturePdf([{ lines: ["The wimbrel is written in letters.", ...LINES] }, { lines: [" "] }]) });
  assert.match((await reports(page))[0], /^blank\.pdf added: \d passages?\. Without text: 1 page of 2\.$/);
  assert.equal(await page.locator("#file-reports .reports button").count(), 0);
});

test("a picture that has changed since it was added is recognised as it is then", async () => {
  const pictures = [await picture(["The spindlewick is old."]), await picture(["The spindlewick is new."])];
  const { documents, note } = await page.evaluate(async (pictures) => {
    const handle = await (await navigator.storage.getDirectory()).getFileHandle("changing.png", { create: true });
    const write = async (base64) => {
      const writable = await handle.createWritable();
      await writable.write(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
      await writable.close();
    };
    await write(pictures[0]);
    const file = await handle.getFile();
    await write(pictures[1]);
    const { read } = await import("./library/readers/index.js");
    return read({ path: "changing.png", file, fresh: () => handle.getFile(), recognise: true });
  }, pictures.map(({ bytes }) => bytes.toString("base64")));
  assert.match(documents[0].text, /spindlewick is new/);
  assert.equal(note, "It changed while it was read, and was read again.");
});

test("several PDFs with pages that are scans share one offer, and what cannot be recognised stays as it was", async () => {
  const { bytes, width, height } = await picture(["The plonder is a bird.", ...LINES, ...LINES], "image/jpeg");
  const mixed = (word) => picturePdf([{ lines: [`The ${word} is written in letters.`, ...LINES] }, { jpeg: bytes, width, height }]);
  await drop(page, { "first.pdf": mixed("arbuckle"), "second.pdf": mixed("bendle") });
  assert.match((await reports(page)).at(-1), /^Pages without text were left out of 2 files\.first\.pdfsecond\.pdfRecognise the missing textIn English and German, in this browser\./);
  await demo.screenshot("ocr-mixed-several", { fullPage: true });
  await page.click('#file-reports button[aria-label="Recognise the missing text: 2 files"]');
  await line(/^first\.pdf: recognising its text/);
  await page.click('#file-reports button[aria-label="Cancel first.pdf"]');
  await line(/^second\.pdf replaced/);
  assert.ok((await page.locator("#file-reports .reports > li").allTextContents()).includes("first.pdf stays as it was: this was stopped."));
  assert.equal((await search("arbuckle")).docId, "first.pdf");
  assert.deepEqual([(await search("plonder")).docId, (await search("plonder")).page], ["second.pdf", 2]);
});

test("several pictures are read with one press, and one can be stopped while it is recognised", async () => {
  const [one, two] = [await picture(["The quorndle is a valve.", ...LINES, ...LINES]), await picture(["The wumpel is a pump."], "image/jpeg")];
  await drop(page, { "one.png": one.bytes, "two.jpg": two.bytes });
  assert.match((await reports(page))[0], /^2 files were not added\. It is a picture/);
  await demo.screenshot("ocr-several", { fullPage: true });
  await page.click(offer);
  await line(/^one\.png: recognising its text/);
  await page.click('#file-reports button[aria-label="Cancel one.png"]');
  await line(/^two\.jpg added/);
  assert.ok((await page.locator("#file-reports .reports > li").allTextContents()).includes("one.png was not added: adding was stopped."));
  assert.deepEqual([await search("quorndle"), (await search("wumpel")).docId], [null, "two.jpg"]);
});

test("a picture without text, one that is damaged and one that is too large are refused with reasons", async () => {
  await drop(page, { "empty.png": (await picture([])).bytes, "torn.png": Buffer.from("no picture") });
  await reports(page);
  await page.click(offer);
  await line(/^empty\.png was not added\. No text was found in the picture\./);
  await line(/^torn\.png was not added\. It is damaged, or not a picture/);
  assert.equal(await page.locator(offer).count(), 0, "what was tried in vain is not offered again");
  await drop(page, { "huge.png": { size: 53_000_000 } });
  assert.match((await reports(page)).at(-1), /^huge\.png was not added\. It has 53 MB; a \.png file may have up to 50 MB/);
});

test("if the recognition cannot be loaded, the report says so, and a second try works", async () => {
  const fresh = await startDemo();
  try {
    await useSmallSample(fresh.page);
    await fresh.page.context().route("**/vendor/ocr/*.wasm", (route) => route.abort());
    await fresh.open("/#library");
    const { bytes } = await picture(["The snorkelbox is blue."]);
    await drop(fresh.page, { "box.png": bytes });
    await reports(fresh.page);
    await fresh.page.click(offer);
    await fresh.page.waitForFunction(() => /box\.png was not added\. The text recognition could not be loaded \(tesseract-core-simd-lstm\.wasm: .*Check the network, and try again\./.test(document.querySelector("#file-reports").textContent));
    await fresh.page.context().unroute("**/vendor/ocr/*.wasm");
    await fresh.page.click(offer);
    await fresh.page.waitForFunction(() => /box\.png added/.test(document.querySelector("#file-reports").textContent), null, { timeout: 90_000 });
    assert.deepEqual(fresh.origins(), [ORIGIN]);
  } finally {
    await fresh.close();
  }
});

test("files that are in the library are told to stay as they were if their missing text cannot be recognised", async () => {
  const offline = await startDemo();
  try {
    await useSmallSample(offline.page);
    await offline.page.context().route("**/vendor/ocr/*.wasm", (route) => route.abort());
    await offline.open("/#library");
    const { bytes, width, height } = await picture(["The plonder is a bird."], "image/jpeg");
    const mixed = picturePdf([{ lines: ["The arbuckle is written in letters.", ...LINES] }, { jpeg: bytes, width, height }]);
    await drop(offline.page, { "first.pdf": mixed, "second.pdf": mixed });
    await reports(offline.page);
    const again = offline.page.locator('#file-reports button[aria-label="Recognise the missing text: 2 files"]');
    await again.click();
    const told = await reports(offline.page);
    assert.match(told.at(-1), /^2 files stay as they were\. The text recognition could not be loaded .*first\.pdfsecond\.pdfRecognise the missing text/);
    assert.equal(await offline.page.locator("#file-reports .adding-said").last().textContent(), "0 added, 2 unchanged: first.pdf, second.pdf.");
    assert.doesNotMatch(await offline.page.textContent("#file-reports"), /not added/);
    await offline.screenshot("ocr-unchanged");
    await offline.page.context().unroute("**/vendor/ocr/*.wasm");
    await again.click();
    await offline.page.waitForFunction(() => /second\.pdf replaced/.test(document.querySelector("#file-reports").textContent), null, { timeout: 90_000 });
  } finally {
    await offline.close();
  }
});

test("no request left the origin, and the console shows no errors", () => {
  assert.deepEqual(demo.origins(), [ORIGIN]);
  assert.deepEqual(demo.complaints, []);
});
