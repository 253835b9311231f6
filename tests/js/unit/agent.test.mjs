// Agents, pipelines and runs: pipelines are plain data that names functions, runs are iterable, and misuse throws before a run starts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "../../../crates/web/js/agent.js";
import { Embedder } from "../../../crates/web/js/embedder.js";
import { flatten } from "../../../crates/web/js/embedder-custom.js";

const kb = (events, outcome) => ({
  async runPipeline(pipeline, { functions, llm, onEvent }) {
    for (const event of events) onEvent(event);
    await null;
    if (outcome instanceof Error) throw outcome;
    return { ...outcome, pipeline, functions, llm };
  },
});
const agent = (options) => new Agent(kb([], {}), options);
const plain = (pipeline) => JSON.parse(JSON.stringify(pipeline));
const never = new AbortController().signal;

test("a pipeline is the data of its steps", () => {
  const pipeline = agent({ model: "m" }).pipeline("Why?", { limit: 3 }).search({ collections: ["a"] }).answer();
  assert.deepEqual(plain(pipeline), {
    question: "Why?", model: "m", limit: 3,
    steps: [{ step: "search", collections: ["a"] }, { step: "answer" }],
  });
});

test("every step can be added, in any order, with its options", () => {
  const pipeline = agent().pipeline("q", { threshold: 0.4, filters: { year: 2023 }, history: [{ question: "a", answer: "b" }], concurrency: 2 })
    .gate().rewrite().select({ collections: ["a", { name: "b", description: "bees" }] }).route().expand().decompose({ max: 3, phases: 2 })
    .search({ selfCorrect: true, maxIterations: 2, hops: 2 }).rerank({ keep: 8, fetch: 50, batch: 10 })
    .reason({ maxIterations: 2, hops: 1 }).answer({ citations: "doc", maxTokens: 300 }).ground({ correct: true, drop: false });
  const { steps, ...start } = plain(pipeline);
  assert.deepEqual(start, { question: "q", threshold: 0.4, filters: { year: 2023 }, history: [{ question: "a", answer: "b" }], concurrency: 2 });
  assert.deepEqual(steps.map(({ step }) => step), [
    "gate", "rewrite", "select", "select", "expand", "decompose", "search", "rerank", "reason", "answer", "ground",
  ]);
  assert.deepEqual(steps[6], { step: "search", selfCorrect: true, maxIterations: 2, hops: 2 });
});

test("extending a pipeline does not change the original", () => {
  const found = agent().pipeline("q").search();
  const [short, long] = [found.answer(), found.answer({ citations: "doc" }).ground()];
  assert.deepEqual([found, short, long].map((it) => it.toJSON().steps.length), [1, 2, 3]);
  assert.equal(short.toJSON().steps[1].citations, undefined);
});

test("options that are undefined or null count as omitted", () => {
  assert.deepEqual(plain(agent().pipeline("q", { limit: undefined, filters: null }).search({ hops: undefined })), { question: "q", steps: [{ step: "search" }] });
});

test("limits of the pipeline override those of the agent", () => {
  const { budget, concurrency } = agent({ budget: { llmCalls: 4, ms: 500 }, concurrency: 1 }).pipeline("q", { budget: { ms: 900 }, concurrency: 3 }).toJSON();
  assert.deepEqual([budget, concurrency], [{ llmCalls: 4, ms: 900 }, 3]);
});

test("functions become names, by which they are found and called", async () => {
  const llm = () => "own";
  const pipeline = agent().pipeline("q")
    .search({ searcher: (...told) => [{ id: "a", text: JSON.stringify(told.slice(0, 2)) }], rewritePrompt: (question, chunks, { tried }) => `${question} ${chunks.length} ${tried}` })
    .rerank({ reranker: async (question, chunks) => Float32Array.of(chunks.length) })
    .answer({ prompt: ({ question }, { signal }) => `${question} ${signal.aborted}`, llm })
    .step("note", ({ question }) => ({ noted: question, left: undefined }));
  assert.deepEqual(plain(pipeline).steps, [
    { step: "search", searcher: "1.search.searcher", rewritePrompt: "1.search.rewritePrompt" },
    { step: "rerank", reranker: "2.rerank.reranker" },
    { step: "answer", prompt: "3.answer.prompt", llm: "3.answer.llm" },
    { step: "custom", name: "note", function: "4.custom.function" },
  ]);
  const { functions } = await pipeline.run().result;
  const call = (name, input) => functions.get(name)(input, { signal: never });
  assert.deepEqual(await call("1.search.searcher", { question: "q", collection: "c", limit: 5, hops: 1 }), [{ id: "a", text: '["q","c"]' }]);
  assert.equal(await call("1.search.rewritePrompt", { question: "q", chunks: [1, 2], tried: ["r"] }), "q 2 r");
  assert.deepEqual(await call("2.rerank.reranker", { question: "q", chunks: [1] }), [1]);
  assert.equal(await call("3.answer.prompt", { question: "q" }), "q false");
  assert.deepEqual(await call("4.custom.function", { question: "q" }), { noted: "q" });
  assert.equal(functions.get("3.answer.llm"), llm);
});

