// Cells of CSV, as the demo reads lists of questions.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCsv } from "../../../www/csv.js";

test("CSV cells are parsed as in RFC 4180: quotes, doubled quotes, separators and line ends within", () => {
  assert.deepEqual(parseCsv('a,b\r\n"1,5","say ""hi"""\n"two\nlines",\r"",x'), [["a", "b"], ["1,5", 'say "hi"'], ["two\nlines", ""], ["", "x"]]);
  assert.deepEqual(parseCsv(""), []);
  assert.deepEqual(parseCsv('a,"never closed, to the end\n'), [["a", "never closed, to the end\n"]]);
  assert.deepEqual(parseCsv("a;b\n1;2", ";"), [["a", "b"], ["1", "2"]]);
  assert.deepEqual(parseCsv('"Foo" bar,x\n1,2'), [["Foo bar", "x"], ["1", "2"]], "nothing is lost behind a quote that ends too early");
});
