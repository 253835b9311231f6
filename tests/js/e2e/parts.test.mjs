// Libraries in parts, attached in Node: searching, hosts that behave badly, updates. Each host is a real server.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startHost } from "../support/part-host.mjs";
import { documents, filled, published, wordVectors } from "../support/parts-library.mjs";

const SITE = new URL("../../../target/site/vademecum/", import.meta.url);
const { attach } = await import(new URL("parts.js", SITE).href);
const { Embedder } = await import(new URL("embedder.js", SITE).href);

const DOCUMENTS = documents(400);
const embedder = Embedder.custom(wordVectors, { id: "words" });
let kb;
let made;
let host;
const open = [];

before(async () => {
  kb = await filled(DOCUMENTS);
  made = await published(kb);
  host = await startHost(made.files);
});
after(async () => {
  for (const library of open) await library.close();
  host?.close();
  await kb?.close();
  await made?.remove();
});
beforeEach(() => {
  host.reset();
  host.files = new Map(Object.entries(made.files));
});

async function attached(options = {}, where = host) {
  const library = await attach(`${where.address}/manifest.json`, options);
  open.push(library);
  return library;
}
const codeOf = (promise) => promise.then((value) => value, (error) => error.code);
const ids = ({ hits }) => hits.map(({ id }) => id);
const QUERIES = ["harbour flood", "lighthouse winter", "ledgers in the cellar", "museum of town 44", "worker paid on Friday"];

test("words find what a library in memory finds, in its order and with its scores", async () => {
  const library = await attached();
  assert.deepEqual(host.since().map(({ path }) => path), ["/manifest.json"], "nothing else is fetched before the first question");
  for (const query of QUERIES) {
    const [found, expected] = [await library.search(query, { limit: 5 }), await kb.search(query, { limit: 5, mode: "keyword" })];
    assert.deepEqual(found.hits.map(({ score }) => score.toFixed(3)), expected.hits.map(({ score }) => score.toFixed(3)), query);
    assert.deepEqual(ids(found), ids(expected), query);
    assert.equal(found.mode, "keyword");
    const { explain, ...hit } = found.hits[0];
    assert.deepEqual(Object.keys(hit).sort(), Object.keys(expected.hits[0]).sort());
    assert.equal(explain.keyword.rank, 1);
    assert.equal(explain.vector, null);
  }
});

test("filters, collections, prefixes and limits are those of a knowledge base", async () => {
  const library = await attached();
  for (const options of [{ filters: { year: 2003 } }, { filters: { year: { ">": 2010 }, subject: "museum" } }, { prefix: true, limit: 3 }, { documents: ["doc-7.md"] }]) {
    const query = options.prefix ? "lighth" : "town";
    assert.deepEqual(ids(await library.search(query, { mode: "keyword", ...options })), ids(await kb.search(query, { mode: "keyword", ...options })), JSON.stringify(options));
  }
  assert.deepEqual([(await library.search("town")).threshold, (await library.search("town", { threshold: 0.3 })).threshold], [0, 0.3]);
  assert.equal(await codeOf(library.search("town", { filters: { colour: "red" } })), "unknown_field");
  assert.equal(await codeOf(library.search("town", { collections: ["nowhere"] })), "unknown_collection");
  assert.equal(await codeOf(library.search("?!")), "empty_question");
  assert.equal(await codeOf(library.search("a", { limt: 3 })), "invalid_argument");
});

test("a library in another language is searched by its stems", async () => {
  const german = await filled([{ id: "a", text: "# Häfen\n\nDie Häfen der Stadt öffnen bei Sonnenaufgang, und die Schiffe kehren am Abend zurück." }, { id: "b", text: "# Bücher\n\nDie Bibliothek verleiht ihre Bücher an alle, die in der Stadt wohnen." }]);
  const { files, remove } = await published(german);
  host.files = new Map(Object.entries(files));
  const library = await attached();
  assert.deepEqual((await library.stats()).collections.map(({ language }) => language), ["german"]);
  for (const query of ["Hafen", "Buch Bibliotheken"]) {
    const expected = await german.search(query, { mode: "keyword" });
    assert.ok(expected.hits.length > 0, query);
    assert.deepEqual(ids(await library.search(query)), ids(expected), query);
  }
  await german.close();
  await remove();
});

