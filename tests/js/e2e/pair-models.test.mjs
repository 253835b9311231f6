// Rerankers, readers, heads and safetensors in a page: what the kernel and the ONNX runtime return, and what searches and pipelines
// make of it. The models have random weights (`tests/support/src/bert`).

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import http from "node:http";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { listen } from "../support/listen.mjs";
import { onPage as runOn } from "../support/on-page.mjs";

const MODELS = "http://models.test";
const MADE = process.env.VADEMECUM_MADE_MODELS;

let demo;
let server;
before(async () => {
  server = http.createServer(async ({ url }, response) => {
    const headers = { "access-control-allow-origin": "*" };
    const file = await readFile(`${MADE}${url}`).catch(() => null);
    response.writeHead(file ? 200 : 404, headers).end(file ?? "Not found");
  });
  demo = await startDemo({ policy: false, routes: { "models.test": await listen(server) } });
  await demo.page.goto(`${ORIGIN}/icon.svg`);
});
after(async () => {
  await demo?.close();
  server?.close();
});

const onPage = (body, argument, entry) => runOn(demo.page, body, { models: MODELS, ...argument }, entry);

const PASSAGES = ["the moon pulls the sea", "bread rises in a cold kitchen", "salt and steam", "the tide follows the moon", "owls", "a sea of bread"];
const QUESTION = "what pulls the sea";

const rated = (model, options = {}, entry = "index.js") =>
  onPage(
    async ({ Reranker }, _, { models, model, options, question, passages }) => {
      const reranker = Reranker.onnx({ model: `${models}/${model}`, tokenizer: `${models}/tokenizer.json`, ...options });
      const ratings = await reranker.rate(question, passages);
      const called = await reranker(question, passages.map((text) => ({ text })));
      const stats = reranker.stats();
      reranker.close();
      return { ratings, called, stats };
    },
    { model, options, question: QUESTION, passages: PASSAGES },
    entry,
  );

test("the kernel rates passages as the ONNX runtime does, without it", { timeout: 180_000 }, async () => {
  const asked = [];
  demo.page.on("request", (request) => asked.push(request.url()));
  const kernel = await rated("reranker.onnx");
  assert.equal(kernel.stats.backend, "kernel");
  assert.deepEqual(kernel.called, kernel.ratings);
  assert.ok(kernel.ratings.every((rating) => rating > 0 && rating < 1));
  assert.deepEqual(asked.filter((url) => url.includes("/ort/") || url.includes("vademecum-onnx_bg")), []);
  const runtime = await rated("reranker.onnx", { backend: "onnxruntime", runtime: `${ORIGIN}/vademecum/ort/` });
  assert.equal(runtime.stats.backend, "onnxruntime");
  kernel.ratings.forEach((rating, at) => assert.ok(Math.abs(rating - runtime.ratings[at]) < 1e-3, `${rating} ${runtime.ratings[at]}`));

  const [int8, reference] = [await rated("reranker-int8.onnx"), await rated("reranker-int8.onnx", { backend: "onnxruntime", runtime: `${ORIGIN}/vademecum/ort/` })];
  const order = ({ ratings }) => ratings.map((rating, at) => [rating, at]).sort(([a], [b]) => b - a).map(([, at]) => at);
  assert.deepEqual(order(int8), order(reference));
});

test("several workers and the entry without an engine's worker give the same ratings", { timeout: 120_000 }, async () => {
  const one = await rated("reranker.onnx");
  const two = await rated("reranker.onnx", { workers: 2 });
  const direct = await rated("reranker.onnx", {}, "direct.js");
  assert.deepEqual(two.ratings, one.ratings);
  assert.deepEqual(direct.ratings, one.ratings);
});

test("a search shows its hits first, and then in the order of their ratings", { timeout: 120_000 }, async () => {
  const found = await onPage(
    async ({ KnowledgeBase, Reranker, Agent }, _, { models, passages, question }) => {
      const reranker = Reranker.onnx({ model: `${models}/reranker.onnx`, tokenizer: `${models}/tokenizer.json` });
      const cold = Reranker.onnx({ model: `${models}/reranker.onnx`, tokenizer: `${models}/tokenizer.json` }); // loads for longer than the deadline
      const kb = await KnowledgeBase.memory({ reranker });
      await kb.add(passages.map((text, at) => ({ id: `${at}`, text: `${text} sea` })));
      const plain = await kb.search(question, { limit: 4 });
      let first;
      const reranked = await kb.search(question, { limit: 4, rerank: { top: 6, onHits: (response) => (first = response) } });
      const expected = await reranker.rate(question, reranked.hits);
      const late = await kb.search(question, { limit: 4, rerank: { deadlineMs: 1, reranker: cold } });
      const run = await new Agent(kb).pipeline(question).search().rerank({ keep: 3 }).answer().run().result;
      const without = await KnowledgeBase.memory();
      const refused = await without.search(question, { rerank: {} }).catch(({ code, message }) => ({ code, message }));
      await Promise.all([kb.close(), without.close()]);
      reranker.close();
      cold.close();
      const ids = ({ hits }) => hits.map(({ docId }) => docId);
      return { plain: ids(plain), first: ids(first), reranked: { ids: ids(reranked), ...reranked.reranked }, expected, late: { ids: ids(late), ...late.reranked }, used: run.contextUsed.length, refused };
    },
    { passages: PASSAGES, question: "moon, bread, salt and owls" },
  );
  assert.deepEqual(found.first, found.plain);
  assert.equal(found.reranked.rated, 6); // each passage has such a word
  assert.deepEqual(found.reranked.ratings, found.expected);
  assert.deepEqual([...found.reranked.ratings].sort((a, b) => b - a), found.reranked.ratings);
  assert.ok(found.reranked.from.every((rank) => rank >= 1 && rank <= 6));
  assert.deepEqual([found.late.ids, found.late.rated], [found.plain, 0]);
  assert.ok(found.used > 0);
  assert.equal(found.refused.code, "invalid_argument");
  assert.match(found.refused.message, /`search\.rerank\.reranker` must be made by Reranker\.onnx/);
});

