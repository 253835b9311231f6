// The demo's note below an answer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { noteOn } from "../../../www/ask/notes.js";

const result = { answeredBy: "llm", usage: { promptTokens: 10, completionTokens: 2 }, invalidCitations: [], citations: [{}] };
const note = (more) => noteOn(/** @type {any} */ ({ result: { ...result, ...more }, model: {} }));
const hit = (docId, title, collection = "default") => ({ docId, title, collection });

test("private documents that the model was not shown are listed once each, by name", () => {
  assert.equal(note({}), "Written by the language model, 12 tokens.");
  assert.equal(note({ withheld: [] }), note({}));
  assert.match(note({ withheld: [hit("pay.md", "Salaries"), hit("pay.md", "Salaries")] }), / The language model was not shown 1 private document that also matches this question: Salaries\.$/);
  const four = [hit("pay.md"), hit("pay.md", null, "other"), hit("b.md", "B"), hit("c.md", "C"), hit("d.md", "D")];
  assert.match(note({ withheld: four }), / was not shown 5 private documents that also match this question: pay\.md, pay\.md, B, 2 more\.$/);
});

test("private documents that a table omits are counted", () => {
  assert.match(note({ output: { rows: [{}], leftOut: 1 } }), /The table omits 1 private document\.$/);
  assert.doesNotMatch(note({ output: { rows: [{}], leftOut: 0 } }), /private/);
});

test("sources that the model did not name are pointed out, in the answer of a model alone", () => {
  const [own, found] = [{ by: "model" }, { by: "grounding" }];
  assert.doesNotMatch(note({ citations: [own] }), /dashed/);
  assert.match(note({ citations: [own, found] }), /The source with a dashed border was found by comparing words; the model did not name it\.$/);
  assert.match(note({ citations: [found, found] }), /The sources with dashed borders were found by comparing words; the model did not name them\.$/);
  assert.doesNotMatch(note({ answeredBy: "rule", citations: [found] }), /dashed/);
});
