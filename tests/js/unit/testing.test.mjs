// The LLM functions of `vademecum/testing`: deterministic, rule-based and adversarial.

import assert from "node:assert/strict";
import { test } from "node:test";
import { llmParts } from "../../../crates/web/js/llm.js";
import { adversarial, diff, heuristic, oracle, recorder, replay, scripted } from "../../../crates/web/js/testing.js";

const signal = new AbortController().signal;
const at = (step) => ({ signal, step });
const answerRequest = {
  messages: [
    { role: "system", content: "You answer questions from passages. They stand between the two lines that read === passages 0a ===." },
    { role: "user", content: "=== passages 0a ===\n[1] Cats › Sound\n# Sound\n\nCats purr. They also meow.\n\n[2] Dogs\nDogs bark.\n=== passages 0a ===\n\nQuestion: What do cats do?" },
  ],
  stream: true,
};
const jsonRequest = (properties, question = "Who wrote it and when was it sold?") => ({
  messages: [{ role: "user", content: `Question: ${question}` }],
  response_format: { type: "json_schema", json_schema: { name: "x", schema: { type: "object", properties } } },
  stream: false,
});

async function parts(llm, request, step, own = signal) {
  const seen = [];
  await llmParts(llm, step, request, { signal: own, emit: (part) => seen.push(part) });
  return seen.map(({ bytes, ...rest }) => (bytes ? { bytes: new TextDecoder().decode(bytes) } : rest));
}

test("scripted replies are returned in order, and their end is an error that says so", async () => {
  const llm = scripted(["one", { skip: true }, { choices: [] }, new Error("broken"), ({ stream }, { step }) => `${step} ${stream}`]);
  const say = () => llm({ stream: true }, at("gate"));
  assert.deepEqual([await say(), await say(), await say()], ["one", '{"skip":true}', { choices: [] }]);
  await assert.rejects(say(), /broken/);
  assert.equal(await say(), "gate true");
  await assert.rejects(say(), /5 replies, and step `gate` asks for one more/);
  assert.deepEqual(llm.requests[0], { step: "gate", request: { stream: true } });
  assert.throws(() => scripted("one"), { code: "invalid_argument" });
});

test("the heuristic LLM answers with the first passage, cited by its mark", async () => {
  const llm = heuristic();
  assert.equal(await llm(answerRequest, at("answer")), "Cats purr. [1]");
  const byDocument = JSON.parse(JSON.stringify(answerRequest).replace("[1] Cats", "[cats.md] Cats"));
  assert.equal(await llm(byDocument, at("answer")), "Cats purr. [cats.md]");
  assert.equal(await llm({ messages: [{ role: "user", content: "2+2?" }] }, at("answer")), "I do not know.");
});

test("the heuristic LLM fills JSON by a schema, by a function's parameters, or by the example in the prompt", async () => {
  /** @type {(...request: any[]) => any} */
  const llm = heuristic();
  const properties = { skipRetrieval: { type: "boolean" }, subQuestions: { type: "array", items: { type: "string" } }, reason: { type: "string" } };
  const expected = { skipRetrieval: false, subQuestions: ["Who wrote it?", "when was it sold?"], reason: "By rule." };
  const request = jsonRequest(properties);
  assert.deepEqual(JSON.parse(await llm(request, at("decompose"))), expected);
  const tools = [{ type: "function", function: { name: "decompose", parameters: request.response_format.json_schema.schema } }];
  const called = await llm({ ...request, response_format: undefined, tools }, at("decompose"));
  assert.deepEqual(JSON.parse(called.choices[0].message.tool_calls[0].function.arguments), expected);
  const example = { messages: [{ role: "system", content: 'Reply like {"needsSearch": true, "query": "capital of France"}' }, ...request.messages] };
  assert.deepEqual(JSON.parse(await llm(example, at("gate"))), { needsSearch: true, query: "Who wrote it and when was it sold?" });
});