test("a reranker that cannot be loaded leaves the hits as they are, and the response says why", async () => {
  const failed = await onPage(
    async ({ KnowledgeBase, Reranker }, _, { models, passages, question }) => {
      const reranker = Reranker.onnx({ model: `${models}/none.onnx`, tokenizer: `${models}/tokenizer.json` });
      const kb = await KnowledgeBase.memory({ reranker });
      await kb.add(passages.map((text, at) => ({ id: `${at}`, text: `${text} sea` })));
      const { hits } = await kb.search(question);
      const found = await kb.search(question, { rerank: {} });
      const stopped = new AbortController();
      stopped.abort();
      const aborted = await reranker.rate(question, passages, { signal: stopped.signal }).catch(({ code }) => code);
      await kb.close();
      return { before: hits.map(({ docId }) => docId), after: found.hits.map(({ docId }) => docId), reranked: found.reranked, aborted };
    },
    { passages: PASSAGES, question: QUESTION },
  );
  assert.deepEqual(failed.after, failed.before);
  assert.equal(failed.reranked.failure.code, "model_unavailable");
  assert.equal(failed.reranked.rated, 0);
  assert.equal(failed.aborted, "aborted");
});

test("a reader finds the words that the ONNX runtime finds", { timeout: 120_000 }, async () => {
  const read = (options) =>
    onPage(
      async ({ Reader }, _, { models, passages, question, options }) => {
        const reader = Reader.onnx({ model: `${models}/reader.onnx`, tokenizer: `${models}/tokenizer.json`, ...options });
        const answers = await reader.read(question, passages);
        reader.close();
        return answers;
      },
      { passages: PASSAGES, question: QUESTION, options },
    );
  const [kernel, runtime] = [await read({}), await read({ backend: "onnxruntime", runtime: `${ORIGIN}/vademecum/ort/` })];
  kernel.forEach(({ start, end, probability }, at) => {
    assert.deepEqual([start, end], [runtime[at].start, runtime[at].end]);
    assert.ok(Math.abs(probability - runtime[at].probability) < 1e-3);
    assert.match(` ${PASSAGES[at]} `, new RegExp(` ${PASSAGES[at].slice(start, end)} `));
  });
});

test("a pipeline without an LLM answers with the words that a reader finds, or abstains", { timeout: 120_000 }, async () => {
  const { answer, abstained, confidence, citations, texts } = await onPage(async ({ Agent, KnowledgeBase, Reader }, _, { models, passages, question }) => {
    const reader = Reader.onnx({ model: `${models}/reader.onnx`, tokenizer: `${models}/tokenizer.json` });
    const kb = await KnowledgeBase.memory();
    const texts = Object.fromEntries(passages.map((text, at) => [`${at}`, text]));
    await kb.add(passages.map((text, at) => ({ id: `${at}`, text })));
    const result = await new Agent(kb).pipeline(question).search().answer({ reader }).run().result;
    await kb.close();
    reader.close();
    return { ...result, texts };
  }, { passages: PASSAGES, question: QUESTION });
  assert.ok(confidence > 0 && confidence < 1);
  if (abstained) assert.deepEqual(citations, []);
  else {
    const [{ docId, quote }] = citations;
    assert.equal(answer, `${texts[docId].slice(quote.start, quote.end)} [1]`);
  }
});

test("a head in the graph, beside the graph and in safetensors gives the same vectors", { timeout: 120_000 }, async () => {
  const vectors = (model, options = {}) =>
    onPage(
      async ({ KnowledgeBase, Embedder }, _, { models, model, options, passages }) => {
        const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ model: `${models}/${model}`, tokenizer: `${models}/tokenizer.json`, ...options }) });
        await kb.loadEmbedder();
        await kb.add(passages.map((text, at) => ({ id: `${at}`, text })));
        const { values, dimensions } = await kb.vectors();
        const { embedder } = await kb.stats();
        await kb.close();
        return { values: [...values], dimensions, embedder };
      },
      { model, options, passages: PASSAGES },
    );
  const head = await vectors("head.onnx");
  assert.deepEqual([head.dimensions, head.embedder.pooling, head.embedder.backend], [48, "model", "kernel"]);
  const beside = await vectors("published/onnx/model.onnx");
  const tensors = await vectors("published/model.safetensors");
  for (const { values, dimensions, embedder } of [beside, tensors]) {
    assert.deepEqual([dimensions, embedder.pooling, embedder.backend], [48, "mean", "kernel"]);
    values.forEach((value, at) => assert.ok(Math.abs(value - head.values[at]) < 0.02, `${value} ${head.values[at]}`));
  }
  const cut = await vectors("head.onnx", { dimensions: 16 });
  assert.equal(cut.dimensions, 16);
  assert.match(cut.embedder.id, /dimensions=16/);
  // Rounded to int8, in both forms of files, they differ a little, and are a model of their own.
  for (const model of ["published/onnx/model.onnx", "published/model.safetensors"]) {
    const rounded = await vectors(model, { weights: "int8" });
    assert.deepEqual([rounded.dimensions, rounded.embedder.backend], [48, "kernel"]);
    assert.match(rounded.embedder.id, / weights=int8/);
    const differences = rounded.values.map((value, at) => Math.abs(value - beside.values[at]));
    assert.ok(Math.max(...differences) > 0 && Math.max(...differences) < 0.1, `${Math.max(...differences)}`);
  }
});
