// Remote collections: the boundary between engine and page, the veto, the ledger, and the agent. The engine runs in Node.

import assert from "node:assert/strict";
import { after, test } from "node:test";

const SITE = new URL("../../../target/site/vademecum/", import.meta.url);
const { Agent, Embedder, KnowledgeBase } = await import(new URL("direct.js", SITE).href);
const lite = await import(new URL("lite/direct.js", SITE).href);

/** The words whose occurrence in a text is a dimension of its vector. */
const WORDS = ["tide", "moon", "bread", "yeast", "harbour"];
const embed = async (texts) => texts.map((text) => WORDS.map((word) => (text.toLowerCase().includes(word) ? 1 : 0.05)));
const unit = (text) => {
  const values = WORDS.map((word) => (text.toLowerCase().includes(word) ? 1 : 0.05));
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
};
const cosine = (one, other) => one.reduce((sum, value, at) => sum + value * other[at], 0);

const NOTES = [
  { id: "moon", text: "The moon pulls the sea, and makes the tide.", metadata: { year: 2020 } },
  { id: "bread", text: "Bread needs yeast and a warm kitchen.", metadata: { year: 2021 } },
];
const LETTERS = [
  { id: "7", docId: "letter-7", text: "The harbour is closed at low tide.", metadata: { year: 2020 } },
  { id: "8", docId: "letter-8", text: "Send more yeast for the bread.", metadata: { year: 2022 } },
];

/** A collection on a server, as a user writes one. */
function letters(own = {}) {
  const requests = [];
  return {
    requests,
    description: "Letters of the harbour master",
    leaves: { url: "https://letters.example/search" },
    search: async (request) => {
      requests.push(request);
      const rated = LETTERS.map((letter) => ({ ...letter, vector: cosine(unit(letter.text), request.vector ?? unit("")) }));
      return { hits: rated.sort((one, other) => other.vector - one.vector).slice(0, request.limit), total: LETTERS.length };
    },
    ...own,
  };
}

const opened = [];
after(() => Promise.all(opened.map((kb) => kb.close())));

async function library(collection = letters(), options = {}) {
  const kb = await KnowledgeBase.memory({ embedder: Embedder.custom(embed) });
  opened.push(kb);
  await kb.add(NOTES);
  await kb.attach("letters", collection, options);
  return kb;
}

test("local and remote passages are in one ranking, with what became of the question", async () => {
  const remote = letters();
  const kb = await library(remote);
  const { hits, sources } = await kb.search("yeast for bread", { limit: 4 });
  assert.deepEqual(new Set(hits.map(({ collection }) => collection)), new Set(["default", "letters"]));
  assert.deepEqual(new Set(hits.slice(0, 2).map(({ docId }) => docId)), new Set(["bread", "letter-8"]));
  assert.equal(hits.find(({ docId }) => docId === "letter-8").id, "letters/8#0");
  const [{ tookMs, ...source }] = sources;
  assert.deepEqual(source, { collection: "letters", hits: 2, total: 2, sent: true, url: "https://letters.example/search" });
  assert.ok(tookMs >= 0 && tookMs < 1000);
  const [{ vector, ...request }] = remote.requests;
  assert.deepEqual(request, { query: "yeast for bread", embedder: "custom", limit: 100, filters: null, mode: "hybrid", threshold: 0, documents: null });
  assert.ok(vector instanceof Float32Array && Math.abs(Math.hypot(...vector) - 1) < 1e-5);
});

test("conditions arrive in one form, and hits that do not fulfil them are left out", async () => {
  const remote = letters();
  const kb = await library(remote);
  const { hits } = await kb.search("tide of the harbour", { filters: { year: { ">=": 2021, "<": 2023 } }, documents: ["letter-7", "letter-8", "bread"], mode: "vector" });
  assert.deepEqual(hits.map(({ docId }) => docId).sort(), ["bread", "letter-8"]);
  const parts = remote.requests[0].filters.and.map(({ field, operator, value }) => `${field} ${operator} ${value}`);
  assert.deepEqual(parts.sort(), ["year < 2023", "year >= 2021"]);
  assert.deepEqual(remote.requests[0].documents, ["letter-7", "letter-8", "bread"]);
});

