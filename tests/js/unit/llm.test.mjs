// Whatever a user's LLM function returns is handed on, part by part.

import assert from "node:assert/strict";
import { test } from "node:test";
import { llmParts } from "../../../src/web/package/llm.js";

async function parts(llm, signal = new AbortController().signal) {
  const seen = [];
  await llmParts(llm, "answer", { messages: [] }, { signal, emit: (part) => seen.push(part) });
  return seen.map(({ bytes, ...rest }) => (bytes ? { bytes: new TextDecoder().decode(bytes) } : rest));
}

test("a response gives its status, then its bytes", async () => {
  assert.deepEqual(await parts(() => new Response("hello", { status: 500 })), [{ status: 500 }, { bytes: "hello" }]);
  assert.deepEqual(await parts(async () => new Response(null, { status: 204 })), [{ status: 204 }, { bytes: "" }].slice(0, 2));
});

test("a string, a completion and an iterable of deltas are handed on", async () => {
  assert.deepEqual(await parts(() => "hi"), [{ text: "hi" }]);
  assert.deepEqual(await parts(() => ({ choices: [] })), [{ value: { choices: [] } }]);
  assert.deepEqual(await parts(async function* () { yield "a"; yield { choices: [] }; }), [{ text: "a" }, { value: { choices: [] } }]);
});

test("the function is told the request, the step and the signal", async () => {
  let told;
  await parts((request, context) => ((told = { request, ...context }), "hi"));
  assert.deepEqual(told.request, { messages: [] });
  assert.equal(told.step, "answer");
  assert.ok(told.signal instanceof AbortSignal);
});

test("nothing is no reply", async () => {
  await assert.rejects(parts(() => undefined), /returned undefined; return a Response/);
  await assert.rejects(parts(() => null), /returned null/);
});

test("a body that is being read is cancelled with the signal", async () => {
  const abort = new AbortController();
  let cancelled = false;
  const body = new ReadableStream({ start: (it) => it.enqueue(new Uint8Array([1])), cancel: () => { cancelled = true; } });
  setTimeout(() => abort.abort(), 5);
  await parts(() => new Response(body), abort.signal);
  assert.equal(cancelled, true);
});