test("a document is read with its chunks, and statistics tell what is there", async () => {
  const library = await attached();
  const { text, chunks, metadata } = await library.document("doc-3.md");
  const expected = await kb.document("doc-3.md");
  assert.deepEqual([text, chunks.map(({ text }) => text), metadata], [expected.text, expected.chunks.map(({ text }) => text), expected.metadata]);
  assert.equal(await codeOf(library.document("nowhere.md")), "unknown_document");
  const stats = await library.stats();
  assert.deepEqual([stats.documents, stats.embedder.id, stats.stale, stats.cache, stats.kept], [400, "words", false, null, null]);
  assert.ok(stats.fetched.requests > 0 && stats.memory > 0);
});

test("with an embedder both arms search, and a vector of the caller's does the same", async () => {
  const library = await attached({ embedder });
  const found = await library.search(QUERIES[0], { limit: 8 });
  const expected = await kb.search(QUERIES[0], { limit: 8 });
  assert.equal(found.mode, "hybrid");
  const shared = ids(found).filter((id) => ids(expected).includes(id));
  assert.ok(shared.length >= 6, `${shared.length} of 8 hits`);
  const words = await attached();
  const [vector] = await wordVectors([QUERIES[0]]);
  assert.deepEqual(ids(await words.search(QUERIES[0], { limit: 8, vector })), ids(found));
  assert.equal(await codeOf(words.search("a b", { mode: "vector" })), "no_embedder");
  assert.equal(await codeOf(words.search("a b", { vector: [1, 2, 3] })), "vector_shape");
  assert.equal(await codeOf(words.search("a b", { vector: "no" })), "invalid_argument");
});

test("another embedder than the library's is refused", async () => {
  assert.equal(await codeOf(attached({ embedder: Embedder.custom(wordVectors, { id: "another" }) })), "embedder_mismatch");
});

test("an embedder that fails leaves the search by words, and says so", async () => {
  const failing = Embedder.custom(() => Promise.reject(new Error("no")), { id: "words" });
  const library = await attached({ embedder: failing });
  const { mode, degraded, hits } = await library.search(QUERIES[1]);
  assert.deepEqual([mode, degraded], ["keyword", { code: "embedder_failed", message: "The embedder failed: no" }]);
  assert.ok(hits.length > 0);
  assert.equal(await codeOf(library.search(QUERIES[1], { mode: "vector" })), "embedder_failed");
});

test("a host that ignores ranges, one that compresses twice, and one that serves stale parts are searched all the same", async () => {
  const expected = ids(await kb.search(QUERIES[0], { mode: "keyword" }));
  for (const how of ["noRange", "gzipTwice", "stale", "cut"]) {
    host.reset();
    if (how === "cut") host.rule("*", "ok", "cut", "ok");
    else host.rule("*", how);
    if (how === "stale") host.rule("/manifest.json", "ok");
    const library = await attached();
    const found = await library.search(QUERIES[0]);
    assert.deepEqual([ids(found), found.missing], [expected, undefined], how);
    const asked = host.since().filter(({ path, fresh }) => path !== "/manifest.json" && !fresh).map(({ path }) => path);
    if (how === "noRange") assert.equal(new Set(asked).size, asked.length, "no part is asked for twice");
  }
});

test("parts that stay damaged, are missing, or are a page never look like nothing found", async () => {
  for (const [how, code] of [["alwaysStale", "part_damaged"], [404, "part_missing"], ["page", "part_missing"], [{ status: 503, headers: { "retry-after": "999" } }, "host_failed"], ["redirect:http://127.0.0.1:9/x", "redirected"]]) {
    host.reset();
    const library = await attached({ embedder });
    host.rule("*", how);
    host.rule("/manifest.json", "ok");
    const outcome = await library.search(QUERIES[0]).then(({ missing, hits }) => ({ missing, hits }), (error) => error.code);
    assert.equal(outcome.missing?.[0].code ?? outcome, code);
  }
});

test("what is not a manifest is refused, and so is one of a later format", async () => {
  host.rule("/manifest.json", "page");
  assert.equal(await codeOf(attached()), "manifest_missing");
  host.rule("/manifest.json", 404);
  assert.equal(await codeOf(attached()), "manifest_missing");
  host.rule("/manifest.json");
  for (const [text, code] of [["[]", "manifest_invalid"], ["{}", "manifest_invalid"], ['{"format": 99}', "library_newer"]]) {
    host.files.set("/manifest.json", Buffer.from(text));
    assert.equal(await codeOf(attached()), code, text);
  }
  assert.equal(await codeOf(attach("http://127.0.0.1:9/manifest.json")), "offline");
  assert.equal(await codeOf(attach(5)), "invalid_argument");
});

