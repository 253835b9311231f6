// Answers as text to copy and to save, and the parts of documents that quotations show.

import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksIn, clipped } from "../../../crates/web/js/elements/text/clip.js";
import "../support/page-imports.mjs";

const { fileNameOf, markdownOf, plainOf, withoutMarks } = await import("../../../www/ask/export.js");

const cite = (number, answer, mark, more = {}) => ({ number, at: { start: answer.indexOf(mark), end: answer.indexOf(mark) + mark.length }, docId: `${number}.md`, title: `Title ${number}`, headings: [], ...more });
const record = (/** @type {any} */ result) => /** @type {any} */ ({ question: "What is it?", result: { answeredBy: "llm", ...result } });

test("the citations of an answer are numbered from 1 without gaps, like their sources", () => {
  const answer = "It **is** this [4]. Or that [11], as before [4].";
  const citations = [cite(4, answer, "[4]"), cite(11, answer, "[11]", { page: 3 }), { ...cite(4, answer, "[4]"), at: { start: answer.lastIndexOf("[4]"), end: answer.lastIndexOf("[4]") + 3 } }];
  assert.equal(markdownOf(record({ answer, citations }), null), "# What is it?\n\nIt **is** this [1]. Or that [2], as before [1].\n\n## Sources\n\n1. Title 4\n2. Title 11 › page 3\n");
  assert.equal(plainOf(record({ answer, citations }), null), "What is it?\n\nIt is this [1]. Or that [2], as before [1].\n\nSources:\n[1] Title 4\n[2] Title 11 › page 3\n");
});

test("the rows of an answer are a table in Markdown, whatever their cells contain", () => {
  const output = { columns: ["a", "b"], rows: [["x|y", null], ["two\nlines", 3]] };
  assert.equal(markdownOf(record({ answer: null, citations: [], output }), null), "# What is it?\n\n| a | b |\n| --- | --- |\n| x\\|y |  |\n| two lines | 3 |\n");
});

test("text without marks keeps code, lists and the columns of tables", () => {
  assert.equal(withoutMarks("## A *b*\n\n- one **two**\n- three\n\n```js\na = 1;\n```\n\n| x | y |\n|---|--:|\n| `1` | 2 |\n\n1. first"), "A b\n\n- one two\n- three\n\na = 1;\n\nx\ty\n1\t2\n\n1. first");
});

test("the name of a file is made of the question's words, and is never empty", () => {
  assert.equal(fileNameOf({ question: "Wann endet der Mietvertrag? ../x" }), "wann-endet-der-mietvertrag-x.md");
  assert.equal(fileNameOf({ question: "???" }), "answer.md");
  assert.ok(fileNameOf({ question: "long ".repeat(100) }).length < 70);
});

/** Returns the text that is shown for a place, block by block. */
function shownOf(text, words, headings = [], metadata = {}) {
  const span = { start: text.indexOf(words), end: text.indexOf(words) + words.length };
  const { blocks, from, to } = clipped(text, blocksIn(text, metadata), span, headings);
  return blocks.flatMap(({ kind, lines, rows, items, ...block }) => {
    const parts = kind === "code" ? lines : kind === "table" ? rows : kind === "list" ? items.map(([first]) => first) : [block];
    return parts.map((part) => text.slice(Math.max(part.from, from), Math.min(part.to, to)));
  });
}

test("a quotation in a long paragraph is shown with about two lines around it, cut at words", () => {
  const long = `${"before ".repeat(100)}THE PLACE ${"after ".repeat(100)}`.trim();
  const [shown] = shownOf(long, "THE PLACE");
  assert.match(shown, /^(before )+THE PLACE( after)+$/);
  assert.ok(shown.length > 200 && shown.length < 380, String(shown.length));
});

test("of long code, tables and lists the part around a quotation is shown, of tables with the header", () => {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  assert.deepEqual(shownOf(`\`\`\`\n${lines.join("\n")}\n\`\`\``, "line 20"), lines.slice(17, 24));
  const rows = Array.from({ length: 40 }, (_, at) => `| row ${at}. | x |`);
  assert.deepEqual(shownOf(`| head | y |\n|---|---|\n${rows.join("\n")}`, "row 20."), ["| head | y |", ...rows.slice(19, 22)]);
  const items = Array.from({ length: 40 }, (_, at) => `- item ${at}.`);
  assert.deepEqual(shownOf(items.join("\n"), "item 20."), ["item 19.", "item 20.", "item 21."]);
});

test("of logs, settings and JSON the lines around a quotation are shown as they are", () => {
  const lines = Array.from({ length: 40 }, (_, at) => `10:${at + 10}:00 - entry ${at}. # of *all*`);
  for (const metadata of [{ type: "text", path: "logs/app.log" }, { type: "code", path: "app.yaml" }, { type: "json" }])
    assert.deepEqual(shownOf(lines.join("\n"), "entry 20.", [], metadata), lines.slice(17, 24));
  const record = blocksIn("# a heading", { type: "json", file: "orders.json" });
  assert.equal(record[0]?.kind, "heading", "a record of a list is none of them");
});

test("what follows a colon is shown with it, and neither headings nor other pages are context", () => {
  const text = "Title\n\nThe rules:\n\n- one\n- two\n\n# Next\n\nother";
  assert.deepEqual(shownOf(text, "The rules:", ["Title"]), ["The rules:", "one", "two"]);
  assert.deepEqual(shownOf(text, "The rules:"), ["Title", "The rules:", "one", "two"]);
  assert.deepEqual(shownOf("Burn dry wood.\n\nWhat is in the cabin\n\nTwo beds.", "Burn dry wood."), ["Burn dry wood."], "nor is a heading of HTML, a line as all others");
  assert.deepEqual(shownOf("The code of the door is:\n\n4711\n\nTwo beds.", "The code of the door is:"), ["The code of the door is:", "4711"]);
  assert.deepEqual(shownOf("We leave by bus.\n\nDeparture: 9 May", "We leave by bus."), ["We leave by bus.", "Departure: 9 May"], "nothing is below the last line");
  assert.deepEqual(shownOf("Burn dry wood.\n\nNever oak.\n\nTwo beds.", "Burn dry wood."), ["Burn dry wood.", "Never oak."]);
  assert.deepEqual(shownOf("On page one.\n\f\nOn page two.\n\f\nOn page three.", "On page two."), ["On page two."]);
});

test("a large document is parsed in time, and a larger one is shown unparsed", () => {
  const text = `${"A sentence of this document, of some length.\n\n".repeat(8_000)}THE PLACE`;
  const begun = performance.now();
  assert.ok(shownOf(text.slice(-399_000), "THE PLACE").at(-1).endsWith("THE PLACE"));
  assert.ok(performance.now() - begun < 1_500);
  assert.equal(blocksIn("x".repeat(400_001)).length, 1);
});
