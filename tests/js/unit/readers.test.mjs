// The demo's readers of tables, records and Markdown, which do not need a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCsv } from "../../../www/csv.js";
import { readCsv } from "../../../www/library/readers/csv.js";
import { readJsonLines } from "../../../www/library/readers/jsonl.js";
import { readMarkdown } from "../../../www/library/readers/text.js";

const file = (name, text) => ({ id: name, name, bytes: new TextEncoder().encode(text), encoding: undefined });
/** @returns {any} */
const csv = (text, name = "a.csv") => readCsv(file(name, text));

test("CSV cells are parsed as in RFC 4180: quotes, doubled quotes, separators and line ends within", () => {
  assert.deepEqual(parseCsv('a,b\r\n"1,5","say ""hi"""\n"two\nlines",\r"",x'), [["a", "b"], ["1,5", 'say "hi"'], ["two\nlines", ""], ["", "x"]]);
  assert.deepEqual(parseCsv(""), []);
  assert.deepEqual(parseCsv('a,"never closed, to the end\n'), [["a", "never closed, to the end\n"]]);
  assert.deepEqual(parseCsv("a;b\n1;2", ";"), [["a", "b"], ["1", "2"]]);
  assert.deepEqual(parseCsv('"Foo" bar,x\n1,2'), [["Foo bar", "x"], ["1", "2"]], "nothing is lost behind a quote that ends too early");
});

test("a table of records becomes one document per row, with values of the column's type", () => {
  const { documents } = csv("name,zip,amount,paid,due\nACME,01234,10.5,true,2024-01-02\nGlobex,99999,-3,FALSE,2024-12-31\nHooli,10000,,true,\n");
  assert.deepEqual(documents.map(({ id, title }) => [id, title]), [["a.csv#1", "ACME"], ["a.csv#2", "Globex"], ["a.csv#3", "Hooli"]]);
  assert.deepEqual(documents[1].metadata, { file: "a.csv", name: "Globex", zip: "99999", amount: -3, paid: false, due: "2024-12-31" });
  assert.deepEqual(Object.keys(documents[2].metadata), ["file", "name", "zip", "paid"], "an empty cell is no value");
  assert.match(documents[0].text, /^name: ACME\nzip: 01234\namount: 10\.5/);
});

test("the text of a row is as in the file: the order of its columns, and its numbers as they are written", () => {
  const [one, two] = csv("region,2023,2022,paid\nNorth, 2260.70 ,12,TRUE\nSouth,,7,FALSE\n").documents;
  assert.equal(one.text, "region: North\n2023: 2260.70\n2022: 12\npaid: TRUE");
  assert.equal(two.text, "region: South\n2022: 7\npaid: FALSE");
  assert.equal(one.metadata[2023], 2260.7);
});

test("semicolons and tabs separate cells if the first line has more of them", () => {
  assert.equal(csv("a;b\n1,5;2\n").documents[0].metadata.a, "1,5");
  assert.equal(csv("a\tb\n1\t2\n").documents[0].metadata.b, 2);
  assert.equal(csv("a,b\n45.000,1\n52.500,2\n").documents[0].metadata.a, "45.000", "dots that may group thousands stay");
  assert.equal(csv("a,b\n45.125,1\n52.5,2\n").documents[0].metadata.a, 45.125);
});

test("rows without a header are all kept, in columns that are numbered, and this is noted", () => {
  const { documents, note } = csv("Ada,31,Bonn\nBen,44,Kiel\n");
  assert.deepEqual(documents.map(({ id, metadata }) => [id, metadata]), [
    ["a.csv#1", { file: "a.csv", "column 1": "Ada", "column 2": 31, "column 3": "Bonn" }],
    ["a.csv#2", { file: "a.csv", "column 1": "Ben", "column 2": 44, "column 3": "Kiel" }],
  ]);
  assert.equal(note, "No header row was found: the columns are named “column 1”, “column 2” and so on.");
  for (const text of ["03.01.2025;1.234,50 €\n04.01.2025;9,99 €\n", "5,5,x\n6,7,y\n", "2024-01-02,a\n2024-02-02,b\n", "Ada,,31\nBen,3,44\n"]) {
    assert.match(csv(text).note, /^No header row/, text);
    assert.equal(csv(text).documents.length, 2, text);
  }
  for (const text of ["name,age\nAda,31\n", "region,2022,2023\nNorth,5,6\n", "region,2023\nNorth,5\n", "week,1,2\na,5,6\n", "region,2023-01\nNorth,5\n", "a,b\nx,y\n", "id,2024\n7,5\n"]) {
    assert.equal(csv(text).note, undefined, text);
    assert.equal(csv(text).documents.length, 1, text);
  }
});