test("an update is seen, fetches only what changed, and a page whose parts are gone asks anew", { timeout: 120_000 }, async () => {
  const before = await attached();
  const still = await attached();
  for (const query of QUERIES) await before.search(query);
  await still.search(QUERIES[0]);
  const unchanged = await before.refresh();
  assert.equal(unchanged, false);
  const next = await filled(documents(400, 2));
  try {
    const { files } = await published(next, made.folder);
    const fresh = Object.keys(files).filter((name) => !(name in made.files));
    assert.ok(fresh.length > 0);
    host.files = new Map(Object.entries(files));
    host.since();
    assert.equal(await before.refresh(), true);
    assert.deepEqual(ids(await before.search("edition 2")), ids(await next.search("edition 2", { mode: "keyword" })));
    for (const query of QUERIES) assert.deepEqual(ids(await before.search(query)), ids(await next.search(query, { mode: "keyword" })), query);
    const asked = host.since().filter(({ path }) => path.startsWith("/parts/"));
    const again = asked.filter(({ path }) => path in made.files);
    assert.ok(again.length <= asked.length / 2, `${again.length} of ${asked.length} requests are for parts that are the same`);
    // Written anew, the folder has no former parts: a library that was not told finds out by itself.
    const anew = await published(next);
    host.files = new Map(Object.entries(anew.files));
    assert.deepEqual(ids(await still.search("edition 2")), ids(await next.search("edition 2", { mode: "keyword" })));
    await anew.remove();
  } finally {
    await next.close();
  }
});

test("a signal ends a search and its requests, and a closed library says so", async () => {
  const library = await attached();
  host.rule("*", "silent");
  const ending = new AbortController();
  const searching = codeOf(library.search(QUERIES[2], { signal: ending.signal }));
  while (host.atOnce === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  ending.abort();
  assert.equal(await searching, "aborted");
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(host.atOnce, 0);
  host.rule("*");
  assert.ok((await library.search(QUERIES[2])).hits.length > 0);
  await library.close();
  assert.equal(await codeOf(library.search(QUERIES[2])), "closed");
});

test("nothing can be kept in Node, and that is said", async () => {
  const library = await attached();
  assert.equal(await codeOf(library.keep()), "storage_unavailable");
});

test("a knowledge base searches an attached library together with its own documents, and no host sees the question", async () => {
  const { KnowledgeBase } = await import(new URL("direct.js", SITE).href);
  const own = await KnowledgeBase.memory({ embedder });
  try {
    const others = Array.from({ length: 80 }, (_, at) => ({ id: `other-${at}`, text: `A recipe for ${at} loaves of bread.` }));
    await own.add([{ id: "own", text: "The harbour of my own notes has a flood gate." }, ...others]);
    await own.attach(`${host.address}/manifest.json`, { deadlineMs: 60_000 });
    for (const mode of ["keyword", "vector", "hybrid"]) {
      const { hits, sources } = await own.search("harbour flood", { mode, limit: 10 });
      assert.deepEqual(sources.map(({ collection, sent, error }) => [collection, sent, error]), [["library", false, undefined]], mode);
      assert.ok(hits.some(({ collection }) => collection === "library"), mode);
      if (mode !== "vector") assert.ok(hits.some(({ docId }) => docId === "own"), mode);
    }
    const [first] = (await own.search("harbour flood", { collections: ["library"], mode: "keyword", limit: 5 })).hits;
    const [alone] = (await kb.search("harbour flood", { mode: "keyword", limit: 5 })).hits;
    assert.deepEqual([first.docId, first.text, first.title], [alone.docId, alone.text, alone.title]);
    const document = await own.document("library", first.docId);
    assert.ok(document.text.includes(first.text));
    const filters = { ...(alone.metadata.year === undefined ? { town: alone.metadata.town } : { year: alone.metadata.year }) };
    const { hits: filtered } = await own.search("harbour flood", { collections: ["library"], filters });
    assert.ok(filtered.length > 0 && filtered.every(({ metadata }) => Object.entries(filters).every(([field, value]) => metadata[field] === value)));
    host.files = new Map();
    const { hits, sources } = await own.search("an altogether different question of ledgers", { mode: "keyword" });
    assert.ok(sources[0].error, "the host has lost its parts");
    assert.ok(Array.isArray(hits));
    assert.equal(await own.detach("library"), true);
    await assert.rejects(own.attach("gone", `${host.address}/manifest.json`), { code: "manifest_missing" });
  } finally {
    await own.close();
  }
});
