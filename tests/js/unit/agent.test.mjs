// Pipelines are built as plain data, runs are iterables, and misspelt options are told.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "../../../src/web/package/agent.js";
import { Embedder, flatten } from "../../../src/web/package/embedder.js";

const kb = (events, outcome) => ({
  async runPipeline(pipeline, { onEvent }) {
    for (const event of events) onEvent(event);
    await null;
    if (outcome instanceof Error) throw outcome;
    return { ...outcome, pipeline };
  },
});

test("a pipeline is the data of its steps", () => {
  const agent = new Agent(kb([], {}), { model: "m" });
  const pipeline = agent.pipeline("Why?", { limit: 3 }).search({ collections: ["a"] }).answer();
  assert.deepEqual(JSON.parse(JSON.stringify(pipeline)), {
    question: "Why?", model: "m", limit: 3,
    steps: [{ step: "search", collections: ["a"] }, { step: "answer" }],
  });
});

test("every iteration of a run sees every event", async () => {
  const run = new Agent(kb([{ type: "start" }, { type: "done" }], { answer: "x" })).pipeline("q").answer().run();
  for (let round = 0; round < 2; round++) {
    const seen = [];
    for await (const event of run) seen.push(event.type);
    assert.deepEqual(seen, ["start", "done"]);
  }
  assert.equal((await run.result).answer, "x");
});

test("misuse rejects the result and ends the iteration", async () => {
  const run = new Agent(kb([], new Error("refused"))).pipeline("q").run();
  await assert.rejects(run.result, /refused/);
  await assert.rejects(async () => { for await (const _ of run); }, /refused/);
});

test("a misspelt option is an error and not ignored", () => {
  assert.throws(() => new Agent(kb([], {}), { lmm: () => {} }), { code: "invalid_argument", message: /lmm/ });
  assert.throws(() => new Agent(kb([], {})).pipeline("q").search({ colection: "a" }), { code: "invalid_argument" });
  assert.throws(() => new Agent({}), { code: "invalid_argument" });
  assert.throws(() => Embedder.onnx({ model: "m", tokeniser: "t" }), { code: "invalid_argument", message: /tokeniser/ });
});

test("a custom embedder's vectors must be of one length", () => {
  assert.deepEqual([...flatten([[1, 2], [3, 4]]).values], [1, 2, 3, 4]);
  assert.throws(() => flatten([[1, 2], [3]]), { code: "vector_shape" });
  assert.throws(() => flatten("no"), { code: "vector_shape" });
});