test("a slow collection is not waited for, and its signal is aborted", async () => {
  let aborted = false;
  const never = (_, { signal }) => new Promise(() => signal.addEventListener("abort", () => (aborted = true)));
  const kb = await library(letters({ search: never }), { deadlineMs: 60 });
  const began = performance.now();
  const { hits, sources } = await kb.search("bread");
  assert.ok(performance.now() - began < 1000);
  assert.equal(hits[0].docId, "bread");
  assert.deepEqual([sources[0].error.code, sources[0].error.retryable, sources[0].sent], ["remote_timeout", true, true]);
  assert.ok(aborted);
  await assert.rejects(kb.search("bread", { collections: ["letters"] }), { code: "remote_timeout" });
});

test("whatever a collection throws or returns, the library answers", async () => {
  const circle = {};
  circle.hits = [circle];
  for (const [search, code, said] of [
    [() => { throw new TypeError("no such host"); }, "remote_failed", /`letters` failed: no such host/],
    [async () => Promise.reject(null), "remote_failed", /null/],
    [async () => undefined, "remote_reply", /`reply`/],
    [async () => ({ hits: [{ id: "a", text: "b", vector: Number.NaN }] }), "remote_reply", /`hits\[0\].vector` must be plain data, but was NaN/],
    [async () => ({ hits: [{ id: "a", text: "b", vector: 2 }] }), "remote_reply", /`hits\[0\].vector`/],
    [async () => circle, "remote_reply", /nested/],
    [async () => ({ hits: [{ id: "a", text: () => "b" }] }), "remote_reply", /`hits\[0\].text`/],
  ]) {
    const kb = await library(letters({ search }));
    const { hits, sources } = await kb.search("bread");
    assert.equal(hits[0].docId, "bread");
    assert.equal(sources[0].error.code, code);
    assert.match(sources[0].error.message, /** @type {RegExp} */ (said));
  }
});

test("the veto of a collection decides over each search, and a forgotten return denies it", async () => {
  const payloads = [];
  const remote = letters();
  let answer = (payload) => payload;
  const kb = await library(remote, { onBeforeSend: (payload) => { payloads.push(payload); return answer(payload); } });
  await kb.search("bread", { limit: 3, mode: "vector" });
  assert.equal(remote.requests.length, 1);
  assert.deepEqual(payloads[0], { search: { collection: "letters", url: "https://letters.example/search", query: "bread", dimensions: 5, mode: "vector", limit: 3, threshold: 0, filters: null, documents: null } });
  for (const denies of [() => undefined, () => null, () => false, () => true, () => ({ messages: [] }), (payload) => ({ search: { ...payload.search, query: "x" } }), () => { throw new Error("not today"); }]) {
    answer = denies;
    const { hits, sources } = await kb.search("bread");
    assert.deepEqual([sources[0].error.code, sources[0].sent, hits[0].docId], ["send_denied", false, "bread"]);
  }
  assert.equal(remote.requests.length, 1);
});

test("a collection that stays on the device is neither recorded nor asked about", async () => {
  const kb = await library(letters({ leaves: null }), { onBeforeSend: () => null });
  const { sources } = await kb.search("bread");
  assert.deepEqual([sources[0].hits, sources[0].sent, sources[0].url], [2, false, undefined]);
});

test("a question with text that is marked never to be sent stays on the device", async () => {
  const remote = letters();
  const kb = await library(remote);
  await kb.add([{ id: "safe", text: "The safe opens with the birthday of the founder.", neverSend: true }]);
  const { hits, sources } = await kb.search("Is it true that the safe opens with the birthday of the founder?");
  assert.deepEqual([sources[0].error.code, sources[0].sent, remote.requests.length], ["never_sent", false, 0]);
  assert.equal(hits[0].docId, "safe");
});

