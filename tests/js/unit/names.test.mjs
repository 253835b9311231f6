// Unknown names are rejected with a suggestion.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BUDGET } from "../../../crates/web/js/generated/agent-table.js";
import { checked } from "../../../crates/web/js/options.js";
import { Embedder } from "../../../crates/web/js/embedder.js";
import { atOnce } from "../../../crates/web/js/at-once.js";
import { Agent } from "../../../crates/web/js/agent.js";
import { knowledgeBaseClass } from "../../../crates/web/js/knowledge-base.js";
import { Pipeline } from "../../../crates/web/js/pipeline.js";

const engine = { call: async () => ({ collections: [] }), terminate: () => {} };
const onnx = { model: "https://a.example/m.onnx", tokenizer: "https://a.example/t.json" };
const pipeline = () => new Pipeline({ question: "q" }, async () => {});

async function said(call) {
  let thrown;
  try {
    await call();
  } catch (error) {
    thrown = error;
  }
  assert.equal(thrown?.code, "invalid_argument", String(thrown));
  return thrown.message;
}

test("an invalid enumerated value is refused with the nearest one", async () => {
  const kb = await knowledgeBaseClass(() => engine, atOnce).memory();
  for (const [given, meant] of [["semantic", "vector"], ["embedding", "vector"], ["bm25", "keyword"], ["hybird", "hybrid"], ["Vector", "vector"]]) {
    const message = await said(() => kb.search("q", { mode: given }));
    assert.ok(message.endsWith(`but was the string "${given}". Did you mean "${meant}"?`), message);
  }
  assert.ok((await said(() => kb.search("q", { mode: "zzz" }))).endsWith('but was the string "zzz".'));
  assert.ok((await said(() => kb.search("q", { mode: 3 }))).endsWith("but was 3."));
  assert.match(await said(() => Embedder.onnx({ ...onnx, pooling: "last" })), /Did you mean "lasttoken"\?$/);
});

test("alternative names of options are refused with the actual ones", async () => {
  assert.match(await said(() => Embedder.onnx({ ...onnx, pool: "mean" })), /given `pool`\. Did you mean `pooling`\?$/);
  assert.match(await said(() => checked("budget", { calls: 3 }, BUDGET)), /given `calls`\. Did you mean `llmCalls`\?$/);
  assert.match(await said(() => checked("budget", { toolcall: 3 }, BUDGET)), /Did you mean `toolCalls`\?$/);
});

test("a two-letter name with one typo is recognised, and a format by its file extension", async () => {
  const kb = await knowledgeBaseClass(() => engine, atOnce).memory();
  assert.match(await said(() => new Agent(kb, { lm: async () => {} })), /given `lm`\. Did you mean `llm`\?$/);
  for (const [given, meant] of [["md", "markdown"], ["txt", "text"], ["htm", "html"]]) {
    assert.ok((await said(() => kb.add([{ id: "a", text: "t", format: given }]))).endsWith(`Did you mean "${meant}"?`), given);
  }
});

test("an option of the run, given to a step, is refused with its actual place", async () => {
  for (const [given, meant] of [["topK", "limit"], ["limit", "limit"], ["minScore", "threshold"], ["filter", "filters"]]) {
    const message = await said(() => pipeline().search({ [given]: 3 }));
    assert.ok(message.endsWith(`but was given \`${given}\`. That is said once, for all steps: \`agent.pipeline(question, { ${meant} })\`.`), message);
  }
  assert.match(await said(() => pipeline().search({ hop: 2 })), /Did you mean `hops`\?$/);
  assert.ok((await said(() => pipeline().search({ colour: 2 }))).endsWith("given `colour`."));
});

test("a misspelt step in saved data is refused with the nearest", async () => {
  assert.match(await said(() => Pipeline.steps(pipeline(), [{ step: "serch" }], {})), /`pipeline\.steps\[0\]\.step` must be one of .* Did you mean "search"\?$/);
});
