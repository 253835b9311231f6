// Looping styles: runs are plain data, tools are registered once, and results have the fields of their style.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "../../../crates/web/js/agent.js";
import { Ledger } from "../../../crates/web/js/ledger.js";

const RESULT = {
  question: "q", answer: "a", reasoningTrace: [{ step: "think", by: "llm", text: "search q" }], toolCalls: [], citations: [], contextUsed: [], stepsTaken: [], usage: {},
};

/** Returns an agent whose runs are recorded and end at once with `result`. */
function noting(options, result = RESULT) {
  const runs = [];
  const kb = {
    async runPipeline(pipeline, own) {
      runs.push({ pipeline: JSON.parse(JSON.stringify(pipeline)), ...own });
      own.onEvent({ type: "checkpoint", state: { version: 1 } });
      own.onEvent({ type: "done" });
      return result;
    },
  };
  return { agent: new Agent(kb, options), runs };
}

test("a style is the data of its options, in addition to those of every run", async () => {
  const { agent, runs } = noting({ budget: { ms: 900, llmCalls: 3 }, model: "m" });
  await agent.react("q", { maxIterations: 2, citations: true, limit: 7, budget: { llmCalls: 5 } }).result;
  await agent.investigate("q", { filters: { year: 2023 }, prune: "llm", clarify: false }).result;
  await agent.graph("q", { collections: ["a"], maxCalls: 2, history: [{ question: "a", answer: "b" }] }).result;
  assert.deepEqual(runs.map(({ pipeline }) => pipeline.style), [
    { name: "react", maxIterations: 2, citations: true },
    { name: "investigate", prune: "llm", clarify: false },
    { name: "graph", maxCalls: 2 },
  ]);
  assert.deepEqual(runs[0].pipeline.budget, { ms: 900, llmCalls: 5 });
  assert.deepEqual([runs[0].pipeline.limit, runs[1].pipeline.filters, runs[2].pipeline.collections, runs[2].pipeline.history.length], [7, { year: 2023 }, ["a"], 1]);
  assert.ok(runs.every(({ pipeline }) => pipeline.model === "m" && pipeline.steps.length === 0 && !("checkpoints" in pipeline)));
});

test("a style's functions become names, by which they are found", async () => {
  const llm = () => "hi";
  const { agent, runs } = noting({ llm: () => "other" });
  await agent.react("q", { llm, prompt: ({ question }) => `My ${question}` }).result;
  const [{ pipeline, functions }] = runs;
  assert.deepEqual(pipeline.style, { name: "react", llm: "style.llm", prompt: "style.prompt" });
  assert.equal(functions.get("style.llm"), llm);
  assert.equal(await functions.get("style.prompt")({ question: "q" }, { signal: new AbortController().signal }), "My q");
});

test("steps of a style have their own prompts and models, which become names and are found again", async () => {
  const small = () => "hi";
  const { agent, runs } = noting({ llm: () => "other", strict: true });
  const steps = { review: { llm: small, prompt: ({ left }) => `Left: ${left}` }, compose: { prompt: () => "Write." } };
  await agent.investigate("q", { steps, strict: false }).result;
  const [{ pipeline, functions }] = runs;
  assert.deepEqual(pipeline.style, {
    name: "investigate",
    steps: { review: { llm: "style.steps.review.llm", prompt: "style.steps.review.prompt" }, compose: { prompt: "style.steps.compose.prompt" } },
  });
  assert.equal(pipeline.strict, false);
  assert.equal(functions.get("style.steps.review.llm"), small);
  const { signal } = new AbortController();
  assert.equal(await functions.get("style.steps.review.prompt")({ left: 2 }, { signal }), "Left: 2");
  await agent.graph("q", { steps: { synthesize: { llm: small } } }).result;
  assert.deepEqual([runs[1].pipeline.style.steps, runs[1].pipeline.strict], [{ synthesize: { llm: "style.steps.synthesize.llm" } }, true]);
  assert.throws(() => agent.graph("q", { steps: { review: {} } }), /analyze_query/);
  assert.throws(() => agent.investigate("q", { steps: { review: { promt: small } } }), /prompt/);
  assert.throws(() => agent.investigate("q", { steps: { plan: { llm: "small" } } }), { code: "invalid_argument" });
  // A saved run refers to functions by name, and cannot be resumed without them.
  const saved = { version: 1, pipeline };
  assert.throws(() => agent.resume(saved), /style\.steps\.review\./);
  await agent.resume(saved, undefined, { functions: Object.fromEntries([...functions].map(([name, own]) => [name, own])) }).result;
  assert.equal(runs[2].functions.get("style.steps.review.llm"), small);
});