test("the heuristic LLM rates passages, chooses collections, and leaves an answer unchanged", async () => {
  /** @type {(...request: any[]) => any} */
  const llm = heuristic();
  const [system, { content }] = answerRequest.messages;
  const rate = { messages: [{ ...system, content: `${system.content} Reply such as {"scores": [{"n": 1, "score": 7}]}` }, { role: "user", content: content.replace(/do cats do/, "noise purr cats") }] };
  assert.deepEqual(JSON.parse(await llm(rate, at("rerank"))), { scores: [{ n: 1, score: 5 }, { n: 2, score: 0 }] });
  const choose = (question) => ({ messages: [
    { role: "system", content: 'Reply like {"reasoning": "x", "collections": ["prices"]}' },
    { role: "user", content: `Collections:\n- prices: what things cost\n- people\n\nQuestion: ${question}` },
  ] });
  assert.deepEqual(JSON.parse(await llm(choose("What does it cost?"), at("select"))).collections, ["prices"]);
  assert.deepEqual(JSON.parse(await llm(choose("Why?"), at("select"))).collections, ["prices", "people"]);
  const quoted = { messages: [answerRequest.messages[0], { role: "user", content: `${content}\n\nAnswer:\n=== passages 0a ===\nCats purr [1].\n\nAll of them.\n=== passages 0a ===\n\nWhat is wrong:\nnothing` }] };
  assert.equal(await llm(quoted, at("ground")), "Cats purr [1].\n\nAll of them.");
  const mend = { messages: [answerRequest.messages[0], { role: "user", content: `${content}\n\nAnswer:\nCats purr [1].\n\nWhat is wrong:\nnothing {"a": 1}` }] };
  assert.equal(await llm(mend, at("ground")), "Cats purr [1].");
});

test("the oracle splits the question like its label, and knows the answer", async () => {
  const cases = [
    { question: "Where was the author of Emma born?", answer: "Steventon", subQuestions: [{ question: "Who wrote Emma?", answer: "Jane Austen" }, { question: "Where was #1 born?" }] },
    { question: "Who wrote Emma?", answer: "Jane Austen" },
  ];
  const llm = oracle(cases);
  const list = { type: "array", items: { type: "string" } };
  const request = jsonRequest({ why: { type: "string" }, parts: list }, cases[0].question);
  assert.deepEqual(JSON.parse(await llm(request, at("decompose"))).parts, ["Who wrote Emma?", "Where was Jane Austen born?"]);
  assert.equal(await llm(request, at("answer")), "Steventon");
  assert.equal(await llm(jsonRequest({}, "Who wrote Emma?"), at("answer")), "Jane Austen");
  const twice = { messages: request.messages, response_format: jsonRequest({ collections: list, intent: { type: "string", enum: ["qa", "list"] } }).response_format };
  assert.deepEqual(JSON.parse(await llm(twice, at("decompose"))), { collections: [], intent: "qa" });
  const plan = jsonRequest({ filters: { type: "array" }, subqueries: { type: "array", items: { type: "object", properties: { purpose: { type: "string" }, query: { type: "string" } } } } }, cases[0].question);
  assert.equal(JSON.parse(await llm(plan, at("decompose"))).subqueries[1].query, "Where was Jane Austen born?");
  assert.deepEqual(JSON.parse(await llm(jsonRequest({ parts: list }, "What else?"), at("decompose"))).parts, ["What else?"]);
});

