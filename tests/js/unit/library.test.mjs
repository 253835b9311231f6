// The library of the demo page: how documents are grouped, narrowed, described, and asked about.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Catalogue, entriesOf, fileOf, matching, SORTS } from "../../../www/library/catalogue.js";
import { nameOf, SAMPLE } from "../../../www/library/names.js";
import { countsOf, filesIn, shortCountsOf } from "../../../www/library/counts.js";
import { chipOf, wordsOf } from "../../../www/library/filter-words.js";
import { rootOf } from "../../../www/library/folder-store.js";
import { overviewOf } from "../../../www/library/overview.js";
import { kindOfRange } from "../../../www/library/ranges.js";
import { beginning } from "../../../www/library/readers/tables.js";
import { answeredOnes, questionsOf, questionsOfRow, suggestQuestions } from "../../../www/library/suggestions.js";

const listed = (id, rest = {}) => ({ id, collection: "default", title: id, chunks: 1, order: 0, ...rest });
const row = (number, order) => listed(`notes/staff.csv#${number}`, { title: `Person ${number}`, file: "staff.csv", path: "notes/staff.csv", order });

test("the sample is named by the chapters that are in it", () => {
  const made = readFileSync(new URL("../../../xtask/src/sample.rs", import.meta.url), "utf8");
  const chapters = [...(/CHAPTERS: .*= \[(.*)\];/.exec(made)?.[1] ?? "").matchAll(/ch(\d+)/g)].map(([, number]) => Number(number));
  assert.equal(nameOf(SAMPLE), `The Rust book, chapters ${chapters.slice(0, -1).join(", ")} and ${chapters.at(-1)}`);
  const page = readFileSync(new URL("../../../www/index.html", import.meta.url), "utf8");
  assert.match(page, new RegExp(`chapters ${chapters.slice(0, -1).join(", ")} and ${chapters.at(-1)} of <cite`));
});

test("the rows of a table are one entry, which is as new as its last row", () => {
  const entries = entriesOf([listed("a.md", { order: 0, chunks: 5 }), row(1, 1), row(2, 2), listed("b.md", { order: 3 })]);
  assert.deepEqual(entries.map(({ id, rows, chunks }) => [id, rows?.length ?? null, chunks]), [["a.md", null, 5], ["notes/staff.csv", 2, 2], ["b.md", null, 1]]);
  assert.equal(countsOf(entries), "3 files, 2 rows, 8 passages");
  assert.equal(shortCountsOf(entries), "3 files, 2 rows");
  assert.deepEqual([...filesIn([...entries.map((one, at) => ({ ...one, path: at === 0 ? "a.md" : one.path })), ...entriesOf([listed("sample", { collection: "book" })])])], [["default", 3]], "documents of no file are no files");
  const order = (by) => entries.toSorted(SORTS[by]).map(({ name }) => name);
  assert.deepEqual(order("newest"), ["b.md", "staff.csv", "a.md"]);
  assert.deepEqual(order("title"), ["a.md", "b.md", "staff.csv"]);
  assert.deepEqual(order("size"), ["a.md", "staff.csv", "b.md"]);
});

test("a document belongs to a table only if its id begins with the table's", () => {
  assert.equal(fileOf(row(1, 0)), "notes/staff.csv");
  assert.equal(fileOf({ id: "staff.csv#Sheet 1!7", file: "staff.csv" }), "staff.csv");
  for (const one of [{ id: "a.md" }, { id: "a.json", file: "a.json" }, { id: "my-staff.csv#1", file: "staff.csv" }]) assert.equal(fileOf(one), null, one.id);
});

test("a search by title finds tables by their name, and of other tables the rows", () => {
  const entries = entriesOf([listed("a.md"), row(1, 1), row(2, 2)]);
  assert.deepEqual(matching(entries, "staff").map(({ rows }) => rows.length), [2]);
  const [found] = matching(entries, "person 2");
  assert.deepEqual([found.rows.map(({ title }) => title), found.chunks, found.isNarrowed], [["Person 2"], 1, true]);
  assert.equal(matching(entries, "nobody").length, 0);
});