test("a searcher receives its limits and its signal in one object", async () => {
  let limits;
  const pipeline = agent().pipeline("q").search({ searcher: (question, collection, given) => ((limits = given), []) });
  const { functions } = await pipeline.run().result;
  await functions.get("1.search.searcher")({ question: "q", collection: "c", limit: 5, threshold: 0.5, hops: 1 }, { signal: never });
  assert.deepEqual(limits, { limit: 5, threshold: 0.5, hops: 1, signal: never });
});

test("an object with a method `search` is accepted wherever a searcher function is", async () => {
  class Wiki {
    prefix = "w";
    search(question, collection) {
      return [{ id: this.prefix + collection, text: question }];
    }
  }
  const wiki = new Wiki();
  const called = async (run, name) => {
    const { functions } = await run.result;
    return functions.get(name)({ question: "q", collection: "c", limit: 5, hops: 1 }, { signal: never });
  };
  const found = [{ id: "wc", text: "q" }];
  const pipeline = agent().pipeline("q").search({ searcher: wiki }).reason({ searcher: wiki });
  assert.deepEqual(plain(pipeline).steps.map(({ searcher }) => searcher), ["1.search.searcher", "2.reason.searcher"]);
  assert.deepEqual(await called(pipeline.run(), "2.reason.searcher"), found);
  assert.deepEqual(await called(agent().pipelineFrom(plain(pipeline), { "1.search.searcher": wiki, "2.reason.searcher": wiki }).run(), "1.search.searcher"), found);
  for (const style of ["react", "investigate", "graph"]) {
    const noted = [];
    const looping = new Agent({ async runPipeline(_, { functions }) { noted.push(functions); return { reasoningTrace: [], citations: [], contextUsed: [], stepsTaken: [], toolCalls: [] }; } });
    await looping[style]("q", { searcher: wiki }).result;
    await looping.resume({ version: 1, pipeline: { question: "q", style: { name: style, searcher: "style.searcher" } } }, undefined, { functions: { "style.searcher": wiki } }).result;
    for (const functions of noted) {
      assert.deepEqual(await functions.get("style.searcher")({ question: "q", collection: "c", limit: 5, hops: 1 }, { signal: never }), found, style);
    }
    assert.equal(noted.length, 2);
  }
  assert.throws(() => agent().pipeline("q").search({ searcher: { find() {} } }), { code: "invalid_argument", message: /search\.searcher.*method `search`/ });
});

test("a style's reranker is a function, or the run's LLM", async () => {
  const run = agent().graph("q", { reranker: "llm" });
  await run.result.catch(() => {}); // the stub returns no result for a graph
  assert.throws(() => agent().react("q", { reranker: "gpt" }), { code: "invalid_argument", message: /react\.reranker.*a function or "llm"/ });
  const saved = { version: 1, pipeline: { question: "q", style: { name: "react", reranker: "llm" } } };
  assert.doesNotThrow(() => agent().resume(saved).result.catch(() => {}));
  saved.pipeline.style.reranker = "style.reranker";
  assert.throws(() => agent().resume(saved), { code: "invalid_argument", message: /style\.reranker/ });
});

