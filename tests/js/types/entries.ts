// Calls of the other entries, as users write them. The program is compiled, but not run.

import type { Agent, Hit, KnowledgeBase, Llm, RunEvent, RunResult } from "vademecum";
import "vademecum/elements";
import type { AskElement } from "vademecum/elements";
import { spans, trace } from "vademecum/otel";
import type { SpanData, SpanTracer } from "vademecum/otel";
import { useAsk, useKnowledgeBase, useSearch } from "vademecum/react";
import { adversarial, diff, heuristic, oracle, recorder, replay, scripted } from "vademecum/testing";
import type { AdversarialKind, Bundle } from "vademecum/testing";
import init, { initSync, KeywordIndex, VectorIndex } from "vademecum/wasm";
import { expectType } from "./assert.js";

declare const agent: Agent;
declare const kb: KnowledgeBase;
declare const tracer: SpanTracer;

// vademecum/testing -----------------------------------------------------------------------------------------------

const llms: Llm[] = [
  heuristic(),
  oracle([{ question: "q", answer: "a", subQuestions: [{ question: "r" }, { question: "#1?", answer: "b" }] }]),
  scripted(["text", { search: true }, new Error("away"), new Response("{}"), ({ messages }, { step }) => `${step} ${messages.length}`]),
  adversarial(7, { only: ["brackets", "empty"] }),
];
console.log(llms, scripted(["a"]).requests[0]?.request.messages, adversarial(1, { only: "prose" }).played);
expectType<AdversarialKind[]>()(adversarial().kinds);
const recording = recorder(heuristic());
const { answer } = await recording.watch(agent.pipeline("q").search().answer().run(), kb);
const bundle: Bundle = JSON.parse(JSON.stringify(recording.bundle()));
const again = replay(bundle);
await again.watch(agent.react("q"), kb);
for (const difference of [...again.differences(), ...diff(bundle, recording.bundle())]) {
  if (difference.what === "search") console.log(difference.step, difference.recorded, difference.now, answer);
}

// vademecum/otel --------------------------------------------------------------------------------------------------

const run = agent.pipeline("q").answer().run();
expectType<SpanData[]>()(await trace(run, tracer, { content: true, agent: "mine", provider: "openai", context: {} }));
const events = [];
for await (const event of run) events.push(event);
expectType<number | null | undefined>()(spans(events, { content: false })[0]?.parent);

// vademecum/elements ----------------------------------------------------------------------------------------------

const search = document.createElement("vademecum-search");
search.source = kb;
search.options = { filters: { year: 2023 }, typos: false };
search.labels = { found: (count) => `${count} hits` };
search.addEventListener("vademecum-select", ({ detail }) => expectType<Hit>()(detail.hit));
expectType<Hit[]>()(search.hits);
const asking: AskElement = document.createElement("vademecum-ask");
asking.llm = heuristic();
asking.options = { model: "m", limit: 3, budget: { ms: 1 }, run: (agent, question, { signal }) => agent.investigate(question, { signal }) };
asking.addEventListener("vademecum-open", async ({ detail }) => expectType<boolean>()(await document.createElement("vademecum-reader").open(detail)));
expectType<RunResult | null>()(await asking.ask("q"));
const shown = document.createElement("vademecum-answer");
shown.written = "Cats purr";
shown.result = await asking.ask("q");
const listed = document.createElement("vademecum-hits");
Object.assign(listed, { query: "q" }).describe = ({ docId }) => ({ notes: [docId] });
listed.hits = search.hits;
const reader = document.createElement("vademecum-reader");
reader.show(await kb.document("default", "a.md"), { span: { start: 0, end: 1 }, headings: ["Part"] });
expectType<boolean>()(reader.goTo("Part"));
// @ts-expect-error
search.options = { limt: 1 };

// vademecum/react -------------------------------------------------------------------------------------------------

const { kb: opened, status } = useKnowledgeBase("a", { open: async () => kb });
expectType<"opening" | "ready" | "failed">()(status);
expectType<Hit[]>()(useSearch(opened, "q", { limit: 3, debounceMs: 0 }).hits);
const { answer: written, events: soFar, ask } = useAsk(opened, { llm: heuristic(), collections: ["a"] });
expectType<RunEvent[]>()(soFar);
expectType<RunResult | null>()(await ask(written));

// vademecum/wasm --------------------------------------------------------------------------------------------------

await init();
await init({ module_or_path: fetch("/vademecum-index_bg.wasm") });
initSync({ module: new Uint8Array() });
using vectors = new VectorIndex(3);
vectors.add(new Float32Array(6));
vectors.build();
vectors.setGraph(vectors.graph() ?? new Uint8Array());
const { ids, scores, method } = vectors.search([1, 0, 0], 10);
vectors.search(new Float32Array(3), 1, { method: "exact", ef: 64, candidates: 100 });
console.log(ids, scores, method, VectorIndex.load(vectors.save()).memory().graph);
const words = new KeywordIndex("de");
words.add(["ein Text"]);
words.build();
console.log(words.search("Text", 1).ids, KeywordIndex.load(words.save()));
words.free();
