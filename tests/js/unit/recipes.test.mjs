// The recipes of docs/remote.md, run as they stand there against exchanges that follow the documentation of each system.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import ts from "typescript";
import { blocksOf, documents } from "../support/blocks.mjs";

const guide = (await documents()).find(({ name }) => name === "docs/remote.md");
const blocks = guide ? blocksOf(guide) : [];

/** Imports the block that exports a function. */
async function recipe(name) {
  const block = blocks.find(({ pieces }) => pieces.at(-1).code.includes(`export function ${name}(`));
  assert.ok(block, `docs/remote.md has a recipe ${name}`);
  const { outputText } = ts.transpileModule(block.pieces.at(-1).code, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } });
  return (await import(`data:text/javascript,${encodeURIComponent(outputText)}`))[name];
}

/** Answers requests by a recording, each once; a request that is not in it fails. */
async function replayed(t, file) {
  const exchanges = JSON.parse(await readFile(new URL(`../recordings/${file}.json`, import.meta.url), "utf8"));
  t.mock.method(globalThis, "fetch", async (url, { method, headers, body, signal }) => {
    assert.equal(method, "POST");
    assert.ok(signal instanceof AbortSignal);
    const asked = { url, headers, body: JSON.parse(body) };
    const at = exchanges.findIndex(({ request }) => {
      try {
        assert.deepEqual(asked, request);
        return true;
      } catch {
        return false;
      }
    });
    assert.ok(at >= 0, `not in the recording: ${JSON.stringify(asked)}`);
    const [{ response }] = exchanges.splice(at, 1);
    return new Response(JSON.stringify(response.body), { status: response.status });
  });
  return exchanges;
}

const ASKED = { query: "fern spores", vector: new Float32Array([1, 0]), embedder: null, limit: 2, filters: null, mode: "vector", threshold: 0, documents: null };
const context = { signal: new AbortController().signal };
const is = (field, operator, value) => ({ field, operator, value });

test("Qdrant: conditions are translated, those it has not are left to the device, and a refusal is an error", async (t) => {
  const left = await replayed(t, "qdrant");
  const collection = (await recipe("qdrant"))("https://qdrant.example", "papers", "read-only");
  const { hits, unfiltered } = await collection.search({ ...ASKED, filters: { and: [is("year", ">=", 2020), is("lang", "!=", "de")] } }, context);
  assert.deepEqual([unfiltered, hits], [false, [
    { id: "4", vector: 0.98, docId: "ferns.pdf", ordinal: 2, text: "Spores ripen in July.", title: "Ferns", metadata: { year: 2021 } },
    { id: "98a9a4b1-4ef2-46fb-8315-a97d874fe1d7", vector: 0.51, docId: "moss.pdf", ordinal: 0, text: "Moss has no seeds.", metadata: { year: 2022 } },
  ]]);
  assert.deepEqual(await collection.search({ ...ASKED, filters: is("title", "like", "F%"), documents: ["ferns.pdf"] }, context), { hits: [], unfiltered: true });
  await assert.rejects(collection.search(ASKED, context), /Collection `papers` doesn't exist/);
  assert.deepEqual(left, []);
});

test("OpenSearch: words and vectors are joined by passage, and half an answer is an error", async (t) => {
  const left = await replayed(t, "opensearch");
  const collection = (await recipe("openSearch"))("https://search.example", "papers", "Basic cmVhZGVyOnNlY3JldA==");
  const { hits } = await collection.search({ ...ASKED, limit: 3, mode: "hybrid" }, context);
  const passage = (docId, ordinal, text, title) => ({ docId, ordinal, text, title });
  assert.deepEqual(hits, [
    { ...passage("ferns.pdf", 2, "Spores ripen in July.", "Ferns"), id: "f2", keyword: 3.2, vector: 2 * 0.95 - 1 },
    { ...passage("ferns.pdf", 1, "A fern has fronds.", "Ferns"), id: "f1", keyword: 1.1 },
    { ...passage("moss.pdf", 0, "Moss has no seeds.", "Moss"), id: "m0", vector: 0.5 },
  ]);
  await assert.rejects(collection.search({ ...ASKED, filters: is("year", "=", 2021), documents: ["ferns.pdf"] }, context), /a part of the index did not answer/);
  assert.deepEqual(left, []);
});

test("pgvector: equal values are compared by the database, other conditions on the device", async (t) => {
  const left = await replayed(t, "postgrest");
  const collection = (await recipe("postgrest"))("https://rest.example", "anon");
  const equal = await collection.search({ ...ASKED, filters: { and: [is("year", "=", 2021), is("lang", "=", "en")] } }, context);
  assert.deepEqual([equal.unfiltered, equal.hits.map(({ id, vector }) => [id, vector])], [false, [["f2", 0.91]]]);
  const other = await collection.search({ ...ASKED, filters: { not: is("year", "=", 2021) }, documents: ["ferns.pdf"] }, context);
  assert.deepEqual(other, { hits: [], unfiltered: true });
  await assert.rejects(collection.search(ASKED, context), /permission denied/);
  assert.deepEqual(left, []);
});