test("a document of a remote collection is fetched whole, or the reason is told", async () => {
  const kb = await library(letters({ get: async ([id]) => (id === "letter-7" ? [{ id, title: "A letter", passages: [{ id: "7a", text: "Dear Sir," }, { id: "7b", text: "the harbour is closed." }] }] : []) }));
  const document = await kb.document("letters", "letter-7");
  assert.deepEqual([document.title, document.text], ["A letter", "Dear Sir,\n\nthe harbour is closed."]);
  for (const { span, text } of document.chunks) assert.equal(document.text.slice(span.start, span.end), text);
  await assert.rejects(kb.document("letters", "none"), { code: "unknown_document" });
  const blind = await library();
  await assert.rejects(blind.document("letters", "letter-7"), { code: "remote_unsupported" });
});

test("names are checked, and a detached collection is not searched", async () => {
  const kb = await library();
  for (const name of ["letters", "default", " "]) await assert.rejects(kb.attach(name, letters()), { code: "invalid_argument" });
  await assert.rejects(kb.attach("x", {}), /`collection` must be an object with a method `search`/);
  await assert.rejects(kb.attach("x", letters(), { deadline: 3 }), /deadlineMs/);
  await assert.rejects(kb.attach("x", letters({ leaves: { url: 3 } })), /`collection.leaves.url` must be a string/);
  await assert.rejects(kb.add("letters", NOTES), { code: "remote_unsupported" });
  assert.equal(await kb.detach("letters"), true);
  assert.equal(await kb.detach("letters"), false);
  assert.equal((await kb.search("bread")).sources, undefined);
  await kb.attach("letters", letters());
});

test("the lite build says that it has no remote collections", async () => {
  const kb = await lite.KnowledgeBase.memory();
  await assert.rejects(kb.attach("letters", letters()), { code: "unsupported" });
  await kb.close();
});

test("a run records each search in the ledger before it is sent, and its veto holds", async () => {
  const remote = letters();
  const kb = await library(remote);
  const agent = new Agent(kb);
  const events = [];
  const run = agent.pipeline("Who needs yeast for bread?").search({ collections: ["default", "letters"] }).answer().run();
  for await (const event of run) if (event.type === "send") events.push(event);
  const result = await run.result;
  const [{ at, ...entry }] = result.ledger;
  assert.equal(result.ledger.length, 1);
  assert.ok(at >= 0);
  assert.deepEqual([entry.step, entry.sent, entry.search.collection, entry.search.url, entry.search.dimensions], ["search", true, "letters", "https://letters.example/search", 5]);
  assert.deepEqual(events.map(({ entry }) => entry.search.collection), ["letters"]);
  assert.ok(result.results.flatMap(({ chunks }) => chunks).some(({ collection }) => collection === "letters"));
  const denied = await agent.pipeline("Who needs yeast for bread?").search({ collections: ["default", "letters"] }).answer().run({ onBeforeSend: (payload) => (payload.search ? null : payload) }).result;
  assert.equal(remote.requests.length, 1);
  assert.deepEqual(denied.ledger.map(({ sent, reason }) => [sent, reason]), [[false, "it returned null"]]);
  assert.deepEqual(denied.failures.map(({ code, step }) => [code, step]), [["send_denied", "search"]]);
  assert.notEqual(denied.answer, null);
  assert.equal(denied.error, null);
});

test("a run goes on without a collection that fails, and fails where there is no other", async () => {
  const kb = await library(letters({ search: async () => { throw new Error("gone"); } }));
  const agent = new Agent(kb);
  const result = await agent.pipeline("What does bread need?").search({ collections: ["letters", "default"] }).answer().run().result;
  assert.deepEqual([result.error, result.failures.map(({ code }) => code)], [null, ["remote_failed"]]);
  assert.match(result.answer, /yeast/);
  const alone = await agent.pipeline("What does bread need?").search({ collection: "letters" }).answer().run().result;
  assert.equal(alone.error.code, "remote_failed");
});

