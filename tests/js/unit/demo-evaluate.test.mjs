// The demo's Evaluate tab: questions read from files, and confidence intervals of small samples.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCsv } from "../../../www/csv.js";
import { join, parseCases, split } from "../../../www/evaluate/cases.js";
import { compare, interval } from "../../../www/evaluate/statistics.js";
import { estimate } from "../../../www/evaluate/strategies.js";

test("CSV is parsed with quotes, line breaks within them, and the separator of the first line", () => {
  assert.deepEqual(parseCsv('a,"b, ""c""\nd",e\r\n\r\n1;x,2,3\n'), [["a", 'b, "c"\nd', "e"], ["1;x", "2", "3"]]);
  assert.deepEqual(parseCsv("frage;document\nWas?;a.md"), [["frage", "document"], ["Was?", "a.md"]]);
  assert.deepEqual(parseCsv("question\tdocuments\nWhat, then?\ta.md"), [["question", "documents"], ["What, then?", "a.md"]]);
});

test("questions are read from CSV with and without a header, with several documents separated by bars", () => {
  const one = { question: "Who?", relevant: ["a.md", "b c.md"], answer: "Anna" };
  assert.deepEqual(parseCases("Answer,Question,Doc IDs\nAnna,Who?,a.md | b c.md"), [one]);
  assert.deepEqual(parseCases("Who?,a.md | b c.md,Anna"), [one]);
  assert.deepEqual(split(join(one.relevant)), one.relevant);
});

test("questions are read from JSON: a list, a saved report, graded documents", () => {
  assert.deepEqual(parseCases('[{"question":" Who? ","documents":"a.md"}]'), [{ question: "Who?", relevant: ["a.md"] }]);
  const saved = { cases: [{ question: "Who?", relevant: { "a.md": 2 }, collection: "notes", by: "rule", extra: 1 }] };
  assert.deepEqual(parseCases(`\uFEFF${JSON.stringify(saved)}`), [{ question: "Who?", relevant: { "a.md": 2 }, collection: "notes", by: "rule" }]);
  assert.deepEqual(parseCases(JSON.stringify({ version: 1, cases: 1, questions: saved.cases }))[0].relevant, { "a.md": 2 });
});

test("a confidence interval has a width, contains the measured value, and narrows with the number of questions", () => {
  const all = interval(1, 10);
  assert.ok(Math.abs(all.low - 0.7225) < 0.001 && all.high === 1, JSON.stringify(all)); // value from tables of Wilson's interval
  for (const n of [1, 5, 50, 500]) {
    const { low, high } = interval(0.8, n);
    assert.ok(low < 0.8 && high > 0.8 && low >= 0 && high <= 1);
  }
  const width = (n) => interval(0.5, n).high - interval(0.5, n).low;
  assert.ok(width(400) < width(100) && width(100) < width(10));
});

test("two strategies are compared on the same questions, by a sign test", () => {
  assert.deepEqual(compare([1, 1, 0, 0.5], [0, 1, 0, 1]), { wins: 1, losses: 1, ties: 2, chance: 1 });
  const { wins, losses, chance } = compare([1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0]);
  assert.deepEqual([wins, losses, chance], [6, 0, 2 / 64]);
  assert.equal(compare([1], [1]).chance, 1);
});

test("searches call no model, and without a model nothing does", () => {
  assert.deepEqual(estimate(["keyword", "pipeline"], 10, true), [30, 80]);
  assert.deepEqual(estimate(["keyword", "pipeline"], 10, false), [0, 0]);
  assert.deepEqual(estimate(["hybrid", "hops"], 10, true), [0, 0]);
});
