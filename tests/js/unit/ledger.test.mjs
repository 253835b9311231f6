// The ledger records what the LLM function received, and the function receives only what `onBeforeSend` permitted.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "../../../crates/web/js/agent.js";
import { readied } from "../../../crates/web/js/documents.js";
import { Ledger } from "../../../crates/web/js/ledger.js";

const request = { messages: [{ role: "user", content: "Wie hoch ist die Gebühr?" }], stream: false };
const sources = [{ chunkId: "default/a#0", docId: "a", collection: "default" }];
const never = new AbortController().signal;

async function admit(onBeforeSend, signal = never) {
  const told = [];
  const ledger = new Ledger(onBeforeSend, (entry) => told.push(entry));
  const outcome = await ledger.admit(request, { step: "answer", sources, signal });
  return { outcome, told, entries: ledger.entries, ledger };
}

test("without a veto everything is sent unchanged, and recorded", async () => {
  const { outcome, told, entries } = await admit();
  assert.deepEqual(outcome, { payload: request });
  const [{ at, ...entry }] = entries;
  assert.ok(at >= 0);
  const bytes = new TextEncoder().encode(JSON.stringify(request)).length;
  assert.deepEqual(entry, { step: "answer", sent: true, changed: false, sources, request, bytes });
  assert.deepEqual(told, entries);
});

test("the veto receives the payload, the step, the sources and the signal, and its result is sent and recorded", async () => {
  /** @type {any} */ let seen;
  const masked = { ...request, messages: [{ role: "user", content: "…" }] };
  const { outcome, entries } = await admit(async (payload, context) => {
    seen = { payload, ...context };
    return masked;
  });
  assert.deepEqual([seen.payload, seen.step, seen.sources, seen.signal], [request, "answer", sources, never]);
  assert.deepEqual(outcome, { payload: masked });
  assert.deepEqual([entries[0].request, entries[0].changed, entries[0].bytes], [masked, true, JSON.stringify(masked).length + 2]);
});

test("a payload that is returned unchanged, or as a copy, is not marked as changed", async () => {
  for (const same of [(payload) => payload, (payload) => ({ ...payload }), async (payload) => structuredClone(payload)]) {
    assert.equal((await admit(same)).entries[0].changed, false);
  }
});

test("changing the payload without returning it sends nothing", async () => {
  const { outcome } = await admit((payload) => { payload.messages = []; });
  assert.match(outcome.denied.reason, /returned undefined/);
  assert.deepEqual(request.messages.length, 1);
});

test("anything that is not clearly a payload denies the request", async () => {
  const circle = { messages: [] };
  circle.circle = circle;
  const denying = [null, false, undefined, true, 0, "", "yes", [], [request], {}, { messages: "all" }, () => request, circle, { messages: [1n] }, { messages: [], toJSON: () => undefined }];
  for (const returned of denying) {
    const { outcome, entries, told } = await admit(() => returned);
    assert.equal(outcome.payload, undefined, String(returned));
    const [{ sent, reason, request: held }] = entries;
    assert.deepEqual([sent, reason, held], [false, outcome.denied.reason, request]);
    assert.equal(told.length, 1);
  }
});

test("a veto that throws denies, and its message is the cause", async () => {
  const thrown = Object.assign(new TypeError("not today"), { code: 7 });
  for (const veto of [() => { throw thrown; }, () => Promise.reject(thrown)]) {
    const { outcome, entries } = await admit(veto);
    assert.deepEqual(outcome, { denied: { reason: "not today", cause: { name: "TypeError", message: "not today", code: "7" } } });
    assert.equal(entries[0].sent, false);
  }
  assert.equal((await admit(() => Promise.reject(null))).entries[0].reason, "null");
});

test("a veto that never returns is abandoned with the signal, and nothing was sent", async () => {
  const abort = new AbortController();
  const ledger = new Ledger(() => new Promise(() => {}), () => assert.fail("no event after the end"));
  const waiting = ledger.admit(request, { step: "answer", sources, signal: abort.signal });
  abort.abort();
  await assert.rejects(waiting, { code: "aborted" });
  assert.deepEqual(ledger.entries.map(({ sent, reason }) => [sent, reason]), [[false, "the run no longer waited for it"]]);
  await assert.rejects(ledger.admit(request, { step: "answer", signal: abort.signal }), { code: "aborted" });
  assert.equal(ledger.entries.length, 1);
});

