// The reader: documents laid out by what they are, with the passage that was found highlighted in its place.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { docx, drop, reports, zip } from "../support/files.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

let demo;
let page;
before(async () => {
  demo = await startDemo();
  page = demo.page;
  page.setDefaultTimeout(60_000);
  await useSmallSample(page);
  await demo.open("/#library");
});
after(() => demo?.close());

const FILLER = Array.from({ length: 12 }, (_, at) => `## Part ${at}\n\n${`Paragraph ${at} is about something else entirely. `.repeat(12)}\n`).join("\n");
const GUIDE = `---\nauthor: Ada\n---\n# Pump guide\n\nThe pump needs care every month.\n\n${FILLER}\n## Limits\n\nThe **quorndle** valve opens at \`7 bar\`, see below.\n\n| Place | Limit |\n|---|---|\n| quorndle hall | 9 bar |\n\n\`\`\`sh\nquorndle --reset\n\`\`\`\n`;

/** Finds a word on the Ask tab, and opens the first hit. */
async function openHit(word) {
  await demo.tab("ask");
  await page.fill("#question", word);
  await page.waitForFunction((word) => document.querySelector("#hits").shadowRoot?.querySelector("li")?.textContent.toLowerCase().includes(word), word);
  await page.locator("#hits li button").first().click();
  await page.waitForSelector("#reader[open] mark");
}
async function close() {
  await page.keyboard.press("Escape");
  await page.waitForSelector("#reader", { state: "hidden" });
  await page.fill("#question", "");
}

test("of a Markdown file the passage is highlighted within paragraphs, tables and code, in view, without marks of Markdown", async () => {
  await drop(page, { "pump.md": GUIDE });
  await reports(page);
  await openHit("quorndle");
  const marks = await page.locator("#reader .text mark").allTextContents();
  assert.ok(marks.join(" ").includes("quorndle"), marks.join("|"));
  assert.deepEqual(await page.locator("#reader .text strong mark").allTextContents(), ["quorndle"]);
  assert.deepEqual(await page.locator("#reader .text td mark").allTextContents(), ["quorndle hall", "9 bar"]);
  assert.equal(await page.locator("#reader .text pre:not(.front) mark").textContent(), "quorndle --reset");
  assert.doesNotMatch(await page.textContent("#reader .text"), /\*\*|\|---|```|## /);
  assert.ok(marks.every((text) => text.trim()), "no empty line is coloured");
  assert.ok(await page.locator("#reader .text mark").first().evaluate((mark) => mark.getBoundingClientRect().top > 0 && mark.getBoundingClientRect().bottom < innerHeight));
  await demo.screenshot("reader-markdown");
  await page.emulateMedia({ colorScheme: "dark" });
  await demo.screenshot("reader-markdown-dark");
  await page.emulateMedia({ colorScheme: "light" });
});

test("its head has the first sentence, and the headings, which lead to their places", async () => {
  assert.match(await page.textContent("#reader-about"), /^The pump needs care every month\. · [\d,]+ words, \d+ passages$/);
  assert.equal(await page.evaluate(() => document.querySelector("#reader-metadata").open), false, "metadata is folded");
  await page.click("#reader-contents summary");
  await page.click('#reader-headings button:text-is("Part 3")');
  assert.ok(await page.locator("#reader .text").evaluate((text) => {
    const heading = [...text.querySelectorAll("h3")].find(({ textContent }) => textContent === "Part 3");
    const [{ top }, around] = [heading, text].map((one) => one.getBoundingClientRect());
    return top >= around.top - 1 && top < around.top + around.height / 2;
  }));
  assert.ok(await page.locator("#reader .text").evaluate((text) => text.matches(":focus")));
  await close();
});

test("a Word document has its headings and its tables", async () => {
  const rooms = [["Room", "Rent"], ["Gribblewort room", "480 euros"]];
  await drop(page, { "lease.docx": docx([["Heading1", "Lease"], ["Heading2", "Rooms"], ["Normal", "These rooms are let."], { table: rooms, isHeaded: true }]) });
  await reports(page);
  await openHit("gribblewort");
  assert.deepEqual(await page.locator("#reader .text :is(h3, h4)").allTextContents(), ["Lease", "Rooms"]);
  assert.deepEqual(await page.locator("#reader .text td").allTextContents(), ["Room", "Rent", "Gribblewort room", "480 euros"]);
  assert.ok((await page.locator("#reader .text td mark").allTextContents()).includes("Gribblewort room"));
  await close();
});

test("code is shown as it is, a record as its fields, and slides with their numbers", async () => {
  const slide = (text) => `<p:sld><p:sp><a:p><a:t>${text}</a:t></a:p></p:sp></p:sld>`;
  const target = (id, name) => `<Relationship Id="${id}" Target="slides/${name}.xml"/>`;
  await drop(page, {
    "main.py": "def wumpel():\n    return 7  # wumpel\n",
    "howto.html": "<main><h1>Cleaning</h1><p>Clean it so:</p><pre><code>brumpel --all\n\n  brumpel --dry &amp;&amp; exit</code></pre><p>Then wait.</p></main>",
    "birds.csv": "name,nest,note\nWhimbrel,moor,\"long\nbill\"\nSwift,wall,none\n",
    "talk.pptx": zip({ "ppt/presentation.xml": `<p><p:sldId id="1" r:id="a"/><p:sldId id="2" r:id="b"/></p>`, "ppt/_rels/presentation.xml.rels": `<x>${target("a", "a")}${target("b", "b")}</x>`, "ppt/slides/a.xml": slide("Opening words"), "ppt/slides/b.xml": slide("Flimmerquist ends") }),
  });
  await reports(page);
  await openHit("wumpel");
  assert.equal(await page.textContent("#reader .text pre"), "def wumpel():\n    return 7  # wumpel\n");
  await close();
  await openHit("brumpel");
  assert.equal(await page.textContent("#reader .text pre"), "brumpel --all\n\n  brumpel --dry && exit");
  assert.doesNotMatch(await page.textContent("#reader .text"), /```/);
  await close();
  await openHit("whimbrel");
  assert.deepEqual(await page.locator("#reader .text dt").allTextContents(), ["name: ", "nest: ", "note: "]);
  assert.deepEqual(await page.locator("#reader .text dd").allTextContents(), ["Whimbrel", "moor", "long\nbill"]);
  assert.equal(await page.textContent("#reader-columns"), "Columns: name, nest, note");
  await close();
  await openHit("flimmerquist");
  assert.deepEqual(await page.locator("#reader .text .page-break").evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel)), ["Slide 1", "Slide 2"]);
  await close();
});

