// Spans of a run's events, for a tracer. The recorded run is the one of the native tests.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Run } from "../../../crates/web/js/run.js";
import { spans, trace } from "../../../crates/web/js/otel.js";

const recorded = readFileSync(new URL("../../data/events.golden.jsonl", import.meta.url), "utf8").trim().split("\n").map((line) => JSON.parse(line));
const usage = { llmCalls: 1, promptTokens: 5, completionTokens: 0, estimated: true };
const error = { code: "llm_failed", step: "answer", message: "The model said: secret", retryable: true };
const named = (list, name) => list.find((span) => span.name === name);

/** Records spans and tracks the active one, like the API with a context manager. */
function memoryTracer() {
  const ended = [];
  let active;
  const startActiveSpan = (name, options, ...rest) => {
    const own = rest.pop();
    const span = { name, ...options, parent: active, within: rest[0], events: [] };
    const before = active;
    active = span;
    own({
      addEvent: (name, attributes, time) => span.events.push({ name, attributes, time }),
      setStatus: (status) => (span.status = status),
      end: (time) => {
        span.endTime = time;
        ended.push(span);
      },
    });
    active = before;
  };
  return { startActiveSpan, ended };
}

test("every span has an end, and lies within its parent, which precedes it", () => {
  const list = spans(recorded);
  assert.equal(list.length, 1 + recorded.filter(({ type }) => type === "start" || type === "tool").length);
  list.forEach(({ name, startMs, endMs, parent }, place) => {
    assert.ok(startMs <= endMs, name);
    if (place === 0) return assert.equal(parent, null);
    assert.ok(parent < place, name);
    assert.ok(list[parent].startMs <= startMs && endMs <= list[parent].endMs, name);
  });
});

test("the run, its model calls and its tool calls have the names and attributes of the conventions", () => {
  const list = spans(recorded, { agent: "clerk", provider: "openai" });
  const [root] = list;
  assert.deepEqual([root.name, root.kind, root.endMs], ["invoke_agent clerk", "internal", 820]);
  const { "gen_ai.operation.name": operation, "gen_ai.agent.name": agent, "gen_ai.usage.input_tokens": read } = root.attributes;
  assert.deepEqual([operation, agent, read], ["invoke_agent", "clerk", recorded.at(-1).usage.promptTokens]);
  const chats = list.filter(({ name }) => name === "chat");
  assert.equal(chats.length, recorded.at(-1).usage.llmCalls);
  const written = chats.map(({ attributes }) => attributes["gen_ai.usage.output_tokens"]).reduce((a, b) => a + b);
  assert.equal(written, recorded.at(-1).usage.completionTokens);
  assert.ok(chats.every(({ kind, attributes }) => kind === "client" && attributes["gen_ai.provider.name"] === "openai"));
  const search = named(list, "execute_tool search");
  assert.deepEqual([search.attributes["gen_ai.tool.name"], search.attributes["gen_ai.tool.type"]], ["search", "datastore"]);
  assert.equal(list[search.parent].name, "search");
});

test("a model that the request names is in the span's name", () => {
  const call = { step: "answer", tool: "llm", arguments: { request: { model: "small", messages: [], stream: true } }, result: { content: "x" }, durationMs: 2 };
  const [, chat] = spans([{ type: "tool", at: 3, step: "answer", call }]);
  assert.deepEqual([chat.name, chat.attributes["gen_ai.request.model"], chat.startMs, chat.endMs], ["chat small", "small", 1, 3]);
});

test("spans contain no questions, passages or replies unless content is enabled", () => {
  const request = { messages: [{ role: "user", content: "my secret question" }], stream: false };
  const asked = recorded.map((event) => (event.call?.tool === "llm" ? { ...event, call: { ...event.call, arguments: { request } } } : event));
  const failing = [...asked.slice(0, -1), { type: "failed", at: 820, step: "answer", durationMs: 1, error, fallback: "it is quoted" }, asked.at(-1)];
  const words = ["ACME", "secret", "notice", "acme.md", "contract"];
  const quiet = JSON.stringify(spans(failing));
  for (const word of words) assert.ok(!quiet.includes(word), word);
  const loud = JSON.stringify(spans(failing, { content: true }));
  for (const word of words) assert.ok(loud.includes(word), word);
  const { attributes } = named(spans(failing, { content: true }), "chat");
  assert.deepEqual(JSON.parse(attributes["gen_ai.input.messages"]), [{ role: "user", parts: [{ type: "text", content: "my secret question" }] }]);
  assert.equal(JSON.parse(attributes["gen_ai.output.messages"])[0].role, "assistant");
});

test("attributes are strings, numbers and booleans only", () => {
  for (const { attributes } of spans(recorded, { content: true })) {
    for (const [name, value] of Object.entries(attributes)) assert.match(typeof value, /^(string|number|boolean)$/, name);
  }
});

