// Uses that the compiler must reject. A line without the expected error is an error itself.

import { Agent, Embedder, KnowledgeBase, Reranker, VademecumError } from "vademecum";
import type { Code, ErrorCode, Filter, Pipeline, ReactResult, Run, RunEvent, RunResult, RunState } from "vademecum";
import { Embedder as LiteEmbedder } from "vademecum/lite";
import { adversarial, scripted } from "vademecum/testing";
import { expectType, nothingLeft } from "./assert.js";
import type { Equal, Holds } from "./assert.js";

declare const kb: KnowledgeBase;
declare const agent: Agent;
declare const pipeline: Pipeline;
declare const result: RunResult;
declare const state: RunState;

// Misspelt options ------------------------------------------------------------------------------------------------

// @ts-expect-error
kb.search("q", { limt: 5 });
// @ts-expect-error
kb.search("q", { weights: { words: 1 } });
// @ts-expect-error
kb.add([{ id: "a", text: "b" }], { onprogress: () => {} });
// @ts-expect-error
kb.add([{ id: "a", text: "b", titel: "c" }]);
// @ts-expect-error
KnowledgeBase.open("a", { embeder: Embedder.custom(() => []) });
// @ts-expect-error: libraries in memory have no storage
KnowledgeBase.memory({ storage: "opfs" });
// @ts-expect-error: libraries in memory have no other writer
KnowledgeBase.memory({ wait: true });
// @ts-expect-error
KnowledgeBase.memory({ workers: { encoder: "a.js" } });
// @ts-expect-error
kb.on("restart", () => {});
// @ts-expect-error
Embedder.onnx({ model: "a", tokeniser: "b" });
// @ts-expect-error
Reranker.onnx({ model: "a" });
// @ts-expect-error
kb.search("q", { rerank: { reranker: (question: string) => [question.length] } });
// @ts-expect-error
Embedder.custom(() => [], { workers: 2 });
// @ts-expect-error
new Agent(kb, { lllm: () => "" });
// @ts-expect-error
agent.pipeline("q", { filter: {} });
// @ts-expect-error
agent.pipeline("q", { budget: { calls: 3 } });
// @ts-expect-error
pipeline.search({ maxiterations: 2 });
// @ts-expect-error: `search` sends several kinds of requests, each with its own prompt
pipeline.search({ prompt: () => "" });
// @ts-expect-error
pipeline.gate({ max: 2 });
// @ts-expect-error
agent.react("q", { maxToolCalls: 4 });
// @ts-expect-error
agent.conversation({ stlye: "react" });
// @ts-expect-error
kb.evaluate([], { strategy: ["keyword"] });
// @ts-expect-error
kb.facets("year", { offset: 1 });

// Wrong order, wrong kinds ----------------------------------------------------------------------------------------

