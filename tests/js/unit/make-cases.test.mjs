// Requests to an LLM by `makeCases` are reported, and can be denied. A mock of the engine sends the same requests.

import assert from "node:assert/strict";
import { test } from "node:test";
import { atOnce } from "../../../crates/web/js/at-once.js";
import { knowledgeBaseClass } from "../../../crates/web/js/knowledge-base.js";

const request = { messages: [{ role: "user", content: "A passage." }], stream: false };
const sources = [{ chunkId: "default/a#0", docId: "a", collection: "default" }];

/** Returns a knowledge base whose engine calls the LLM `times` times, and returns the parts of its replies. */
const asking = (times) => {
  const engine = ({ llm }) => ({
    async call(method, { run }) {
      if (method !== "makeCases") return undefined;
      const parts = [];
      const context = { signal: new AbortController().signal, emit: (part) => parts.push(part) };
      for (let asked = 0; asked < times; asked += 1) await llm({ run, step: "make_case", request, sources }, context);
      return parts;
    },
    terminate() {},
  });
  return knowledgeBaseClass(engine, atOnce).memory();
};

test("every request is reported with its sources, whether it was sent or denied", async () => {
  const told = [];
  let vetoes = 0;
  const kb = await asking(2);
  const parts = await kb.makeCases({ llm: () => "{}", onBeforeSend: (payload) => (vetoes++ === 0 ? null : payload), onSend: (entry) => told.push(entry) });
  assert.deepEqual(told.map(({ step, sent, reason }) => [step, sent, reason]), [["make_case", false, "it returned null"], ["make_case", true, undefined]]);
  assert.deepEqual(told.map(({ request, sources }) => [request, sources]), [[request, sources], [request, sources]]);
  assert.deepEqual(parts.map((part) => Object.keys(part)), [["denied"], ["text"]]);
});

test("an invalid function is refused before anything is sent", async () => {
  let asked = 0;
  const kb = await asking(1);
  await assert.rejects(kb.makeCases({ llm: () => (asked++, "{}"), onSend: "log" }), { code: "invalid_argument", message: /makeCases\.onSend/ });
  assert.equal(asked, 0);
});
