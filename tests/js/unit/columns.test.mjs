// The demo's order of the columns of a table, and the values as they are written in the file.

import assert from "node:assert/strict";
import { test } from "node:test";
import { besideTable, headInOwnWords, orderOf, writtenIn } from "../../../www/ask/columns.js";
import * as engine from "../../../www/words/de/engine.js";
import { speak } from "../../../www/words.js";

/** Returns the names of the columns in the order that is shown. */
function shown(columns, rows, texts) {
  return orderOf({ columns, rows }, texts.map((text) => writtenIn(text, columns))).map((at) => columns[at]);
}

test("lines of a text are read by the names of columns, which may contain colons", () => {
  const written = writtenIn("invoice: R-1\ntotal: net: 2260.70\nnote: two\nlines: of it\nnote: another", ["title", "invoice", "total", "total: net", "note"]);
  assert.deepEqual([...written], [["invoice", "R-1"], ["total", "net: 2260.70"], ["note", "two"]]);
  assert.deepEqual([...writtenIn("a: b: 1", ["a: b"])], [["a: b", "1"]]);
});

test("columns are in the order of the file, those that all rows have in common and the place of the row last", () => {
  const columns = ["title", "amount", "customer", "file", "invoice", "status"];
  const rows = [["i.csv, row 1", 10.5, "Acme", "i.csv", "R-1", "open"], ["i.csv, row 2", 7, null, "i.csv", "R-2", "open"]];
  const texts = ["status: open\ninvoice: R-1\ncustomer: Acme\namount: 10.50", "status: open\ninvoice: R-2\namount: 7"];
  assert.deepEqual(shown(columns, rows, texts), ["invoice", "customer", "amount", "status", "title"]);
  assert.deepEqual(shown(columns, rows.slice(0, 1), texts.slice(0, 1)), ["status", "invoice", "customer", "amount", "title"], "one row has nothing in common with others");
  const ofTwo = rows.map((row, at) => row.with(3, `${at}.csv`));
  assert.deepEqual(shown(columns, ofTwo, texts), ["invoice", "customer", "amount", "file", "status", "title"], "rows of several files tell which");
  assert.deepEqual(shown(columns, rows, [texts[1], texts[0]]), ["invoice", "customer", "amount", "status", "title"], "a row that lacks a cell does not change the order");
});

test("a title that repeats a column is left out, another one comes first", () => {
  const rows = [["Ada", 31, 7, "Ada"], ["Ben", 44, 8, "Ben"]];
  assert.deepEqual(shown(["title", "age", "id", "name"], rows, ["id: 7\nname: Ada\nage: 31"]), ["id", "name", "age"]);
  assert.deepEqual(shown(["title", "age", "id", "name"], rows.map(([, ...rest]) => ["Someone", ...rest]), ["id: 7\nname: Ada\nage: 31"]), ["title", "id", "name", "age"]);
});

test("without lines of a file the title comes first", () => {
  assert.deepEqual(shown(["title", "a", "b"], [["x.csv, row 1", 1, 2], ["x.csv, row 2", 1, 3]], ["A text.", ""]), ["title", "b", "a"]);
});

test("of many columns, those that the question names follow the first", () => {
  const columns = ["title", "a", "b", "c", "d", "Monthly pay", "starts"];
  const rows = [["A", 1, 2, 3, 4, 5, 6], ["B", 2, 3, 4, 5, 6, 7]];
  const shown = (question, count = columns.length) => orderOf({ columns: columns.slice(0, count), rows: rows.map((row) => row.slice(0, count)) }, [], question).map((at) => columns[at]);
  assert.deepEqual(shown("What is the monthly pay of Ben?"), ["title", "Monthly pay", "a", "b", "c", "d", "starts"], "all words of a name");
  assert.deepEqual(shown("Who gets the best pay, and when does Ben start?"), ["title", "starts", "a", "b", "c", "d", "Monthly pay"]);
  const few = ["title", "a", "b", "c", "Category", "in"];
  assert.deepEqual(orderOf({ columns: few, rows: rows.map((row) => row.slice(0, 6)) }, [], "Which categories are in Bonn?").map((at) => few[at]), ["title", "Category", "a", "b", "c", "in"], "a plural, and no word that any question may have");
  assert.deepEqual(shown("What is d of Ben?", 5), columns.slice(0, 5), "few columns are all in view");
  assert.deepEqual(shown(""), columns);
});

test("the text of an answer keeps what its table does not show: sums, remarks, groups", () => {
  const said = (answer, rows) => besideTable({ answer, output: { rows: Array.from({ length: rows }) } }).answer;
  assert.equal(said("The sum is 5 EUR.\n- A (2) [1]\n- B (3) [2]", 2), "The sum is 5 EUR.");
  assert.equal(said("- A (2) [1]\n- B (3) [2]", 2), "");
  assert.equal(said("- A (2) [1]\n- B (3) [2]\n(1 more may do so, but a value is missing)", 2), "(1 more may do so, but a value is missing)");
  assert.equal(said("The mean per city:\n- Bonn: 2\n- Kiel: 3", 7), "The mean per city:\n- Bonn: 2\n- Kiel: 3");
  const ofRows = (answer, rows) => besideTable({ answer, output: { rows } }).answer;
  const rows = [["a.csv, row 1", 2, "Rent"], ["a.csv, row 2", 3, "Food"], ["a.csv, row 3", null, "Rent"]];
  assert.equal(ofRows("The sum is 5, over 2 of the 3 rows.\n- a.csv, row 1 (Amount 2) [1]\n- Food (Amount 3) [2]", rows), "The sum is 5, over 2 of the 3 rows.", "rows without a value are not listed");
  const bolts = [["Bolt (M6)", 2], ["Nut", 3], ["Pin", null]];
  assert.equal(ofRows("The sum is 5.\n- Bolt (M6) (price 2) [1]\n- Nut (price 3) [2]", bolts), "The sum is 5.");
  assert.equal(ofRows("By kind:\n- Rent: 2 [1]\n- Food: 3 [2]", rows), "By kind:\n- Rent: 2 [1]\n- Food: 3 [2]");
  const long = ["There are 60.", ...Array.from({ length: 50 }, (_, at) => `- ${at}`), "and 10 more"].join("\n");
  assert.equal(said(long, 60), "There are 60.");
  const { citations } = besideTable({ answer: "One. [1]\n- A [2]", output: { rows: [1] }, citations: [{ at: { start: 5, end: 8 } }, { at: { start: 13, end: 16 } }] });
  assert.equal(citations.length, 1);
});

test("the first line of an answer about rows is said in the language of the page, and what follows keeps its citations", () => {
  const answer = "Average of pay by city, over the 3 documents in staff.csv:\n- Bonn: 2 [1]";
  const at = answer.indexOf("[1]");
  const result = { answer, citations: [{ at: { start: at, end: at + 3 } }], grounding: [] };
  assert.equal(headInOwnWords(result), result, "in English as it is");
  speak("de", [engine]);
  const own = headInOwnWords(result);
  assert.equal(own.answer, "Durchschnitt von pay je city, über 3 Dokumente in staff.csv:\n- Bonn: 2 [1]");
  assert.equal(own.answer.slice(own.citations[0].at.start, own.citations[0].at.end), "[1]");
  const cited = { ...result, citations: [{ at: { start: 3, end: 6 } }] };
  assert.equal(headInOwnWords(cited), cited);
  speak("en", []);
});
