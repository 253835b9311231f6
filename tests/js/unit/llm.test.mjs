// Results of users' LLM functions: every kind is accepted, and forwarded part by part until the run stops.

import assert from "node:assert/strict";
import { test } from "node:test";
import { llmParts } from "../../../crates/web/js/llm.js";

async function parts(llm, signal = new AbortController().signal) {
  const seen = [];
  await llmParts(llm, "answer", { messages: [] }, { signal, emit: (part) => seen.push(part) });
  return seen.map(({ bytes, ...rest }) => (bytes ? { bytes: new TextDecoder().decode(bytes) } : rest));
}

function after(ms) {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), ms);
  return abort.signal;
}
const rest = () => new Promise((resolve) => setTimeout(resolve, 5));

test("a response yields its status, then its bytes", async () => {
  const head = { status: 500, retryAfter: undefined };
  assert.deepEqual(await parts(() => new Response("hello", { status: 500 })), [head, { bytes: "hello" }]);
  assert.deepEqual(await parts(async () => new Response(null, { status: 204 })), [{ ...head, status: 204 }, { bytes: "" }]);
});

test("a response without a stream is read in one piece", async () => {
  const old = { status: 200, arrayBuffer: async () => new TextEncoder().encode("{}").buffer };
  assert.deepEqual(await parts(() => old), [{ status: 200, retryAfter: undefined }, { bytes: "{}" }]);
});

test("the retry time of a server is converted to seconds from both forms", async () => {
  const told = async (header) => {
    const [{ retryAfter }] = await parts(() => new Response("", { status: 429, headers: { "retry-after": header } }));
    return retryAfter;
  };
  assert.equal(await told("7"), 7);
  assert.equal(await told("0.5"), 0.5);
  assert.equal(await told(new Date(Date.now() - 10_000).toUTCString()), 0);
  const later = await told(new Date(Date.now() + 10_000).toUTCString());
  assert.ok(later > 8 && later <= 10, String(later));
  assert.equal(await told("soon"), undefined);
});

test("a string, a completion and deltas of every kind are passed on", async () => {
  const completion = { choices: [] };
  assert.deepEqual(await parts(() => "hi"), [{ text: "hi" }]);
  assert.deepEqual(await parts(() => completion), [{ value: completion }]);
  const deltas = ["a", completion, new TextEncoder().encode("b")];
  const expected = [{ text: "a" }, { value: completion }, { bytes: "b" }];
  assert.deepEqual(await parts(async function* () { yield* deltas; }), expected);
  assert.deepEqual(await parts(function* () { yield* deltas; }), expected);
  assert.deepEqual(await parts(async () => deltas), expected);
  assert.deepEqual(await parts(() => new ReadableStream({ start: (it) => (deltas.forEach((delta) => it.enqueue(delta)), it.close()) })), expected);
});

test("empty deltas are not text, and are harmless", async () => {
  const deltas = [null, "a", undefined, "b"];
  const expected = [{ text: "" }, { text: "a" }, { text: "" }, { text: "b" }];
  assert.deepEqual(await parts(async function* () { yield* deltas; }), expected);
  assert.deepEqual(await parts(() => deltas), expected);
  assert.deepEqual(await parts(() => [() => {}]), [{ value: null }]);
});

test("a function may reuse its buffers immediately", async () => {
  const delta = { choices: [{ delta: { content: "a" } }] };
  const seen = await parts(function* () {
    yield delta;
    delta.choices[0].delta.content = "b";
    yield delta;
  });
  assert.deepEqual(seen.map(({ value }) => value.choices[0].delta.content), ["a", "b"]);
});

test("the function receives the request, the step and the signal", async () => {
  /** @type {any} */ let told;
  await parts((request, context) => ((told = { request, ...context }), "hi"));
  assert.deepEqual(told.request, { messages: [] });
  assert.equal(told.step, "answer");
  assert.ok(told.signal instanceof AbortSignal);
});

test("undefined and numbers are not replies", async () => {
  await assert.rejects(parts(() => undefined), /returned undefined; return a Response/);
  await assert.rejects(parts(() => null), /returned null/);
  await assert.rejects(parts(async () => 42), /returned number/);
});

test("exceptions of a function, synchronous or asynchronous, are passed on", async () => {
  await assert.rejects(parts(() => { throw new Error("at once"); }), /at once/);
  await assert.rejects(parts(async () => { throw new Error("later"); }), /later/);
  await assert.rejects(parts(async function* () { yield "a"; throw new Error("in between"); }), /in between/);
});