test("a result that is not plain data is refused with the path in it", async () => {
  const outcome = async (result) => {
    const { functions } = await agent().pipeline("q").step("s", () => result).run().result;
    return functions.get("1.custom.function")({}, { signal: never });
  };
  const circle = {};
  circle.inner = circle;
  const cases = [[{ a: [() => {}] }, /its result\.a\[0\] is a function/], [{ n: NaN }, /\.n is NaN/], [{ m: new Set() }, /an instance of Set/], [{ k: new Agent(kb([], {})) }, /an instance of Agent/], [circle, /circle/], [{ n: 1n }, /bigint/]];
  for (const [result, message] of cases) await assert.rejects(outcome(result), { code: "function_result", message });
  assert.deepEqual(await outcome({ at: new Date(0), none: null, list: [undefined] }), { at: "1970-01-01T00:00:00.000Z", none: null, list: [null] });
});

test("a function that never returns is abandoned with the run", async () => {
  const { functions } = await agent().pipeline("q").step("s", () => new Promise(() => {})).run().result;
  const abort = new AbortController();
  const call = functions.get("1.custom.function")({}, { signal: abort.signal });
  abort.abort();
  await assert.rejects(call, { code: "aborted" });
});

test("a saved pipeline is restored, with the functions that it refers to", async () => {
  const prompt = () => "p";
  const pipeline = agent().pipeline("q", { limit: 2 }).search({ hops: 2 }).step("mark", prompt).answer({ prompt });
  const data = plain(pipeline);
  assert.deepEqual(plain(agent().pipelineFrom(data, pipeline.functions)), data);
  assert.deepEqual(plain(agent().pipelineFrom(data, new Map(Object.entries(pipeline.functions)))), data);
  const { functions } = await agent().pipelineFrom(data, pipeline.functions).run().result;
  assert.deepEqual([...functions.keys()], ["2.custom.function", "3.answer.prompt"]);
});

test("saved data may use the alias of `select`", () => {
  const data = { question: "q", steps: [{ step: "route", collections: ["a"] }] };
  assert.deepEqual(plain(agent().pipelineFrom(data)).steps, [{ step: "select", collections: ["a"] }]);
});

test("saved data that is incomplete or invalid is refused", () => {
  const from = (data, functions) => () => agent().pipelineFrom(data, functions);
  const steps = [{ step: "answer", prompt: "1.answer.prompt" }];
  assert.throws(from({ question: "q", steps }), { code: "invalid_argument", message: /`1\.answer\.prompt`/ });
  assert.throws(from({ question: "q", steps }, { "1.answer.prompt": "no function" }), { code: "invalid_argument" });
  assert.throws(from({ question: "q", steps: [{ step: "anser" }] }), { code: "invalid_argument", message: /steps\[0\]\.step.*gate.*"anser"/ });
  assert.throws(from({ question: "q", steps: [{ step: "search", hops: 0 }] }), { code: "invalid_argument", message: /search\.hops/ });
  assert.throws(from({ question: "q", steps: [], limt: 3 }), { code: "invalid_argument", message: /limt/ });
  assert.throws(from({ question: "q" }), { code: "invalid_argument", message: /steps/ });
  assert.throws(from("{}"), { code: "invalid_argument" });
});

test("the JSON form of an LLM is remembered, unless it is set", async () => {
  const llm = () => "x";
  const asked = async (options, capability) => {
    const { pipeline } = await new Agent(kb([], { capability }), options).pipeline("q").answer().run().result;
    return pipeline.capability;
  };
  assert.equal(await asked({ llm }, "json"), undefined);
  assert.equal(await asked({ llm }, "json"), "json");
  assert.equal(await asked({ llm: () => "y" }), undefined);
  assert.equal(await asked({ llm, capability: "tools" }), "tools");
});

test("one function is one LLM to a run, whichever steps use it", async () => {
  const [own, other] = [() => "own", () => "other"];
  const pipeline = agent({ llm: own }).pipeline("q").gate({ llm: other }).rewrite({ llm: other }).expand({ llm: own }).answer();
  const { pipeline: ran } = await pipeline.run().result;
  assert.deepEqual(ran.steps.map(({ llm }) => llm), ["1.gate.llm", "1.gate.llm", undefined, undefined]);
  assert.deepEqual(plain(pipeline).steps.map(({ llm }) => llm), ["1.gate.llm", "2.rewrite.llm", "3.expand.llm", undefined]);
});