test("filters are told in words, ranges and single files included", () => {
  const file = { field: "path", operator: "in", value: ["lease.docx"] };
  assert.equal(chipOf([file]), "Only lease.docx");
  assert.equal(chipOf([file, { field: "year", operator: ">=", value: 2020 }]), "Only documents with file lease.docx, and year from 2020");
  assert.equal(wordsOf([{ field: "vendor", operator: "in", value: ["A", "B"] }, { field: "year", operator: "<=", value: 2022 }]), "vendor A or B, and year to 2022");
});

test("numbers and dates of many values are a range, few values and words are choices", () => {
  const values = (all, count = 1) => all.map((value) => ({ value, count }));
  assert.equal(kindOfRange(values([1, 2, 3]), 8), "number");
  assert.equal(kindOfRange(values([1, 2, 3], 2), 8), null);
  assert.equal(kindOfRange(values(["2024-01-01", "2024-01-02", "2024-01-03"]), 8), "date");
  assert.equal(kindOfRange(values(["a", "b", "c"]), 8), null);
});

test("of a large table the first lines are read, and a line end within quotes ends none", async () => {
  const whole = await beginning(new Blob(['a,b\n1,"x\ny"\n']));
  assert.deepEqual([new TextDecoder().decode(whole.bytes), whole.lines], ['a,b\n1,"x\ny"\n', null]);
  const cut = await beginning(new Blob(["a,b\n", "1,2\n".repeat(1_000_000)]));
  assert.equal(cut.lines, 50_001);
  assert.equal(cut.bytes.length, 4 + 50_000 * 4);
  const quoted = await beginning(new Blob(["a,b\n", `1,"${"x\n".repeat(50)}"\n`.repeat(100_000)]));
  assert.ok(new TextDecoder().decode(quoted.bytes).endsWith('x\n"\n'), "it ends with a whole row");
});

test("quotes are those of cells: neither the sign of an inch nor a quote in a record joins lines", async () => {
  const pad = "x".repeat(80);
  const inches = await beginning(new Blob(["size,what\n", `3.5" disk,${pad}\n`.repeat(70_000)]));
  assert.equal(inches.lines, 50_001);
  const records = await beginning(new Blob([`{"a":"3.5\\" disk","b":"${pad}"}\n`.repeat(70_000)]), "jsonl");
  assert.equal(records.lines, 50_001);
  const doubled = await beginning(new Blob(["a;b\n", `1;"he said ""no""\n${pad}"\n`.repeat(70_000)]));
  assert.ok(doubled.lines > 40_000 && doubled.lines < 52_000, String(doubled.lines));
  assert.ok(new TextDecoder().decode(doubled.bytes).endsWith(`${pad}"\n`));
});

test("a replaced document is listed as it is now, after the list was told to forget", async () => {
  const given = ["a.md", "b.md"].map((id) => ({ id, collection: "default", title: "Old", chunks: 1, metadata: {} }));
  const catalogue = new Catalogue({ documents: async ({ offset, limit }) => ({ total: given.length, documents: given.slice(offset, offset + limit) }) });
  await catalogue.load();
  given[0] = { ...given[0], title: "New", chunks: 7 };
  assert.ok(catalogue.knowsAny(["x.md", "a.md"]));
  assert.ok(!catalogue.knowsAny(["x.md"]));
  catalogue.forget();
  await catalogue.load();
  assert.deepEqual(catalogue.documents.map(({ title, chunks }) => [title, chunks]), [["New", 7], ["Old", 1]]);
});

test("two folders of one name have different first parts in one collection", () => {
  const known = [{ name: "docs", collection: "a" }, { name: "docs", root: "docs (2)", collection: "a" }];
  assert.equal(rootOf("docs", "a", known), "docs (3)");
  assert.equal(rootOf("docs", "b", known), "docs");
});

const LEASE = {
  id: "lease.md",
  collection: "default",
  title: "Lease",
  metadata: { type: "markdown" },
  text: "# Lease\n\n## 1. Notice period\n\nThe notice period is **three months**, i.e. a quarter. It ends with a month.\n\n## Payment terms\n\nThe payment terms are on page 2.\n\n## Termination\n\nThe termination is written.\n\n## Introduction\n\nx\n\n## Dr. Ada Byron\n\nx",
  chunks: [["Lease", "1. Notice period"], ["Lease", "Payment terms"], ["Lease", "Termination"], ["Lease", "Introduction"]].map((headings) => ({ headings })),
};

