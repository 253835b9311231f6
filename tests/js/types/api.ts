// Every call of the public API, as users write it. The program is compiled, but not run.

import { Agent, Embedder, KnowledgeBase, Reader, Reranker, Searcher, VademecumError, parseChunkId } from "vademecum";
import type { ChatRequest, ChunkPlace, Filter, Hit, Llm, LlmReply, Metadata, PipelineData, RemoteCollection, RunResult, RunState, SearchResponse, ToolSchema } from "vademecum";
import { KnowledgeBase as Direct } from "vademecum/direct";
import { expectType } from "./assert.js";

declare const signal: AbortSignal;
declare const maybe: AbortSignal | undefined;
declare const bytes: Uint8Array;

// Opening ---------------------------------------------------------------------------------------------------------

const onnx = Embedder.onnx({
  model: "/models/model.onnx", tokenizer: "/models/tokenizer.json", runtime: "/ort/", workers: 2, threshold: 0.25, maxTokens: 256, queryPrefix: "query: ",
  documentPrefix: "passage: ", id: "small",
});
Embedder.onnx({ model: "/model.safetensors", tokenizer: "/tokenizer.json", dimensions: 128, weights: "int8" });
using reranker = Reranker.onnx({ model: "/r.onnx", tokenizer: "/t.json", workers: 2, maxTokens: 256, backend: "kernel", worker: "/v/embed-worker.js" });
using reader = Reader.onnx({ model: "/q.onnx", tokenizer: "/t.json", integrity: "sha256-a" });
await reranker.load({ signal, onProgress: ({ total }) => total });
expectType<(number | null)[]>()(await reranker.rate("q", ["a", { text: "b" }], { signal, deadlineMs: 300 }));
expectType<number[]>()(await reranker("q", [{ text: "b" }]));
for (const found of await reader.read("q", ["a"])) expectType<number | undefined>()(found?.probability);
expectType<"kernel" | "onnxruntime" | null>()(reader.stats().backend);
const custom = Embedder.custom(async (texts, { kind, signal }) => texts.map((text) => new Float32Array([text.length, kind === "query" ? 1 : 0, signal.aborted ? 1 : 0])));
Embedder.custom((texts) => texts.map(() => [1, 2, 3]), { threshold: 0.4, concurrency: 2, id: "mine" });

const kb = await KnowledgeBase.open("my-documents", {
  embedder: onnx, onProgress: ({ phase, loaded, total }) => console.log(phase, loaded / total), storage: "opfs", maxDocumentBytes: 1 << 20, chunkTokens: 128,
  chunkOverlap: 16, exactVectors: true, graphFrom: 1_000, reembed: true,
  wait: true, signal, workers: { engine: "/v/worker.js", embedder: new URL("https://a.test/v/embed-worker.js"), graph: () => new Worker("/v/graph-worker.js", { type: "module" }) },
});
const off = kb.on("restarted", ({ reason }) => expectType<string>()(reason));
kb.on("failed", ({ error }) => expectType<VademecumError>()(error));
kb.on("writable", () => off());
await using scratch = await KnowledgeBase.memory({ embedder: custom });
expectType<string[]>()(await KnowledgeBase.list());
expectType<boolean>()(await KnowledgeBase.persist());
await KnowledgeBase.delete("old");
using direct = await Direct.memory();
expectType<KnowledgeBase>()(direct);
await scratch.loadEmbedder({ signal, onProgress: ({ total }) => total });

// Filling ---------------------------------------------------------------------------------------------------------

await kb.collection("contracts", { description: "Signed contracts", language: "en", schema: { year: "number", party: "string", signed: "date", tags: "string[]" } });
const added = await kb.add(
  "contracts",
  [
    { id: "acme-2023", title: "ACME 2023", url: "/acme.md", text: "…", format: "markdown", metadata: { year: 2023, author: { name: "A" } }, neverSend: true },
    { id: "scan", bytes },
    { id: "book", pages: ["one", "two"] },
  ],
  { signal: maybe, onProgress: ({ phase }) => phase === "embed" },
);
expectType<string[]>()(added.truncated);
await kb.add([{ id: "note", text: "…" }]);
expectType<number>()(await kb.embedPending({ signal }));
expectType<number>()(await kb.remove("contracts", ["acme-2022"]));
expectType<number>()(await kb.remove(["note"]));
const document = await kb.document("contracts", "acme-2023");
expectType<string>()(document.text.slice(document.chunks[0]?.span.start));
await kb.document("note");