test("a quote that is not closed is noted with its line, and so is what keeps a file from being a table", () => {
  const note = (text) => csv(text).note;
  const notClosed = (line) => `The quote in line ${line} is not closed: its cell holds rows that follow.`;
  assert.equal(note('id,note\n1,"never closed\n2,b\n'), notClosed(2));
  assert.equal(note('id,note\r\n1,"two\r\nlines"\r\n2,"not closed\r\n3,"b"\r\n'), notClosed(4), "the next quote closes it");
  assert.equal(note('id,note\n1,"two\nlines"\n2,"""so"" said"\n'), undefined);
  const asText = (line) => `It could not be read as a table (line ${line}), and was added as text.`;
  assert.equal(note('a,b,c\n1,2,3\n4,"5,6\n7,8,9\n'), asText(3));
  assert.equal(note("a,b\n1,2\n\n3\n"), asText(4));
  assert.equal(note("a,a\n1,2\n"), asText(1));
  assert.equal(note('a,"b\n1,2\n'), asText(1));
  for (const text of ["one column\nonly\n", "just,a,header\n", ""]) assert.equal(note(text), undefined, "nobody expects a table");
});

test("a file that does not look like records stays one text", () => {
  for (const text of ["one column\nonly\n", "a,,c\n1,2,3\n", "a,a\n1,2\n", "just,a,header\n", "a,b\n1,2\nthen a long tale without commas\nand more\n"]) {
    const { documents } = csv(text);
    assert.deepEqual([documents.length, documents[0].id, documents[0].text], [1, "a.csv", text], text);
  }
});

test("too many records are refused before documents are created", () => {
  assert.throws(() => csv(`a,b\n${"1,2\n".repeat(50_001)}`), /50,001 records; the maximum per file is 50,000/);
});

test("JSON Lines: fields other than text, title, id and url become metadata; errors name the line", () => {
  /** @type {(text: string) => any[]} */
  const read = (text) => readJsonLines(file("b.jsonl", text)).documents;
  const [one, two] = read('{"id":7,"title":"T","text":"x","url":"u","metadata":{"a":1},"b":[2]}\r\n\r\n{"name":"N","size":3}\n');
  assert.deepEqual(one, { id: "b.jsonl#7", title: "T", url: "u", format: "text", text: "x", metadata: { file: "b.jsonl", b: [2], a: 1 } });
  assert.deepEqual([two.id, two.title, two.text], ["b.jsonl#3", "N", "name: N\nsize: 3"]);
  assert.throws(() => read('{"a":1}\n[1]'), /Line 2 is not an object/);
  assert.throws(() => read('{"id":1}\n{"id":1}'), /Line 2 repeats the id “b\.jsonl#1”/);
  assert.throws(() => read("\n\n"), /It is empty/);
});

test("a file that is not UTF-8 is passed on as bytes, so that the engine reports the position", () => {
  const bytes = Uint8Array.of(0x67, 0xfc);
  assert.deepEqual(readCsv({ id: "c.csv", name: "c.csv", bytes, encoding: undefined }).documents, [{ id: "c.csv", title: "c.csv", format: "text", bytes }]);
});

test("Markdown: the title is the first heading, also after front matter, or the title of the front matter", () => {
  const title = (text) => readMarkdown(file("a.md", text)).documents[0].title;
  assert.equal(title("---\ntitle: Log\nyear: 2023\n---\n\n# Incident log ##\n\nx"), "Incident log");
  assert.equal(title("\n# One\n"), "One");
  assert.equal(title("---\r\nyear: 2023\r\ntitle: \"A log: of incidents\"\r\n---\r\nText.\r\n# Later\r\n"), "A log: of incidents");
  for (const none of ["Text first.\n\n# Later", "---\nText after a line.", "---\ntitle:\n---\nText.", "#hashtag", ""]) assert.equal(title(none), "a.md", none);
});
