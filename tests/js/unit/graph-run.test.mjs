// Graph runs: the user's own nodes and edges, added before the start, and runs of a single node.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "../../../crates/web/js/agent.js";

const { signal } = new AbortController();

function noting() {
  const runs = [];
  const kb = {
    async runPipeline(pipeline, own) {
      runs.push({ pipeline: JSON.parse(JSON.stringify(pipeline)), ...own });
      return { question: "q", answer: "a", reasoningTrace: [], toolCalls: [], citations: [], contextUsed: [], stepsTaken: [] };
    },
    async toolSchema(style, tools) {
      return { style, tools };
    },
  };
  return { agent: new Agent(kb), runs };
}

test("nodes and edges are added until the run starts, and become names", async () => {
  const { agent, runs } = noting();
  const run = agent.graph("q", { maxIterations: 2 })
    .addNode("translate", ({ answer }) => ({ answer: `${answer}!` }))
    .addEdge("synthesize", "translate")
    .addEdge("translate", async ({ custom }) => custom?.next ?? null);
  assert.equal(runs.length, 0);
  const result = await run.result;
  assert.equal(result.iteration, 0);
  const [{ pipeline, functions }] = runs;
  assert.deepEqual(pipeline.style, {
    name: "graph", maxIterations: 2,
    nodes: [{ name: "translate", function: "style.translate.node" }],
    edges: [{ from: "synthesize", to: "translate" }, { from: "translate", router: "style.translate.edge" }],
  });
  assert.deepEqual(await functions.get("style.translate.node")({ answer: "a" }, { signal }), { answer: "a!" });
  assert.equal(await functions.get("style.translate.edge")({}, { signal }), null);
});

test("a graph without additions is unchanged", async () => {
  const { agent, runs } = noting();
  const types = [];
  for await (const { type } of agent.graph("q")) types.push(type);
  assert.deepEqual([runs[0].pipeline.style, "only" in runs[0].pipeline, types], [{ name: "graph" }, false, []]);
});

test("a single node runs with a state or with given input", async () => {
  const { agent, runs } = noting();
  const state = { version: 1, pipeline: {}, context: {} };
  await agent.graph("q").step("analyze_query").result;
  await agent.graph("q").step("grade_results", state).result;
  await agent.graph("q").step("synthesize", { evidence: [{ id: "a", text: "t" }], version: "two" }).result;
  assert.deepEqual(runs.map(({ pipeline }) => pipeline.only), [
    { step: "analyze_query" },
    { step: "grade_results", state },
    { step: "synthesize", given: { evidence: [{ id: "a", text: "t" }], version: "two" } },
  ]);
});

test("nothing can be added to a running graph", async () => {
  const { agent } = noting();
  const run = agent.graph("q");
  await run.result;
  for (const late of [() => run.addNode("a", () => {}), () => run.addEdge("start", "a"), () => run.step("ground")]) {
    assert.throws(late, { code: "invalid_argument", message: /before the run begins/ });
  }
});

test("invalid names and functions are refused immediately", () => {
  const { agent } = noting();
  /** @type {() => any} */
  const graph = () => agent.graph("q");
  for (const [misuse, named] of /** @type {[() => unknown, RegExp][]} */ ([
    [() => graph().addNode("", () => {}), /addNode/],
    [() => graph().addNode("a"), /addNode a.*a function/],
    [() => graph().addEdge("a"), /addEdge/],
    [() => graph().addEdge(1, "b"), /addEdge/],
    [() => graph().step(), /step/],
    [() => graph().step("a", [1]), /step/],
  ])) {
    assert.throws(misuse, { code: "invalid_argument", message: named });
  }
});

test("a saved run requires the functions of its nodes and edges", async () => {
  const { agent, runs } = noting();
  const style = { name: "graph", nodes: [{ name: "a", function: "style.a.node" }], edges: [{ from: "start", to: "a" }, { from: "a", router: "style.a.edge" }] };
  const saved = { version: 1, pipeline: { question: "q", style } };
  const node = () => ({});
  assert.throws(() => agent.resume(saved, undefined, { functions: { "style.a.node": node } }), { code: "invalid_argument", message: /style\.a\.edge/ });
  await agent.resume(saved, undefined, { functions: { "style.a.node": node, "style.a.edge": () => "end" } }).result;
  assert.equal(await runs[0].functions.get("style.a.edge")({}, { signal }), "end");
});

test("the tools of a style include the user's", async () => {
  const { agent } = noting();
  agent.tool({ name: "today", description: "The date.", execute: () => 1 });
  assert.deepEqual(await agent.toolSchema("react"), { style: "react", tools: [{ name: "today", description: "The date.", function: "tool.today" }] });
  await assert.rejects(agent.toolSchema("pipeline"), { code: "invalid_argument", message: /"react" or "investigate" or "graph"/ });
});