test("the JSON form of a step's LLM is remembered, too, and a set value applies to it", async () => {
  const [own, other] = [() => "own", () => "other"];
  const ran = async (outcome, options, begin) => {
    const { pipeline } = await begin(new Agent(kb([], outcome), options).pipeline("q")).run().result;
    return [pipeline.capability, pipeline.capabilities];
  };
  const found = { capability: "json", capabilities: { "2.expand.llm": "text" } };
  const begin = (start) => start.search().expand({ llm: other });
  assert.deepEqual(await ran(found, { llm: own }, begin), [undefined, {}]);
  assert.deepEqual(await ran({}, { llm: own }, begin), ["json", { "2.expand.llm": "text" }]);
  assert.deepEqual(await ran({}, { llm: other }, (start) => start.gate({ llm: own })), ["text", { "1.gate.llm": "json" }]);
  assert.deepEqual(await ran({}, { llm: own, capability: "tools" }, begin), ["tools", { "2.expand.llm": "tools" }]);
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

test("a misspelt option, or one of the wrong type, is an error that states what was expected", () => {
  const begin = () => agent().pipeline("q");
  const refused = [
    [() => agent({ lmm: () => {} }), /lmm/],
    [() => agent({ llm: "gpt" }), /`Agent\.llm` must be a function, but was the string "gpt"/],
    [() => agent({ budget: { llmCalls: -1 } }), /Agent\.budget\.llmCalls.*whole number from 0/],
    [() => agent({ budget: { ms: Infinity } }), /Agent\.budget\.ms/],
    [() => agent({ budget: 5 }), /Agent\.budget/],
    [() => agent({ capability: "xml" }), /"tools" or "schema"/],
    [() => new Agent({}), /KnowledgeBase/],
    [() => agent().pipeline(7), /`question` must be a string, but was 7/],
    [() => agent().pipeline("q", { limit: 0 }), /pipeline\.limit/],
    [() => agent().pipeline("q", { threshold: 2 }), /from 0 to 1/],
    [() => agent().pipeline("q", { history: [{ qestion: "a" }] }), /history\[0\].*qestion/],
    [() => agent().pipeline("q", { filters: { year: NaN } }), /filters/],
    [() => begin().search({ colection: "a" }), /colection/],
    [() => begin().search({ maxIterations: "3" }), /`search\.maxIterations` must be a whole number from 1, but was the string "3"/],
    [() => begin().search({ hops: 5 }), /`search\.hops` must be a whole number from 1 to 4 or "auto", but was 5/],
    [() => begin().search({ maxIterations: 0 }), /`search\.maxIterations` must be a whole number from 1, but was 0/],
    [() => begin().reason({ hops: 9 }), /`reason\.hops` must be a whole number from 1 to 4 or "auto"/],
    [() => begin().reason({ maxIterations: 0 }), /`reason\.maxIterations`/],
    [() => begin().search({ collections: "a" }), /`search\.collections` must be an array of strings, but was the string "a"/],
    [() => begin().select({ collections: [{ nam: "a" }] }), /select\.collections\[0\]/],
    [() => begin().select({ collections: [7] }), /select\.collections\[0\]/],
    [() => begin().decompose({ max: 1 }), /from 2/],
    [() => begin().search({ searcher: "mine" }), /search\.searcher.*a function/],
    [() => begin().answer({ prompt: "Answer!" }), /`answer\.prompt` must be a function/],
    [() => begin().answer({ citations: "roman" }), /"number" or "doc"/],
    [() => begin().gate(true), /gate.*an object of options/],
    [() => begin().step("x"), /function/],
    [() => begin().step(() => {}), /step's name/],
    [() => begin().run({ singal: 1 }), /singal/],
    [() => Embedder.onnx({ model: "m", tokeniser: "t" }), /tokeniser/],
  ];
  for (const [misuse, message] of /** @type {[() => unknown, RegExp][]} */ (refused)) assert.throws(misuse, { name: "VademecumError", code: "invalid_argument", message });
});

test("the vectors of a custom embedder must have the same length", () => {
  assert.deepEqual([...flatten([[1, 2], [3, 4]]).values], [1, 2, 3, 4]);
  assert.throws(() => flatten([[1, 2], [3]]), { code: "vector_shape" });
  assert.throws(() => flatten("no"), { code: "vector_shape" });
  assert.throws(() => flatten(["no"]), { code: "vector_shape", message: 'The embedder must return arrays of numbers, but returned the string "no".' });
  assert.throws(() => flatten([[1, "2"]]), { code: "vector_shape", message: /arrays of numbers, but returned an array/ });
});