// Searching -------------------------------------------------------------------------------------------------------

const filters: Filter = { year: { ">=": 2023 }, party: ["ACME", "Globex"], or: [{ signed: "2023" }, { not: { tags: { contains: "draft" } } }] };
const conditions: Filter = [{ field: "year", operator: "between", value: [2020, 2023] }, { field: "party", operator: "exists", value: true }];
const reranked = await kb.search("notice", { rerank: { top: 10, deadlineMs: 100, onHits: ({ hits }) => hits.length, reranker } });
expectType<(number | null)[] | undefined>()(reranked.reranked?.ratings);
const found = await kb.search("termination notice period", {
  collections: ["contracts"], documents: ["acme-2023"], mode: "hybrid", limit: 5, threshold: 0.5, filters, prefix: true, typos: true, strictPhrases: true, fusion: "rrf",
  weights: { keyword: 1, vector: 2 }, method: "hnsw", ef: 64, hops: 2, explain: true, signal,
});
expectType<SearchResponse>()(found);
const hit: Hit | undefined = found.hits[0];
expectType<string[] | undefined>()(hit?.explain?.via);
expectType<Metadata | undefined>()(hit?.metadata);
const listed = await kb.documents({ collections: ["contracts"], filters: conditions, offset: 10, limit: 20 });
expectType<string | undefined>()(listed.documents[0]?.id);
for (const { value, count } of await kb.facets("party", { collections: ["contracts"], filters, limit: 3 })) console.log(value, count);
const { total, dimensions, chunks, values } = await kb.vectors({ collections: ["contracts"], limit: 100 });
expectType<Float32Array>()(values);
console.log(total + dimensions, chunks.map(({ chunkId, docId, collection }) => `${chunkId} ${docId} ${collection}`));
const stats = await kb.stats();
console.log(stats.library?.kind, stats.index.graphsPending, stats.collections[0]?.schema["year"]);
expectType<string>()(await kb.fingerprint());
expectType<number[]>()(await kb.tokenIds("text"));
const file = await kb.export();
const imported = await kb.import(file, { signal, salvage: true });
expectType<number>()(imported.documents);
for (const { file: name, reason } of [...(imported.lost?.files ?? []), ...(stats.lost?.files ?? [])]) console.log(name, reason);
await KnowledgeBase.open("damaged", { salvage: true });
expectType<ChunkPlace | null>()(parseChunkId("default/a.md#0"));
await kb.import(new Blob([new Uint8Array(file)]));

// Collections elsewhere -------------------------------------------------------------------------------------------

const letters: RemoteCollection = {
  description: "Letters", schema: { year: "number" }, embedder: null, leaves: { url: "https://letters.example", query: true, vector: false },
  search: async ({ query, vector, embedder, limit, filters, mode, threshold, documents }, { signal }) => {
    console.log(query, vector?.length, embedder, limit, filters?.field ?? filters?.and?.length, mode, threshold, documents?.length, signal.aborted);
    return { hits: [{ id: "a", docId: "b", ordinal: 0, text: "c", title: null, url: null, headings: [], page: 1, metadata: {}, keyword: 1, vector: 0.5 }], total: 1, unfiltered: false };
  },
  get: (ids) => ids.map((id) => ({ id, passages: [{ id: `${id}1`, text: "c" }] })),
};
await kb.attach("letters", letters, { description: "Letters", deadlineMs: 500, candidates: 50, onBeforeSend: (payload) => (payload.search.url ? payload : null) });
await kb.attach("papers", Searcher.chroma({
  url: "https://vectors.example", collection: "papers", tenant: "t", database: "d", headers: { authorization: "Bearer key" }, timeoutMs: 1000, retries: 1, fetch, phrases: true, description: "Papers", schema: { year: "number" },
}));
for (const { collection, hits, total, tookMs, sent, url, error } of found.sources ?? []) console.log(collection, hits, total, tookMs, sent, url, error?.code, error?.retryable);
expectType<boolean>()(await kb.detach("letters"));

// Asking ----------------------------------------------------------------------------------------------------------