test("a failed step has its code on its span and on the run's; one that continues has an event", () => {
  const begin = { type: "start", at: 0, step: "answer", metadata: {} };
  const done = (terminatedBy) => ({ type: "done", at: 9, terminatedBy, usage, durationMs: 9 });
  const ended = spans([begin, { type: "failed", at: 4, step: "answer", durationMs: 4, error }, done("error")]);
  assert.deepEqual(ended.map(({ status, attributes, endMs }) => [status.code, attributes["error.type"], endMs]), [
    ["error", "llm_failed", 9], ["error", "llm_failed", 4],
  ]);
  const stop = { type: "stop", at: 8, step: "answer", durationMs: 8, metadata: {} };
  const gone = spans([begin, { type: "failed", at: 4, step: "answer", durationMs: 4, error, fallback: "it is quoted" }, stop, done("completed")]);
  assert.deepEqual(gone.map(({ status }) => status.code), ["unset", "unset"]);
  const attributes = { "error.type": "llm_failed", "vademecum.fallback": "it is quoted" };
  assert.deepEqual(gone[1].events, [{ name: "vademecum.fallback", atMs: 4, attributes }]);
  assert.equal(spans([begin, done("aborted")])[0].attributes["error.type"], "aborted");
});

test("requests, suspicions and clarifications are events of the step, with texts only if content is enabled", () => {
  const entry = { step: "answer", at: 1, sent: false, bytes: 42, changed: true, sources: [{ chunkId: "secret.md#0" }], request: { messages: ["secret"] }, reason: "secret" };
  const suspicion = { chunkId: "secret.md#0", docId: "secret.md", collection: "secret", kind: "role", score: 0.9, text: "secret" };
  const clarification = { type: "overload", question: "secret?", missingInfo: "secret", total: 80, facets: [], options: [], tried: [] };
  const events = [
    { type: "start", at: 0, step: "search", metadata: {} },
    { type: "start", at: 0, step: "answer", metadata: {} },
    { type: "send", at: 1, step: "answer", entry },
    { type: "suspicion", at: 2, step: "answer", suspicion },
    { type: "clarify", at: 3, step: "search", clarification },
  ];
  const [, search, answer] = spans(events);
  assert.deepEqual(answer.events, [
    {
      name: "vademecum.send",
      atMs: 1,
      attributes: { "vademecum.send.sent": false, "vademecum.send.bytes": 42, "vademecum.send.changed": true, "vademecum.send.sources": 1 },
    },
    { name: "vademecum.suspicion", atMs: 2, attributes: { "vademecum.suspicion.kind": "role", "vademecum.suspicion.score": 0.9 } },
  ]);
  const asked = { "vademecum.clarify.type": "overload", "vademecum.clarify.total": 80 };
  assert.deepEqual(search.events, [{ name: "vademecum.clarify", atMs: 3, attributes: asked }]);
  assert.ok(!JSON.stringify(spans(events)).includes("secret"));
  const loud = spans(events, { content: true }).flatMap((span) => span.events);
  const { "vademecum.send.request": request, "vademecum.send.reason": reason } = loud.find(({ name }) => name === "vademecum.send").attributes;
  assert.deepEqual([JSON.parse(request), reason], [{ messages: ["secret"] }, "secret"]);
  assert.equal(loud.find(({ name }) => name === "vademecum.suspicion").attributes["vademecum.suspicion.doc_id"], "secret.md");
  assert.equal(loud.find(({ name }) => name === "vademecum.clarify").attributes["vademecum.clarify.missing_info"], "secret");
});

test("spans that are still open at the last event end there", () => {
  for (let length = 0; length < recorded.length; length++) {
    const list = spans(recorded.slice(0, length));
    const last = recorded[length - 1]?.at ?? 0;
    assert.equal(list[0].endMs, last);
    assert.ok(list.every(({ startMs, endMs }) => startMs <= endMs && endMs <= last));
  }
});

test("a tracer receives every span, with its parent active, in clock time", async () => {
  const tracer = memoryTracer();
  const before = Date.now();
  const run = new Run(async (onEvent) => recorded.forEach(onEvent));
  const context = { mine: true };
  const data = await trace(run, tracer, { context });
  assert.deepEqual(data, spans(recorded));
  assert.equal(tracer.ended.length, data.length);
  const root = tracer.ended.at(-1);
  assert.deepEqual([root.name, root.parent, root.within, root.kind], ["invoke_agent vademecum", undefined, context, 0]);
  for (const { name, parent, kind, attributes, startMs, endMs } of data.slice(1)) {
    const same = (span) => span.name === name && span.startTime === root.startTime + startMs && span.attributes === attributes;
    const span = tracer.ended.find(same);
    assert.deepEqual([span.parent.name, span.within, span.kind], [data[parent].name, undefined, kind === "client" ? 2 : 0]);
    assert.equal(span.endTime, root.startTime + endMs);
  }
  // The events last 820 ms but arrive at once, so the start of the run is computed from their duration.
  assert.ok(root.startTime >= before - 821 && root.endTime <= Date.now() + 1);
});

test("a refused run ends its span with the code", async () => {
  const tracer = memoryTracer();
  const refused = Object.assign(new Error("closed"), { code: "closed" });
  await trace(new Run(() => Promise.reject(refused)), tracer);
  assert.deepEqual(tracer.ended.map(({ name, status, attributes }) => [name, status.code, attributes["error.type"]]), [["invoke_agent vademecum", 2, "closed"]]);
});

test("invalid runs, tracers, lists of events and options are refused", async () => {
  const invalid = { code: "invalid_argument" };
  assert.throws(() => spans("events"), invalid);
  assert.throws(() => spans([{ type: "start", step: "a" }]), invalid);
  assert.throws(() => spans([], { contents: true }), invalid);
  await assert.rejects(trace({}, memoryTracer()), invalid);
  await assert.rejects(trace(new Run(async () => {}), {}), invalid);
});