test("questions are suggested from these files, and each has its document", async () => {
  const suggested = await page.evaluate(() => import("./library/suggestions.js").then(({ suggestQuestions }) => suggestQuestions(vademecum, { limit: 4, collections: ["default"] })));
  assert.equal(suggested.length, 4);
  assert.ok(suggested.some(({ question, docId }) => question === "What is the nest of Swift?" && docId === "birds.csv#2"), JSON.stringify(suggested));
  for (const { question } of suggested) assert.match(question, /^\p{Lu}.*\?$/u);
});

test("a tab or a document that is chosen before the browser has left the closed document stays chosen", async () => {
  await openHit("whimbrel");
  /** Closes the reader, and acts as soon as it is closed, before the history has moved. */
  const onceClosed = (what) => page.evaluate(async (what) => {
    const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("reader"));
    const closed = new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
    dialog.close();
    await closed;
    (what === "tab" ? document.getElementById("tab-library") : document.querySelector("#hits").shadowRoot.querySelector("li button")).click();
    await new Promise((resolve) => setTimeout(resolve, 500)); // time for a late popstate
  }, what);
  await onceClosed("tab");
  assert.ok(await page.isVisible("#library"));
  assert.match(page.url(), /#library/);
  await page.goBack();
  await page.waitForSelector("#ask:not([hidden])");
  assert.equal(await page.isVisible("#reader"), false);
  await openHit("flimmerquist");
  await onceClosed("document");
  assert.ok(await page.isVisible("#reader[open] mark"), "the next document stays open");
  await page.goBack();
  await page.waitForSelector("#reader", { state: "hidden" });
  assert.equal(await page.inputValue("#question"), "flimmerquist");
});

test("no request left the origin, and the console shows no errors", () => {
  assert.deepEqual(demo.origins(), [ORIGIN]);
  assert.deepEqual(demo.complaints, []);
});