const llm: Llm = (request, { signal, step }) => fetch(`/v1/chat/completions?${step}`, { method: "POST", body: JSON.stringify(request), signal });
const replies: LlmReply[] = [
  new Response("{}"), { choices: [{ message: { content: "text" } }] }, "text", ["a", "b"], (async function* () { yield "a"; yield { choices: [{ delta: { content: "b" } }] }; })(), new Blob(["a"]).stream(),
];
console.log(replies);
const agent = new Agent(kb, {
  llm, model: "small", capability: "schema", concurrency: 2, maxReplyBytes: 100_000, budget: { llmCalls: 12, tokens: 40_000, ms: 60_000, toolCalls: 20 },
  onBeforeSend: (payload, { step, sources }) => {
    if (payload.search) return payload.search.url.startsWith("https:") ? payload : null;
    return step === "answer" && sources.every(({ collection }) => collection !== "private") ? { ...payload, messages: payload.messages.slice(-1) } : null;
  },
});
new Agent(scratch);

const pipeline = agent
  .pipeline("Compare support response times across plans", {
    limit: 5, threshold: 0.4, collections: ["pricing"], filters, history: [{ question: "a", answer: "b", withheld: true }, { question: "", answer: "c", summary: true }], historyTokens: 500,
    model: "large", capability: "json", concurrency: 4, budget: { ms: 1_000 }, strict: true,
  })
  .gate({ llm, prompt: ({ question }) => `Is “${question}” about documents?` })
  .rewrite()
  .select({ collections: ["pricing", { name: "support", description: "Tickets" }] })
  .route()
  .expand()
  .decompose({ max: 3, phases: 2 })
  .search({
    collection: "pricing", collections: ["pricing"], hops: 2, selfCorrect: true, maxIterations: 2, llm,
    sufficientPrompt: (question, chunks) => `${question} ${chunks.length}`,
    rewritePrompt: async (question, chunks, { tried = [] }) => `${question} ${chunks[0]?.text} ${tried.join()}`,
    searcher: async (question, collection, { limit, threshold, filters, hops, mode, signal }) => {
      console.log(collection, limit, threshold, filters, hops, mode, signal.aborted);
      return [{ id: "1", text: question, score: 0.5, title: "A" }];
    },
  })
  .rerank({ keep: 8, fetch: 50, batch: 10, reranker: (question, chunks) => chunks.map(({ text }) => text.length - question.length) })
  .reason({ maxIterations: 2, hops: "auto" })
  .answer({ citations: "number", sources: true, maxTokens: 2_000, reader })
  .ground({ correct: true, drop: false })
  .step("shout", async ({ answer, custom }, { signal }) => ({ answer: answer?.toUpperCase() ?? null, loud: !signal.aborted, custom }));
const data: PipelineData = JSON.parse(JSON.stringify(pipeline));
agent.pipelineFrom(data, pipeline.functions).run();

const run = pipeline.run({ signal: maybe, onCheckpoint: (state) => localStorage.setItem("state", JSON.stringify(state)), onBeforeSend: (payload) => payload, onBeforeTool: ({ name, args }, { tainted, sources, signal }) => name === "now" && !tainted && sources.length + args.n === 0 && !signal.aborted });
for await (const event of run) console.log(event.type, event.step, event.at);
const result = await run.result;
expectType<RunResult>()(result);
console.log(result.answer, result.citations, result.reasoningTrace, result.toolCalls, result.coverage, result.usage.llmCalls, result.terminatedBy, result.error?.code);
console.log(result.ledger[0]?.sources, result.suspicions?.[0]?.kind, result.removed, result.failures, result.budgetExhausted, result.indexChanged, result.capabilities);
console.log(result.grounding?.[0]?.missing, result.plan, result.results?.[0]?.chunks[0]?.docId, result.relaxations?.[0]?.found, result.output?.csv, result.custom);