test("permission that arrives after the wait has ended is ignored", async () => {
  const abort = new AbortController();
  const ledger = new Ledger(async (payload) => (abort.abort(), payload));
  await assert.rejects(ledger.admit(request, { step: "answer", signal: abort.signal }), { code: "aborted" });
  assert.equal(ledger.entries[0].sent, false);
});

test("later changes to a payload or an entry do not affect the ledger", async () => {
  const kept = structuredClone(request);
  let given;
  const { outcome, ledger, told } = await admit((payload) => (given = payload));
  for (const one of [given, outcome.payload, told[0].request, ledger.entries[0].request]) one.messages.length = 0;
  assert.deepEqual(ledger.entries[0].request, kept);
});

test("the veto of a run overrides the agent's", async () => {
  const [agents, runs] = [() => null, (payload) => payload];
  const kb = { runPipeline: async (_, { onBeforeSend }) => ({ onBeforeSend }) };
  const pipeline = new Agent(kb, { onBeforeSend: agents }).pipeline("q").search();
  assert.equal((await pipeline.run().result).onBeforeSend, agents);
  assert.equal((await pipeline.run({ onBeforeSend: runs }).result).onBeforeSend, runs);
  assert.throws(() => pipeline.run({ onBeforeSend: true }), { code: "invalid_argument" });
  assert.throws(() => new Agent(kb, { onBeforeSend: "ask" }), { code: "invalid_argument" });
});

test("`neverSend` of a document is stored in its metadata, and is true or false", () => {
  const given = [{ id: "a", text: "t", neverSend: true, metadata: { year: 2023 } }, { id: "b", text: "t", neverSend: false, metadata: { neverSend: true } }, { id: "c", text: "t", neverSend: undefined }];
  const before = structuredClone(given);
  assert.deepEqual(readied(given).map(({ metadata }) => metadata), [{ year: 2023, neverSend: true }, { neverSend: true }, undefined]);
  assert.ok(readied(given).every((one) => !("neverSend" in one)));
  assert.deepEqual(given, before);
  for (const neverSend of ["true", 1, {}]) assert.throws(() => readied([{ id: "a", text: "t", neverSend }]), { code: "invalid_argument", message: /`documents\[0\]\.neverSend` must be true or false/ });
  for (const other of ["no list", undefined, [null], [7]]) assert.throws(() => readied(other), { code: "invalid_argument", message: /such as \{ id, text \}/ });
});

/** Returns a seeded generator of pseudorandom numbers from 0 to 1. */
function random(seed) {
  let state = Math.imul(seed, 2654435761) >>> 0;
  return () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0), state / 2 ** 32);
}

/** Returns a random value of any kind that a veto may return. */
function anything(next, levels = 3) {
  const leaves = [undefined, null, false, true, 0, NaN, "", "\ud800", "é\u0000</script>", 10n, () => 1, Symbol("s"), new Map([[1, 2]]), new Date(0)];
  const at = next();
  if (levels === 0 || at < 0.4) return leaves[Math.floor(next() * leaves.length)];
  if (at < 0.6) return Array.from({ length: 3 }, () => anything(next, levels - 1));
  return { messages: at < 0.9 ? [anything(next, levels - 1)] : anything(next, levels - 1), more: anything(next, levels - 1) };
}

test("for every result of a veto, the ledger is plain JSON, and records as sent only what was sent", async () => {
  let sent = 0;
  for (let seed = 1; seed <= 400; seed++) {
    const { outcome, entries, told } = await admit(() => anything(random(seed)));
    assert.deepEqual(JSON.parse(JSON.stringify(entries)), entries, `${seed}`);
    assert.deepEqual(told, entries);
    const [entry] = entries;
    assert.equal(entry.sent, "payload" in outcome, `${seed}`);
    if (entry.sent) assert.deepEqual(entry.request, outcome.payload, `${seed}`);
    else assert.equal(typeof entry.reason, "string", `${seed}`);
    sent += entry.sent ? 1 : 0;
  }
  assert.ok(sent > 50 && sent < 350, `${sent}`);
});