// @ts-expect-error: the collection is the first argument
kb.add([{ id: "a", text: "b" }], "contracts");
// @ts-expect-error
kb.remove(["a"], "contracts");
// @ts-expect-error
kb.remove("contracts", "a");
// @ts-expect-error: one of text, bytes and pages is required
kb.add([{ id: "a" }]);
// @ts-expect-error: only one of them is allowed
kb.add([{ id: "a", text: "b", pages: ["c"] }]);
// @ts-expect-error
kb.add([{ text: "without an id" }]);
// @ts-expect-error
kb.collection("a", { schema: { year: "int" } });
// @ts-expect-error
kb.search("q", { collections: "contracts" });
// @ts-expect-error
kb.search("q", { mode: "semantic" });
// @ts-expect-error
kb.search("q", { fusion: "sum" });
// @ts-expect-error: only functions of Embedder create embedders
KnowledgeBase.memory({ embedder: { type: "onnx" } });
LiteEmbedder.custom((texts) => texts.map(() => [1]));
// @ts-expect-error: the lite build has no ONNX
LiteEmbedder.onnx({ model: "a", tokenizer: "b" });
// @ts-expect-error: created by `open` or `memory`
new KnowledgeBase();
// @ts-expect-error: returns a string per document instead of a vector
Embedder.custom((texts) => texts);
// @ts-expect-error
pipeline.answer({ citations: "yes" });
// @ts-expect-error: the option is a boolean here
agent.react("q", { citations: "number" });
// @ts-expect-error
agent.investigate("q", { citations: true });
// @ts-expect-error
pipeline.decompose({ phases: 3 });
// @ts-expect-error: a score or an id per chunk
pipeline.rerank({ reranker: () => [true] });
// @ts-expect-error: id and text are required
pipeline.search({ searcher: () => [{ id: "a" }] });
// @ts-expect-error
pipeline.step("mine", () => ({ subQuestions: "one" }));
// @ts-expect-error
agent.tool({ name: "a" });
// @ts-expect-error
agent.resume("saved", "yes");
// @ts-expect-error: null denies a request
new Agent(kb, { onBeforeSend: () => true });
// @ts-expect-error
new Agent(kb, { llm: () => 7 });
// @ts-expect-error
const filter: Filter = [{ field: "year", operator: "=>", value: 1 }];
// @ts-expect-error
adversarial(1, { only: "angry" });
// @ts-expect-error
scripted("text");

// Reading what is not there ---------------------------------------------------------------------------------------

// @ts-expect-error
(await kb.search("q")).results;
// @ts-expect-error
(await kb.search("q")).hits[0]?.documentId;
// @ts-expect-error: possibly undefined
result.suspicions.length;
// @ts-expect-error: possibly null
result.answer.length;
// @ts-expect-error: only `react` has it
result.sources;
// @ts-expect-error: only with a clarification
result.clarification.question;
// @ts-expect-error: unavailable until the run ends
agent.react("q").answer;
// @ts-expect-error: results are read-only
agent.react("q").result = Promise.reject();
// @ts-expect-error
(await kb.stats()).library.kind;

// Narrowing -------------------------------------------------------------------------------------------------------

/** Handles every type of event, each with its own fields. */
export function told(event: RunEvent): string {
  switch (event.type) {
    case "start": return `${event.step} ${event.metadata["by"]}`;
    case "stop": return `${event.step} ${event.durationMs}`;
    case "failed": return `${event.error.code} ${event.fallback ?? ""}`;
    case "draft": return event.text;
    case "token": return event.text;
    case "tool": return event.call.tool;
    case "send": return `${event.entry.bytes}`;
    case "citation": return event.citation.chunkId;
    case "clarify": return event.clarification.question;
    case "suspicion": return event.suspicion.kind;
    case "done": return `${event.terminatedBy} ${event.usage.llmCalls}`;
    default: nothingLeft(event);
  }
  // @ts-expect-error: not narrowed to a token
  return event.text;
}

/** Handles every `terminatedBy`, each with its own fields. */
export function ended(result: RunResult) {
  switch (result.terminatedBy) {
    case "completed": return expectType<null>()(result.error);
    case "budget": return expectType<RunState | undefined>()(result.state);
    case "clarify": return expectType<string>()(result.clarification.question);
    case "error": return expectType<Code>()(result.error.code);
    case "aborted": return result.error?.message;
    default: nothingLeft(result);
  }
}

/** Compares an error code with the known ones; future versions may add others. */
export function coded(error: VademecumError) {
  const known: ErrorCode = "storage_full";
  // @ts-expect-error
  const misspelt: ErrorCode = "storage_ful";
  return error.code === known || error.code === misspelt || error.code === "of a function of mine";
}

type _Results = [
  Holds<Equal<ReturnType<Agent["react"]>, Run<ReactResult>>>,
  Holds<Equal<Awaited<Run["result"]>, RunResult>>,
  Holds<Equal<ReturnType<Pipeline["search"]>, Pipeline>>,
  // @ts-expect-error: proves that `Equal` distinguishes types
  Holds<Equal<RunResult, ReactResult>>,
];
console.log(filter, state);