test("a model sees remote collections, searches them with the others and looks up their documents", async () => {
  const remote = letters({ get: async ([id]) => LETTERS.filter(({ docId }) => docId === id).map(({ docId, ...rest }) => ({ ...rest, id: docId })) });
  const kb = await library(remote);
  const calls = [["vector_search", { query: "closed harbour" }], ["document_lookup", { doc_id: "letter-7" }], ["document_lookup", { doc_id: "letter-9" }]].map(([tool, args]) => ({ tool, args }));
  const seen = [];
  const llm = async (request, { step }) => {
    seen.push(JSON.stringify(request));
    if (step === "analyze_query") return JSON.stringify({ intent: "lookup", concepts: ["harbour"], calls });
    return step === "grade_results" ? JSON.stringify({ status: "enough", reason: "it is there" }) : "The harbour is closed at low tide [1].";
  };
  const agent = new Agent(kb, { llm });
  const result = await agent.graph("When is the harbour closed?").result;
  assert.equal(result.error, null, JSON.stringify(result.error));
  const told = result.toolCalls.map(({ tool, error }) => [tool, error?.code ?? null]);
  assert.ok(told.some(([tool, code]) => tool === "document_lookup" && code === null), JSON.stringify(told));
  assert.ok(told.some(([tool, code]) => tool === "document_lookup" && code === "unknown_document"), JSON.stringify(told));
  assert.ok(seen.some((request) => request.includes("harbour is closed at low tide")));
  const searches = result.ledger.filter(({ search }) => search);
  // Calls of one turn are made side by side.
  assert.deepEqual(searches.map(({ search }) => search.document ?? search.query).sort(), ["closed harbour", "letter-7", "letter-9"]);
});

test("a model chooses among collections by their descriptions, remote ones included", async () => {
  const kb = await library();
  const seen = [];
  const llm = async (request, { step }) => {
    seen.push(JSON.stringify(request));
    return step === "select" ? "{\"collections\": [\"letters\"], \"reasoning\": \"it is about a letter\"}" : "Yeast is needed [1].";
  };
  const result = await new Agent(kb, { llm }).pipeline("What does the harbour master need?").select().search().answer().run().result;
  assert.ok(seen[0].includes("Letters of the harbour master"), seen[0]);
  assert.deepEqual(result.collections, ["letters"]);
  assert.deepEqual(result.results.map(({ collection }) => collection), ["letters"]);
});

test("a run's step may search a remote collection in the library's place", async () => {
  // As `Searcher.chroma` makes one, over a server that answers as Chroma does.
  const { Searcher } = await import(new URL("direct.js", SITE).href);
  const home = "http://chroma.example/api/v2/tenants/default_tenant/databases/default_database/collections";
  const asked = [];
  const server = async (url, { body }) => {
    if (url === `${home}/letters`) return Response.json({ id: "c", configuration_json: { hnsw: { space: "cosine" } }, metadata: {}, dimension: 5 });
    asked.push(JSON.parse(body));
    const of = (pick) => [LETTERS.map(pick)];
    return Response.json({ ids: of(({ id }) => id), distances: of(({ text }) => 1 - cosine(unit(text), JSON.parse(body).query_embeddings[0])), documents: of(({ text }) => text), metadatas: of(() => null) });
  };
  const searcher = Searcher.chroma({ url: "http://chroma.example/", collection: "letters", fetch: server });
  const kb = await library();
  const agent = new Agent(kb);
  const result = await agent.pipeline("Who needs yeast for bread?").search({ searcher, collection: "post" }).answer().run().result;
  assert.equal(result.error, null, JSON.stringify(result.error));
  assert.equal(asked[0].query_embeddings[0].length, 5);
  assert.equal(result.results[0].chunks[0].id, "post/8#0");
  assert.deepEqual(result.ledger.map(({ search, sent }) => [search.collection, search.dimensions, sent]), [["post", 5, true]]);
  const bad = Searcher.chroma({ url: "http://chroma.example/", collection: "letters", fetch: async () => new Response("<html>", { status: 200 }) });
  const failed = await agent.pipeline("Who needs yeast?").search({ searcher: bad }).answer().run().result;
  assert.equal(failed.error.code, "remote_reply");
});