test("an error with an HTTP status is treated as that response, whoever throws it", async () => {
  const busy = (more) => Object.assign(new Error("429 slow down"), more);
  const fetched = new Response("", { status: 429, headers: { "retry-after": "7" } });
  const forms = {
    status: [{ status: 429 }, undefined],
    headers: [{ status: 429, headers: fetched.headers }, 7],
    plainHeaders: [{ status: 429, headers: { "retry-after": "0" } }, 0],
    response: [{ response: fetched }, 7],
    both: [{ status: 429, response: { status: 429, headers: { "retry-after": "2" } } }, 2],
  };
  for (const [form, [more, retryAfter]] of Object.entries(forms)) {
    const expected = [{ status: 429, retryAfter }, { bytes: "429 slow down" }];
    assert.deepEqual(await parts(() => { throw busy(more); }), expected, form);
    assert.deepEqual(await parts(async () => { throw busy(more); }), expected, form);
    assert.deepEqual(await parts(async function* () { throw busy(more); }), expected, form);
  }
});

test("an error without an HTTP status, or after the reply began, is passed on", async () => {
  for (const status of [undefined, null, "429", 200, 0, 1006, NaN]) {
    await assert.rejects(parts(() => { throw Object.assign(new Error("other"), { status }); }), /other/, String(status));
  }
  await assert.rejects(parts(() => Promise.reject(null)), (thrown) => thrown === null);
  await assert.rejects(parts(async function* () { yield "a"; throw Object.assign(new Error("too late"), { status: 500 }); }), /too late/);
});

test("a body that is being read is cancelled with the signal", async () => {
  let cancelled = false;
  const body = new ReadableStream({ start: (it) => it.enqueue(new Uint8Array([1])), cancel: () => { cancelled = true; } });
  await assert.rejects(parts(() => new Response(body), after(5)), { code: "aborted" });
  await rest();
  assert.equal(cancelled, true);
});

test("an iterable that waits forever is abandoned and cancelled", async () => {
  let returned = false;
  const waiting = { next: () => new Promise(() => {}), return: () => ((returned = true), Promise.resolve({ done: true })), [Symbol.asyncIterator]() { return this; } };
  await assert.rejects(parts(() => waiting, after(5)), { code: "aborted" });
  await rest();
  assert.equal(returned, true);
});

test("an endless iterable lets other tasks run, and ends with the signal", async () => {
  for (const endless of [function* () { for (;;) yield "on "; }, async function* () { for (;;) yield "on "; }]) {
    let ended = false;
    const watched = function* (inner) { try { yield* inner; } finally { ended = true; } };
    const source = endless()[Symbol.iterator] ? watched(endless()) : endless();
    await assert.rejects(parts(() => source, after(30)), { code: "aborted" });
    await rest();
    assert.equal((await source.next()).done, true);
    if (source[Symbol.iterator]) assert.equal(ended, true);
  }
});

test("a reply that never arrives ends with the signal, and a late one is discarded", async () => {
  await assert.rejects(parts(() => new Promise(() => {}), after(5)), { code: "aborted" });
  /** @type {any} */ let arrive;
  let cancelled = false;
  const waiting = parts(() => new Promise((resolve) => (arrive = resolve)), after(5));
  await assert.rejects(waiting, { code: "aborted" });
  arrive(new Response(new ReadableStream({ cancel: () => { cancelled = true; } })));
  await rest();
  assert.equal(cancelled, true);
});

test("a long reply is passed on completely, in pieces, and can be aborted between two", async () => {
  const long = "\u{1F600}é word ".repeat(40_000);
  const texts = (await parts(() => long)).map(({ text }) => text);
  assert.equal(texts.join(""), long);
  assert.ok(texts.length > 4 && texts.every((text) => text.length <= (1 << 16) + 1 && text.isWellFormed?.() !== false));
  const bytes = await parts(() => new Response(long, { status: 200 }));
  assert.equal(bytes.slice(1).map(({ bytes }) => bytes.length).reduce((sum, one) => sum + one, 0) >= long.length, true);
  const seen = [];
  const abort = new AbortController();
  const emit = (part) => {
    seen.push(part);
    abort.abort();
  };
  await assert.rejects(llmParts(() => "x".repeat(20 << 20), "answer", { messages: [] }, { signal: abort.signal, emit }));
  assert.equal(seen.length, 1);
});