test("the adversary goes through every kind of bad reply, in an order determined by its seed", async () => {
  const orders = [1, 1, 2].map((seed) => adversarial(seed).kinds);
  assert.deepEqual(orders[0], orders[1]);
  assert.notDeepEqual(orders[0], orders[2]);
  const llm = adversarial(7);
  assert.equal(llm.kinds.length, 21);
  const seen = {};
  for (const kind of llm.kinds) {
    const abort = new AbortController();
    if (kind === "endlessStream") setTimeout(() => abort.abort(), 30);
    seen[kind] = await parts(llm, answerRequest, "answer", abort.signal).catch((error) => error);
  }
  assert.deepEqual(llm.played, llm.kinds);
  const failed = Object.keys(seen).filter((kind) => seen[kind] instanceof Error).sort();
  assert.deepEqual(failed, ["cutStream", "endlessStream", "rejected", "thrown"]);
  assert.match(seen.fencedJson[0].text, /^```json\n/);
  const lengths = ["megabyte", "brackets", "citations", "sentences"].map((kind) => seen[kind].reduce((sum, { text = "" }) => sum + text.length, 0));
  assert.deepEqual(lengths, [1_000_000, 1_000_000, 300_000, 300_000]);
  assert.equal(seen.htmlError[0].status, 418);
  const { choices, usage } = seen.usage[0].value;
  assert.deepEqual([choices[0].message.content, usage.prompt_tokens, usage.completion_tokens], ["Cats purr. [1]", 4294967295, 4294967295]);
});

test("an adversary of given kinds plays no others", async () => {
  const one = adversarial(3, { only: "brackets" });
  for (let n = 0; n < 3; n++) await one(answerRequest, at("answer"));
  assert.deepEqual([one.kinds, one.played], [["brackets"], ["brackets", "brackets", "brackets"]]);
  assert.deepEqual([...adversarial(3, { only: ["empty", "usage"] }).kinds].sort(), ["empty", "usage"]);
  const misuse = { "toString": /but was the string "toString"/, "": /but was the string ""/ };
  for (const [only, message] of Object.entries(misuse)) assert.throws(() => adversarial(1, { only }), { code: "invalid_argument", message });
  assert.throws(() => adversarial(1, { only: [] }), { code: "invalid_argument", message: /an empty list/ });
  assert.throws(() => adversarial(1, { onyl: "empty" }), { code: "invalid_argument", message: /onyl/ });
});

test("recorded replies are replayed in every form, and still stream while they are recorded", async () => {
  const completion = { choices: [{ message: { content: "c" } }] };
  const forms = {
    text: () => "hi",
    completion: () => completion,
    response: () => new Response("{}", { status: 429, headers: { "retry-after": "2" } }),
    empty: () => new Response(null, { status: 204 }),
    deltas: async function* () { yield "a"; yield completion; yield new TextEncoder().encode("ä"); },
    stream: () => new ReadableStream({ start: (it) => (it.enqueue("x"), it.close()) }),
  };
  for (const [form, llm] of Object.entries(forms)) {
    const recording = recorder(llm);
    const live = await parts(recording, answerRequest, "answer");
    assert.deepEqual(live, await parts(llm, answerRequest, "answer"), form);
    const bundle = JSON.parse(JSON.stringify(recording.bundle()));
    assert.equal(bundle.exchanges[0].reply.cut, undefined, form);
    const again = await parts(replay(bundle), answerRequest, "answer");
    assert.deepEqual(again, live, form);
  }
});

test("a failure is recorded, and an incompletely read reply is marked", async () => {
  const failing = recorder(() => { throw new Error("no memory"); });
  await assert.rejects(parts(failing, answerRequest, "answer"), /no memory/);
  await assert.rejects(parts(replay(failing.bundle()), answerRequest, "answer"), /no memory/);
  const busy = Object.assign(new Error("slow down"), { status: 429, headers: new Headers({ "retry-after": "0" }) });
  const refused = recorder(() => { throw busy; });
  const live = await parts(refused, answerRequest, "answer");
  assert.deepEqual(live, [{ status: 429, retryAfter: 0 }, { bytes: "slow down" }]);
  assert.deepEqual(await parts(replay(refused.bundle()), answerRequest, "answer"), live);
  const abort = new AbortController();
  let cancelled = false;
  const endless = recorder(() => new Response(new ReadableStream({ pull: (it) => it.enqueue(Uint8Array.of(65)), cancel: () => { cancelled = true; } })));
  setTimeout(() => abort.abort(), 5);
  await assert.rejects(parts(endless, answerRequest, "answer", abort.signal), { code: "aborted" });
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(endless.bundle().exchanges[0].reply.cut, true);
  assert.equal(cancelled, true);
});

test("an incomplete reply is replayed up to its end, and breaks off there", async () => {
  const rest = new Promise(() => {});
  const forms = {
    deltas: async function* () { yield "When "; yield new TextEncoder().encode("cats"); await rest; },
    body: () => new Response(new ReadableStream({ start: (it) => it.enqueue(new TextEncoder().encode("data: When cats")), pull: () => rest })),
    nothing: () => new Response(new ReadableStream({ pull: () => rest })),
    never: () => rest,
  };
  for (const [form, llm] of Object.entries(forms)) {
    const recording = recorder(llm);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 20);
    const live = [];
    await assert.rejects(llmParts(recording, "answer", answerRequest, { signal: abort.signal, emit: (part) => live.push(part) }), { code: "aborted" });
    const again = [];
    const replayed = llmParts(replay(recording.bundle()), "answer", answerRequest, { signal, emit: (part) => again.push(part) });
    await assert.rejects(replayed, /The recording ends before the reply does/, form);
    const seen = (all) => all.filter(({ bytes }) => bytes?.length !== 0).map(({ bytes, ...others }) => (bytes ? { bytes: [...bytes] } : others));
    assert.deepEqual(seen(again), seen(live), form);
  }
});

test("equal requests are answered in order, and an unrecorded one is an error that suggests reasons", async () => {
  const recording = recorder(scripted(["one", "two"]));
  for (let n = 0; n < 2; n++) await recording({ a: 1, b: 2 }, at("gate"));
  const llm = replay(recording.bundle());
  assert.deepEqual([await llm({ b: 2, a: 1 }, at("gate")), await llm({ a: 1, b: 2 }, at("gate"))], ["one", "two"]);
  await assert.rejects(llm({ a: 1, b: 2 }, at("answer")), /no reply to this request of step `answer`/);
  await assert.rejects(llm({ a: 2, b: 2 }, at("gate")), /only to 2 others/);
  assert.throws(() => replay({ version: 9, exchanges: [] }), { code: "invalid_argument" });
});

/** Returns the parts of a run and of a library that a recorder reads; `index` is the library's fingerprint. */
const runOver = (index, searches) => [
  { result: Promise.resolve({ answer: "x", toolCalls: [{ step: "answer", tool: "llm", arguments: {}, result: {} }, ...searches] }) },
  { fingerprint: async () => index },
];
const searched = (question, chunks, limit = 5) => ({
  step: "search", tool: "search", arguments: { question, collection: "default", limits: { limit } }, result: chunks && { chunks }, durationMs: Math.random(),
});

test("a bundle contains the results of each search, in order, and the fingerprint of the library", async () => {
  const recording = recorder(scripted([]));
  const result = await recording.watch(...runOver("f00", [searched("cats?", ["b", "a"]), searched("dogs?", null)]));
  assert.equal(result.answer, "x");
  const { runs } = JSON.parse(JSON.stringify(recording.bundle()));
  const asked = (question) => ({ question, collection: "default", limits: { limit: 5 } });
  assert.deepEqual(runs, [{ index: "f00", searches: [
    { step: "search", arguments: asked("cats?"), chunks: ["b", "a"] }, { step: "search", arguments: asked("dogs?"), chunks: null },
  ] }]);
  await assert.rejects(recording.watch(runOver("f00", [])[0]), { code: "invalid_argument", message: /KnowledgeBase/ });
  await assert.rejects(recording.watch({ result: Promise.reject(new Error("refused")) }, runOver("f00", [])[1]), /refused/);
});

test("a replay with equal results reports no differences, in whatever order searches end", async () => {
  const recording = recorder(scripted(["one"]));
  await recording({ a: 1 }, at("answer"));
  const searches = [searched("cats?", ["b", "a"]), searched("dogs?", ["c"]), searched("cats?", ["a"])];
  await recording.watch(...runOver("f00", searches));
  const llm = replay(recording.bundle());
  assert.equal(await llm({ a: 1 }, at("answer")), "one");
  await llm.watch(...runOver("f00", [searches[1], searches[0], searches[2]]));
  assert.deepEqual(llm.differences(), []);
});

test("a replay over a changed library reports the differences, causes first, and continues", async () => {
  const recording = recorder(scripted(["one"]));
  await recording({ a: 1 }, at("answer"));
  await recording.watch(...runOver("f00", [searched("cats?", ["b", "a"]), searched("dogs?", ["c"])]));
  const llm = replay(recording.bundle());
  await assert.rejects(llm({ a: 2 }, at("answer")), /no reply/);
  const { answer } = await llm.watch(...runOver("f01", [searched("cats?", ["a", "b"]), searched("mice?", null)]));
  assert.equal(answer, "x");
  const search = (question, recorded, now) => ({ what: "search", step: "search", arguments: searched(question).arguments, recorded, now });
  assert.deepEqual(llm.differences(), [
    { what: "index", recorded: "f00", now: "f01" },
    search("cats?", ["b", "a"], ["a", "b"]),
    search("mice?", null, null),
    search("dogs?", ["c"], null),
    { what: "request", step: "answer" },
  ]);
  await llm.watch(...runOver("f00", []));
  assert.deepEqual(llm.differences().filter(({ what }) => what === "run"), [{ what: "run" }]);
});

test("the number of a run's fence does not distinguish requests", async () => {
  const asked = (number, text) => ({ messages: [{ role: "user", content: `=== passages ${number} ===\n[1] Cats\n${text}\n=== passages ${number} ===` }] });
  const recording = recorder(scripted(["one"]));
  await recording(asked("0123456789abcdef", "Cats purr."), at("answer"));
  const llm = replay(recording.bundle());
  assert.equal(await llm(asked("fedcba9876543210", "Cats purr."), at("answer")), "one");
  await assert.rejects(llm(asked("fedcba9876543210", "Cats bark."), at("answer")), /no reply/);
});

test("a bundle from before runs were watched can still be replayed", async () => {
  const llm = replay({ version: 1, exchanges: [{ step: "answer", request: { a: 1 }, reply: { text: "one" } }] });
  assert.equal(await llm({ a: 1 }, at("answer")), "one");
  assert.deepEqual(llm.differences(), []);
});

test("two bundles are compared by searches, requests and replies, ignoring fence numbers", () => {
  const request = (text, fence) => ({ messages: [{ role: "user", content: `=== passages ${fence} ===\n${text}` }] });
  const bundle = (index, chunks, exchanges) => ({ version: 1, exchanges, runs: [{ index, searches: [{ step: "search", arguments: { question: "q" }, chunks }] }] });
  const said = (step, content, reply) => ({ step, request: content, reply });
  const before = bundle("a", ["1"], [said("answer", request("x", "00ff"), { text: "one" }), said("gate", request("g", "00ff"), { text: "yes" })]);
  assert.deepEqual(diff(before, JSON.parse(JSON.stringify(before).replaceAll("00ff", "abcd"))), []);
  const now = bundle("b", ["2"], [said("answer", request("x", "1234"), { text: "two" }), said("ground", request("y", "1234"), { text: "" })]);
  assert.deepEqual(diff(before, now).map(({ what, step }) => [what, step]), [["index", undefined], ["search", "search"], ["reply", "answer"], ["request", "ground"], ["request", "gate"]]);
  assert.deepEqual(diff(before, { ...before, runs: [] }).map(({ what, recorded, now }) => [what, recorded, now]), [["search", ["1"], null]]);
});

/** Returns a seeded generator of pseudorandom numbers from 0 to 1. */
function random(seed) {
  let state = Math.imul(seed, 2654435761) >>> 0;
  return () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0), state / 2 ** 32);
}

/** Returns a copy with a random value replaced. */
function damaged(value, next) {
  const junk = [null, true, -1, 1e300, "", "x", [], {}, [null], { step: 1 }];
  if (typeof value !== "object" || value === null || next() < 0.15) return junk[Math.floor(next() * junk.length)];
  const keys = Object.keys(value);
  if (keys.length === 0) return junk[Math.floor(next() * junk.length)];
  const at = keys[Math.floor(next() * keys.length)];
  const changed = structuredClone(value);
  changed[at] = damaged(value[at], next);
  return changed;
}

test("a damaged bundle is either reported or replayed as far as possible", async () => {
  const whole = {
    version: 1,
    exchanges: ["text", "value", "parts", "status"].map((form) => ({
      step: "answer",
      request: { messages: [{ role: "user", content: form }] },
      reply: { text: { text: "a" }, value: { value: { choices: [] } }, parts: { parts: ["a", { bytes: [97] }] }, status: { status: 200, headers: {}, body: "{}" } }[form],
    })),
    runs: [{ index: "a", searches: [{ step: "search", arguments: { question: "q" }, chunks: ["1"] }] }],
  };
  let refused = 0;
  for (let seed = 1; seed <= 600; seed++) {
    const bundle = JSON.parse(JSON.stringify(damaged(whole, random(seed))));
    try {
      diff(whole, bundle);
      const llm = replay(bundle);
      for (const { request } of whole.exchanges) {
        const parts = [];
        await llmParts(llm, "answer", request, { signal: new AbortController().signal, emit: (part) => parts.push(part) }).catch((error) => assert.ok(error instanceof Error));
      }
    } catch (error) {
      assert.equal(error.code, "invalid_argument", `${seed}: ${error.stack}`);
      refused++;
    }
  }
  assert.ok(refused > 50 && refused < 600, `${refused}`);
});