const react = await agent.react("What changed between the two books?", {
  maxIterations: 3, citations: true, topK: 4, hops: 1, llm, prompt: ({ question, tools }) => `${question} ${tools}`, collections: ["books"], signal: maybe,
}).result;
console.log(react.sources?.[0]?.path, react.reasoningSteps, react.searchCount, react.iterations, react.answer);
const investigated = await agent.investigate("Invoices over $1k from Acme", {
  maxToolCalls: 4, maxQueries: 3, maxTokens: 2_000, prune: "llm", clarify: true, citations: "doc", topK: 5, hops: 2,
  steps: { review: { llm, prompt: ({ left }) => `Calls left: ${left}` }, compose: { prompt: ({ rows }) => String(rows) } },
}).result;
console.log(investigated.budgetPlan?.[0]?.planned, investigated.output?.numbers?.[0]?.sum);
if (investigated.terminatedBy === "clarify") {
  expectType<string>()(investigated.clarification.question);
  expectType<RunState>()(investigated.state);
}
const saved = investigated.state;
if (saved) await agent.resume(saved, "Yes, search all years", { budget: { ms: 1_000 }, functions: { "style.llm": llm }, signal }).result;
const wiki = { search: async (question: string, collection: string) => [{ id: collection, text: question }] };
const graph = await agent.graph("How does autoscaling work?", { maxIterations: 3, maxCalls: 4, maxTokens: 1_000, steps: { grade_results: { llm }, synthesize: { llm } }, citations: "doc", sources: true, searcher: wiki, reranker: "llm" })
  .addNode("translate", async ({ answer }, { signal }) => ({ answer: `${answer} ${signal.aborted}` }))
  .addEdge("ground", "translate")
  .addEdge("grade_results", ({ results = [] }) => (results.length > 0 ? "synthesize" : null))
  .result;
const graded = await agent.graph("How does autoscaling work?").step("grade_results", { evidence: [{ id: "a", text: "b" }], calls: [{ tool: "keyword_search", args: { query: "c" } }] }).result;
if (graded.state) agent.graph("How does autoscaling work?").step("synthesize", graded.state);
expectType<ToolSchema[]>()(await agent.toolSchema("react"));
console.log(graph.messages, graph.queryAnalysis.intent, graph.retrievalPlan, graph.documents, graph.toolCallsMade, graph.needsMoreInfo, graph.iteration, graph.maxIterations, graph.query);
agent
  .tool({ name: "web_search", description: "Searches the web.", parameters: { type: "object" }, execute: async ({ query }, { signal, state }) => fetch(query + state.evidence.map(({ id }) => id), { signal }).then((found) => found.text()) })
  .tool({ name: "now", safe: true, execute: () => new Date().toISOString() });

// Conversations ---------------------------------------------------------------------------------------------------

const chat = agent.conversation({ style: "investigate", options: { collections: ["plans"] }, tokens: 1_000, keep: "chat", turns: [{ question: "a" }] });
await chat.ready;
const asked = chat.ask("And for the enterprise plan?", { signal: maybe, maxToolCalls: 2 });
console.log(asked.id, (await asked.result).answer, chat.turns[0]?.runId, chat.history, chat.pending?.options);
await chat.dismiss();
await chat.clear();
agent.conversationFrom(JSON.parse(JSON.stringify(chat.fork())), chat.functions);
agent.conversation({ style: (agent, question, options, { signal }) => agent.pipeline(question, options).search().answer().run({ signal }) });
expectType<string[]>()(await kb.conversations());
await kb.deleteConversation("chat");

// Measuring -------------------------------------------------------------------------------------------------------

const report = await kb.evaluate(
  [{ question: "q", relevant: ["a"], collection: "contracts", answer: "x" }, { question: "r", relevant: { a: 2, b: 1 }, answers: ["x", "y"], filters }],
  { strategies: ["keyword", "hops", "react", { name: "own", run: (question, { signal }) => kb.search(question, { signal }) }], agent, k: 5, signal, onProgress: ({ done, total }) => done / total },
);
expectType<number | null | undefined>()(report.strategies[0]?.metrics["recall@5"]);
console.log(report.plots[0]?.bars, report.strategies[0]?.perCase[0]?.ranking, report.strategies[0]?.metrics.ms.p95);
const cases = await kb.makeCases({ count: 10, seed: 2, collections: ["contracts"], llm, onBeforeSend: (payload: ChatRequest) => payload, onSend: ({ bytes }) => bytes, signal });
await kb.evaluate(cases);

// Errors, and the end ---------------------------------------------------------------------------------------------

try {
  await kb.close();
} catch (thrown) {
  if (thrown instanceof VademecumError && thrown.code === "storage_full") console.log(thrown.message, thrown.retryable, thrown.cause);
}
throw new VademecumError("No such thing.", { code: "invalid_argument", retryable: false });