test("a conversation keeps the functions of a style's steps by name", () => {
  const { agent } = noting();
  const own = () => "hi";
  const chat = agent.conversation({ style: "investigate", options: { steps: { plan: { llm: own } }, maxToolCalls: 2 } });
  const data = JSON.parse(JSON.stringify(chat));
  assert.deepEqual(data.options, { steps: { plan: { llm: "options.steps.plan.llm" } }, maxToolCalls: 2 });
  assert.deepEqual(chat.functions, { "options.steps.plan.llm": own });
  assert.deepEqual(agent.conversationFrom(data, chat.functions).functions, chat.functions);
  assert.throws(() => agent.conversationFrom(data, {}), /options\.steps\.plan\.llm/);
});

test("a tool is described by its name and schema, called by its function, and replaced by one of the same name", async () => {
  const { agent, runs } = noting();
  const tool = { name: "web_search", description: "News.", parameters: { type: "object", properties: {} }, execute: () => 1 };
  agent.tool(tool).tool({ ...tool, execute: async ({ query }, { signal }) => [query, signal.aborted] });
  await agent.graph("q").result;
  const { execute: _, ...told } = tool;
  assert.deepEqual(runs[0].pipeline.tools, [{ ...told, function: "tool.web_search" }]);
  const { signal } = new AbortController();
  const call = { step: "act", name: "web_search", arguments: { query: "x" }, tainted: false, sources: [], state: {} };
  assert.deepEqual(await runs[0].functions.get("tool.web_search")(call, { signal }, new Ledger()), ["x", false]);
  assert.throws(() => agent.tool({ ...tool, parameters: [] }), { code: "invalid_argument" });
  assert.throws(() => agent.tool({ ...tool, nme: 1 }), /name/);
});

test("checkpoints are passed to the callback, and are not events", async () => {
  const { agent, runs } = noting();
  const states = [];
  const run = agent.graph("q", { onCheckpoint: (state) => states.push(state) });
  const types = [];
  for await (const { type } of run) types.push(type);
  assert.deepEqual([types, states, runs[0].pipeline.checkpoints], [["done"], [{ version: 1 }], true]);
  await agent.pipeline("q").search().run({ onCheckpoint: (state) => states.push(state) }).result;
  assert.equal(states.length, 2);
});

test("a run is resumed from its state, the user's reply, and functions by name", async () => {
  const { agent, runs } = noting({ budget: { ms: 100 } });
  const saved = { version: 1, pipeline: { question: "q", style: { name: "react", citations: true } } };
  const searcher = (question) => [{ id: "a", text: question }];
  const result = await agent.resume(saved, "yes", { functions: { "1.search.searcher": searcher }, budget: { llmCalls: 2 } }).result;
  const [{ pipeline, functions }] = runs;
  assert.deepEqual(pipeline.resume, { state: saved, answer: "yes" });
  assert.deepEqual(pipeline.budget, { ms: 100, llmCalls: 2 });
  assert.deepEqual(await functions.get("1.search.searcher")({ question: "x", collection: "c" }, { signal: new AbortController().signal }), [{ id: "a", text: "x" }]);
  assert.ok("sources" in result, "the result has the shape of the style that was stopped");
  assert.throws(() => agent.resume(saved, 7), { code: "invalid_argument" });
  assert.throws(() => agent.resume(saved, "yes", { functions: { nonsense: searcher } }), { code: "invalid_argument" });
});

test("react lists each source once if citations are enabled", async () => {
  const hit = (docId, page, title) => ({ docId, page, title, url: null, score: 0.5 });
  const contextUsed = [hit("a", 1, "A"), hit("a", 1, "A"), hit("b", null, null)];
  const result = { ...RESULT, contextUsed, citations: [{ number: 1 }, { number: 2 }, { number: 3 }], searchCount: 2, iterations: 3 };
  const { agent } = noting({}, result);
  const { sources, reasoningSteps, searchCount, iterations } = await agent.react("q", { citations: true }).result;
  assert.deepEqual(sources, [{ title: "A", path: "a", page: 1, score: 0.5 }, { title: "b", path: "b", page: null, score: 0.5 }]);
  assert.deepEqual([reasoningSteps, searchCount, iterations], [["search q"], 2, 3]);
  assert.ok(!("sources" in (await agent.react("q").result)));
});

test("the state of a graph run has its own field names", async () => {
  const result = {
    ...RESULT, stepsTaken: ["analyze_query", "execute_tools", "grade_results", "execute_tools", "synthesize"],
    queryAnalysis: { intent: "i", concepts: ["c"], retrievalPlan: [{ tool: "t", args: {} }] },
    toolCalls: [{ step: "execute_tools", tool: "t" }, { step: "synthesize", tool: "llm" }],
  };
  const { agent } = noting({}, result);
  const state = await agent.graph("q", { maxIterations: 5 }).result;
  assert.deepEqual([state.iteration, state.maxIterations, state.query, state.needsMoreInfo], [2, 5, "q", false]);
  assert.deepEqual([state.queryAnalysis, state.retrievalPlan, state.toolCallsMade.length], [{ intent: "i", concepts: ["c"] }, [{ tool: "t", args: {} }], 1]);
  assert.deepEqual(state.messages, [{ role: "user", content: "q" }, { role: "assistant", content: "a" }]);
});
