// The demo's note below an answer.

import assert from "node:assert/strict";
import { test } from "node:test";
import "../support/page-imports.mjs";

const { noteOn } = await import("../../../www/ask/notes.js");

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

test("a follow-up says how it was understood, and that it quotes nothing but what was quoted before", () => {
  const cited = (...starts) => starts.map((start) => ({ chunkId: "a#1", quote: { start, end: start + 5 } }));
  const told = (before, more, question = "why?") =>
    noteOn(/** @type {any} */ ({ question, quotedBefore: before, result: { ...result, answeredBy: "rule", answer: "It is so [1].", citations: cited(7), ...more } }));
  const understood = { rewrittenQuestion: "What is it? Why?" };
  assert.match(told(cited(7), understood), /^Understood as “What is it\? Why\?”\. The first quote is the one from before: without/);
  assert.match(told(cited(7, 20), { ...understood, citations: cited(7, 20) }), /from before/);
  assert.equal(told(cited(9), { rewrittenQuestion: "why?" }), "");
  const isSaid = (...given) => told(...given).includes("from before");
  assert.ok(!isSaid(cited(7), { ...understood, citations: cited(7, 20) }), "something new is quoted as well");
  assert.ok(!isSaid(cited(7), {}), "the question stands by itself");
  assert.ok(!isSaid(cited(7), { ...understood, answeredBy: "llm", usage: result.usage }));
  for (const question of ["when?", "And how much?", "Wann denn?", "Wie viele?", "Wie hoch?", "Und wie teuer?"]) {
    assert.ok(!isSaid(cited(7), { ...understood, answer: "It closes on 31 March [1]." }, question), `the same quote answers “${question}”, too`);
    assert.ok(isSaid(cited(7), understood, question), "the number of a citation is no answer");
  }
});

test("the reason for no answer agrees with the passages that the page lists", () => {
  const [nothing, notThese] = ["Nothing in the documents answers this question.", "The nearest passages do not seem to answer this question."];
  const because = (reason, found) => noteOn(/** @type {any} */ ({ result: { ...result, answeredBy: "rule", abstained: true, reason, contextUsed: [{}] }, found }));
  const [some, none] = [{ hits: [{}] }, { hits: [] }];
  for (const reason of [nothing, notThese]) {
    assert.equal(because(reason, none), nothing);
    assert.equal(because(reason, some), "Your documents do not seem to answer this question. The nearest passages are listed below.");
    assert.equal(because(reason, null), reason, "if the search of the page failed, nothing is said of its list");
  }
  const span = { start: 4, end: 9 };
  const near = { nearest: { number: 1, span }, contextUsed: [{ id: "a#1", collection: "c", docId: "a" }] };
  const beside = (hits) => noteOn(/** @type {any} */ ({ result: { ...result, answeredBy: "rule", abstained: true, reason: notThese, ...near }, found: { hits } }));
  assert.equal(beside([{ id: "a#1" }]), "Your documents do not clearly answer this question. The sentence that comes nearest is emphasised below: it may answer all the same.");
  assert.match(beside([{ id: "b#1", collection: "c", docId: "b", span }]), /do not seem to answer/, "the list has no such sentence");
  assert.equal(because("No sentence answers this question; the passages that were found may.", none), nothing);
  assert.equal(because(undefined, some), "The nearest passages are listed below.", "the answer of a model was discarded");
  assert.equal(because(undefined, none), nothing);
  assert.match(because(`${nothing} Which documents are meant by “red” could not be determined.`, none), /^Nothing .* Which documents are meant/);
});

test("a thorough answer says how often it searched, and whether that changed anything", () => {
  const search = { type: "tool", at: 1, call: { tool: "search", result: { chunks: [] }, durationMs: 1 } };
  const cited = (at) => [{ chunkId: "a#1", quote: { start: at, end: at + 5 } }];
  const thorough = (more) => noteOn(/** @type {any} */ ({ style: "graph", state: "done", begun: 0, events: [search, search, search], result: { ...result, answeredBy: "rule", citations: cited(7) }, ...more }));
  assert.equal(thorough({}), "Searched 3 times.");
  assert.equal(thorough({ again: { cited: cited(7) } }), "Searched 3 times; the same passages were best.");
  assert.equal(thorough({ again: { cited: cited(9) } }), "Searched 3 times.");
  assert.equal(thorough({ events: [search], again: { cited: cited(7) } }), "Searched once; the same passages were best.");
  assert.equal(thorough({ style: "pipeline" }), "");
});
