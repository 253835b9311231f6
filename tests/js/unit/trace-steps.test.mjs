// The demo's trace of a run's events.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lineOf } from "../../../www/ask/styles.js";
import { spentBy, stepsOf } from "../../../www/trace/steps.js";

const start = (at, step) => ({ type: "start", at, step, metadata: {} });
const stop = (at, step, by = "rule") => ({ type: "stop", at, step, durationMs: 1, metadata: { by, found: 2 } });
const request = (content) => ({ messages: [{ role: "user", content }], stream: false });
const send = (at, step, content, more = {}) => ({ type: "send", at, step, entry: { step, at, sent: true, changed: false, sources: [], bytes: 9, request: request(content), ...more } });
const llm = (at, step, content, durationMs = 5) => ({
  type: "tool",
  at,
  step,
  call: { step, tool: "llm", arguments: { request: request(content) }, result: { content: "said", usage: { promptTokens: 7, completionTokens: 3, estimated: true } }, durationMs },
});
const search = (at, step) => ({ type: "tool", at, step, call: { step, tool: "search", arguments: { question: "q" }, result: { chunks: ["a/b#0"] }, durationMs: 2 } });

test("each step is a row, with its calls and decisions", () => {
  const events = [start(0, "search"), search(2, "search"), stop(3, "search"), start(3, "answer"), send(4, "answer", "p"), llm(9, "answer", "p"), stop(10, "answer", "llm")];
  const trace = [{ step: "search", by: "rule", text: "found" }, { step: "answer", by: "llm", text: "written" }];
  const rows = stepsOf(events, { reasoningTrace: trace });
  assert.deepEqual(rows.map(({ name, from, to, by }) => [name, from, to, by]), [["search", 0, 3, "rule"], ["answer", 3, 10, "llm"]]);
  assert.deepEqual(rows.map(({ items }) => items.map(({ kind, from, to }) => [kind, from, to])), [[["search", 0, 2]], [["llm", 4, 9]]]);
  assert.equal(rows[1].items[0].entry.bytes, 9);
  assert.deepEqual(rows.map(({ thoughts }) => thoughts.map(({ text }) => text)), [["found"], ["written"]]);
  assert.deepEqual(rows[1].metadata, { found: 2 });
});

test("a request without a reply is shown as waiting until the run has ended", () => {
  const events = [start(0, "answer"), send(1, "answer", "p")];
  assert.deepEqual(stepsOf(events)[0].items.map(({ kind, to }) => [kind, to]), [["wait", null]]);
  const [row] = stepsOf([...events, { type: "done", at: 8, terminatedBy: "aborted" }]);
  assert.deepEqual([row.to, row.items], [8, []]);
});

test("a denied request is never shown as waiting", () => {
  assert.deepEqual(stepsOf([start(0, "answer"), send(1, "answer", "p", { sent: false })])[0].items, []);
});

test("concurrent requests are matched with their replies in any order", () => {
  const events = [start(0, "rerank"), send(1, "rerank", "one", { bytes: 1 }), send(1, "rerank", "two", { bytes: 2 }), llm(5, "rerank", "two"), llm(6, "rerank", "one")];
  assert.deepEqual(stepsOf(events)[0].items.map(({ call, entry }) => [call.arguments.request.messages[0].content, entry.bytes]).sort(), [["one", 1], ["two", 2]]);
});

test("events before the first step have a row of their own", () => {
  const events = [llm(5, "summarize", "long"), start(6, "search"), stop(7, "search")];
  assert.deepEqual(stepsOf(events).map(({ name, from, to }) => [name, from, to]), [["summarize", 0, 5], ["search", 6, 7]]);
});

test("a failed step keeps its failure; with a fallback it continues", () => {
  const failed = (fallback) => ({ type: "failed", at: 2, step: "answer", durationMs: 1, error: { code: "llm_failed", message: "no" }, ...(fallback && { fallback }) });
  assert.deepEqual(stepsOf([start(0, "answer"), failed("quotes")])[0].to, null);
  assert.deepEqual(stepsOf([start(0, "answer"), failed()])[0].to, 2);
});

test("the trace of a resumed run covers only its own rows", () => {
  const rows = stepsOf([start(0, "answer"), stop(1, "answer")], { reasoningTrace: [{ step: "search", text: "before" }, { step: "answer", text: "now" }] });
  assert.deepEqual(rows[0].thoughts.map(({ text }) => text), ["now"]);
});

test("usage is counted while the run continues, and taken from its result afterwards", () => {
  const record = { events: [start(0, "answer"), send(1, "answer", "p"), llm(9, "answer", "p"), search(9, "answer")], result: null, begun: 1000 };
  assert.deepEqual(spentBy(record, 1500), { llmCalls: 1, tokens: 10, estimated: true, toolCalls: 1, ms: 500 });
  const result = { usage: { llmCalls: 4, promptTokens: 1, completionTokens: 1, estimated: false } };
  const ended = { ...record, events: [...record.events, { type: "done", at: 9, durationMs: 12 }], result };
  assert.deepEqual(spentBy(ended), { llmCalls: 4, tokens: 2, estimated: false, toolCalls: 1, ms: 12 });
});

test("the description of the selection counts the calls of the chosen steps", () => {
  assert.match(lineOf("pipeline", { steps: ["search", "answer", "ground"] }, true), / 1 call of the model\.$/);
  assert.match(lineOf("pipeline", { steps: ["gate", "search", "reason", "answer"] }, true), / 3 to 5 calls of the model\.$/);
  assert.match(lineOf("pipeline", { steps: ["search", "answer"], thread: true }, true), / 1 to 2 calls of the model\.$/);
  assert.match(lineOf("pipeline", { steps: ["search", "answer"] }, false), /uses a rule/);
  assert.match(lineOf("search", {}, true), /No model is called\.$/);
});
