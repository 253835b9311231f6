// Values passed to the engine: they arrive unchanged, or are rejected with their path. Nothing is converted silently.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "../../../crates/web/js/agent.js";
import { readied } from "../../../crates/web/js/documents.js";
import { atOnce } from "../../../crates/web/js/at-once.js";
import { knowledgeBaseClass } from "../../../crates/web/js/knowledge-base.js";

const metadata = (value) => readied([{ id: "a", text: "t", metadata: value }])[0].metadata;

class Money {
  amount = 3;
}

test("JSON metadata arrives unchanged", () => {
  const given = { text: "ß\u{1F600}", number: -0.5, none: null, list: [1, [true]], inner: { deep: {} } };
  assert.deepEqual(metadata(given), given);
  assert.notEqual(metadata(given).list, given.list);
  assert.equal(metadata(undefined), undefined);
});

test("dates, maps and objects with `toJSON` arrive in their JSON form", () => {
  const given = { at: new Date(Date.UTC(2024, 0, 31)), map: new Map([["a", [new Date(0)]]]), address: new URL("https://example.test/a"), bytes: new Uint8Array([1, 2]) };
  assert.deepEqual(metadata(given), { at: "2024-01-31T00:00:00.000Z", map: { a: ["1970-01-01T00:00:00.000Z"] }, address: "https://example.test/a", bytes: [1, 2] });
  assert.deepEqual(metadata(new Map([["neverSend", true]])), { neverSend: true });
  assert.deepEqual(metadata({ kept: 1, absent: undefined }), { kept: 1 });
});

test("metadata without a JSON form is refused with its path", () => {
  const circle = {};
  circle.inner = { circle };
  const cases = [
    [{ a: { b: [0, NaN] } }, "metadata.a.b[1]", "NaN"],
    [{ a: Infinity }, "metadata.a", "Infinity"],
    [{ a: 1n }, "metadata.a", "a bigint"],
    [{ a: new Date(NaN) }, "metadata.a", "an invalid date"],
    [{ a: new Set([1]) }, "metadata.a", "an instance of Set"],
    [{ a: new Money() }, "metadata.a", "an instance of Money"],
    [{ a: () => {} }, "metadata.a", "a function"],
    [{ a: Symbol("a") }, "metadata.a", "a symbol"],
    [{ a: new Map([[1, 2]]) }, "metadata.a", "a key that is no text"],
    [{ "\ud800": 1 }, "metadata", "half a surrogate pair"],
    [circle, "metadata.inner.circle", "a circle"],
  ];
  for (const [value, place, what] of cases) {
    assert.throws(() => metadata(value), ({ code, message }) => {
      assert.equal(code, "invalid_argument");
      assert.ok(message.startsWith(`\`documents[0].${place}`) && message.includes("must be plain data") && message.includes(what), message);
      return true;
    });
  }
});

test("an unpaired surrogate in a name is refused before the engine is called", async () => {
  const called = [];
  const engine = { call: async (method) => (called.push(method), { collections: [] }), terminate: () => {} };
  const KnowledgeBase = knowledgeBaseClass(() => engine, atOnce);
  const kb = await KnowledgeBase.memory();
  called.length = 0;
  const half = "a\ud83d";
  const calls = {
    "documents[1].id": () => kb.add([{ id: "whole", text: "t" }, { id: half, text: "t" }]),
    "ids[1]": () => kb.remove(["whole", half]),
    id: () => kb.document(half),
    collection: () => kb.add(half, [{ id: "a", text: "t" }]),
    name: () => kb.collection(half),
    "collections[0]": () => kb.search("q", { collections: [half] }),
  };
  for (const [option, call] of Object.entries(calls)) {
    await assert.rejects(call(), ({ code, message }) => code === "invalid_argument" && message.startsWith(`\`${option}\``) && message.includes('"a\\ud83d"'), option);
  }
  await assert.rejects(kb.search("q", { documents: [half] }), { code: "invalid_argument" });
  await assert.rejects(KnowledgeBase.open(half), { code: "invalid_argument" });
  const agent = new Agent(kb);
  const runs = {
    "pipeline.collections": () => agent.pipeline("q", { collections: ["whole", half] }).search().answer().run(),
    "pipeline.steps[1].collections": () => agent.pipeline("q").gate().search({ collections: [half] }).answer().run(),
    "pipeline.steps[0].collections": () => agent.pipeline("q").select({ collections: ["whole", { name: half, description: "d" }] }).search().run(),
  };
  for (const [option, run] of Object.entries(runs)) {
    await assert.rejects(run().result, ({ code, message }) => code === "invalid_argument" && message.startsWith(`\`${option}[`), option);
  }
  await assert.rejects(kb.makeCases({ collections: [half] }), { code: "invalid_argument" });
  assert.deepEqual(called.filter((method) => method !== "expectRun"), []);
  called.length = 0;
  const kept = {
    "documents[0].id": { id: half },
    "documents[0].title": { title: half },
    "documents[0].url": { url: `https://a.example/${half}` },
    "documents[0].summary": { summary: half },
    "documents[0].metadata.list[1].name": { metadata: { list: ["b", { name: `${half}b` }] } },
    "documents[0].metadata.map": { metadata: { map: half } },
  };
  for (const [place, more] of Object.entries(kept)) {
    await assert.rejects(kb.add({ id: "a", text: "t", ...more }), ({ code, message }) => code === "invalid_argument" && message.startsWith(`\`${place}\` must be free of halves of surrogate pairs`), place);
  }
  assert.deepEqual(called, []);
  // Complete surrogate pairs are valid everywhere, and lone surrogates in text are accepted.
  await kb.add([{ id: "\u{1F600}", text: `t ${half}` }]);
  assert.deepEqual(called, ["add"]);
});

test("a summary is stored beside the metadata, whose own field of that name stays", () => {
  const [one] = readied({ id: "a", text: "t", summary: "Of beavers.", metadata: { summary: "Mine.", year: 2023 } });
  assert.deepEqual([one.summary, one.metadata], ["Of beavers.", { summary: "Mine.", year: 2023 }]);
  assert.equal("summary" in readied({ id: "a", text: "t" })[0], false);
});
