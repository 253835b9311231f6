// The demo's order of a table's rows by a column.

import assert from "node:assert/strict";
import { test } from "node:test";
import { areNumbers, sorted } from "../../../www/ask/sorting.js";
import { speak } from "../../../www/words.js";

const by = (values, direction = /** @type {"ascending" | "descending"} */ ("ascending")) => sorted(values, direction).map((at) => values[at]);

test("numbers are sorted by value, whether they are numbers or texts with units and grouped digits", () => {
  assert.deepEqual(by([10, 9, -1, 100.5]), [-1, 9, 10, 100.5]);
  assert.deepEqual(by(["€ 1,234.50", "€ 99.00", "€ 250.00"]), ["€ 99.00", "€ 250.00", "€ 1,234.50"]);
  assert.deepEqual(by(["1.234,50 EUR", "99,00 EUR", "-5,00 EUR"]), ["-5,00 EUR", "99,00 EUR", "1.234,50 EUR"]);
  assert.deepEqual(by(["12 %", "7 %", "100 %"]), ["7 %", "12 %", "100 %"]);
  assert.deepEqual(by(["1,200", "900", "10,000"]), ["900", "1,200", "10,000"]);
});

test("dates are sorted by day, in the order of day and month that the column shows", () => {
  assert.deepEqual(by(["2024-10-02", "2023-12-31", "2024-09-30T10:00:00Z"]), ["2023-12-31", "2024-09-30T10:00:00Z", "2024-10-02"]);
  assert.deepEqual(by(["02.10.2024", "31.12.2023", "1.11.2023"]), ["1.11.2023", "31.12.2023", "02.10.2024"]);
  assert.deepEqual(by(["10/2/2024", "9/30/2024"].slice(0, 1).concat("9/3/2024")), ["9/3/2024", "10/2/2024"]);
  assert.deepEqual(by(["13/2/2024", "1/3/2024"]), ["13/2/2024", "1/3/2024"], "no month is the thirteenth");
  assert.deepEqual(by(["12 March 2025", "3 April 2024"]), ["3 April 2024", "12 March 2025"]);
});

test("other texts are sorted as a person does, and versions are no dates", () => {
  assert.deepEqual(by(["R-10", "r-2", "R-1"]), ["R-1", "r-2", "R-10"]);
  assert.deepEqual(by(["1.10.3", "1.9.2"]), ["1.9.2", "1.10.3"]);
});

test("rows that are equal stay in their order, and empty cells are last, in both directions", () => {
  const values = ["b", null, "a", "B", "", "a"];
  assert.deepEqual(sorted(values, "ascending"), [2, 5, 0, 3, 1, 4]);
  assert.deepEqual(sorted(values, "descending"), [0, 3, 2, 5, 1, 4]);
});

test("a point groups digits in German where it could mean both", () => {
  assert.deepEqual(by(["1.234", "9", "1.5"]), ["1.234", "1.5", "9"]);
  speak("de", []);
  assert.deepEqual(by(["1.234", "9"]), ["9", "1.234"]);
  speak("en", []);
  assert.deepEqual(by(["1.234", "9"]), ["1.234", "9"]);
});

test("a column is one of numbers if all its values are, where it has some", () => {
  for (const numbers of [[1, null, 2.5], ["54,20", "1.010,00", ""], ["€ 5", "€ 1,234.50"], [1e-7, 2]]) assert.ok(areNumbers(numbers), String(numbers));
  for (const others of [[null], ["2024-10-02"], ["02.10.2024", "1.11.2024"], ["R-1", "R-2"], ["5", "none"], [true]]) assert.ok(!areNumbers(others), String(others));
});