test("the overview has the first sentence, the headings without the title, and the columns of a row", () => {
  const { sentence, headings } = overviewOf(LEASE);
  assert.equal(sentence, "The notice period is three months, i.e. a quarter.");
  assert.deepEqual(headings, ["1. Notice period", "Payment terms", "Termination", "Introduction"]);
  assert.deepEqual(overviewOf({ text: "name: Ada", metadata: { type: "csv", file: "a.csv", path: "a.csv", name: "Ada", age: 3 }, chunks: [] }).columns, ["name", "age"]);
  assert.equal(overviewOf({ text: "- a\n- b\n\n| x | y |", chunks: [] }).sentence, "");
});

test("questions are made of headings that say something, in sentences", () => {
  assert.deepEqual(questionsOf(LEASE), ["What is the notice period?", "What are the payment terms?", "What does “Lease” say about termination?"]);
  const of = (heading, text = "") => questionsOf({ text, title: "Guide", chunks: [{ headings: [heading] }] })[0] ?? null;
  assert.equal(of("How to reset the pump"), "How do I reset the pump?");
  assert.equal(of("Why does it stop?"), "Why does it stop?");
  assert.equal(of("Smart Pointers", "a smart way, and pointers"), "What are the smart pointers?");
  assert.equal(of("What is ownership"), "What is ownership?");
  assert.equal(of("Rust", "Rust is a language"), "What does “Guide” say about Rust?");
  for (const empty of ["Summary", "3", "fn main() {}", "Chapter 4", "Guide", "See also", "References", "Do not", "What we do", "Table 1", "Figure 2.1", "Use it well"]) assert.equal(of(empty), null, empty);
  assert.equal(questionsOf({ text: "Die Miete ist monatlich und wird mit der Bank gezahlt.", title: "Mietvertrag", chunks: [{ headings: ["Kündigung"] }] })[0], "Was steht in „Mietvertrag“ zu „Kündigung“?");
});

test("a row is asked for the value of a column", () => {
  assert.deepEqual(questionsOfRow({ type: "csv", file: "staff.csv", path: "staff.csv", name: "Ada Byron", salary: 61000, start_date: "2017-01-02" }), ["What is the salary of Ada Byron?", "What is the start date of Ada Byron?"]);
  assert.deepEqual(questionsOfRow({ type: "csv", "column 1": 3, "column 2": 4 }), []);
});

test("questions come of several documents in turn, one of each table, and as many as asked for", async () => {
  const rows = [1, 2, 3].map((at) => ({ id: `staff.csv#${at}`, collection: "default", title: `P${at}`, metadata: { file: "staff.csv", name: `P${at}`, city: "Ulm" } }));
  const documents = [{ ...LEASE, chunks: 4 }, ...rows];
  const kb = {
    documents: async ({ offset = 0, limit }) => ({ total: documents.length, documents: documents.slice(offset, offset + limit) }),
    document: async () => LEASE,
  };
  assert.deepEqual((await suggestQuestions(kb, { limit: 3 })).map(({ question }) => question), ["What is the city of P3?", "What is the notice period?", "What are the payment terms?"]);
  assert.deepEqual(await suggestQuestions({ ...kb, documents: async () => ({ total: 0, documents: [] }) }), []);
});

test("only questions are offered for which a search finds their document, and no more than asked for", async () => {
  const suggestion = (docId) => ({ question: `About ${docId}?`, collection: "default", docId, title: docId });
  const asked = [];
  const kb = { search: async (question) => (asked.push(question), { hits: question.includes("lost") ? [{ collection: "default", docId: "other" }] : [{ collection: "default", docId: question.slice(6, -1) }] }) };
  const found = await answeredOnes(kb, ["lost", "a", "b", "c"].map(suggestion), 2);
  assert.deepEqual(found.map(({ docId }) => docId), ["a", "b"]);
  assert.deepEqual(asked, ["About lost?", "About a?", "About b?"]);
});
