// Pooling of models, stalled downloads, and resources that encoders share, with the real runtime.

import assert from "node:assert/strict";
import http from "node:http";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { listen } from "../support/listen.mjs";
import { onPage as runOn } from "../support/on-page.mjs";
import { TINY_TOKENIZER, tinyOnnx } from "../support/tiny-onnx.mjs";

const MODELS = "http://models.test";
const TOKENS = tinyOnnx();
const HEAD = tinyOnnx(["last_hidden_state", "sentence_embedding"]);
const POOLED = tinyOnnx(["sentence_embedding"]);
const pooling = (mode) => JSON.stringify({ word_embedding_dimension: 3, pooling_mode_mean_tokens: false, pooling_mode_cls_token: false, [mode]: true });
const STUB = 'export const env = { wasm: {}, versions: { web: "1.20.1" } }; export const InferenceSession = { create() {} };';

const FILES = {
  "/tokens/model.onnx": TOKENS,
  "/head/model.onnx": HEAD,
  "/pooled/model.onnx": POOLED,
  "/cls/model.onnx": TOKENS,
  "/cls/1_Pooling/config.json": pooling("pooling_mode_cls_token"),
  "/last/onnx/model.onnx": TOKENS,
  "/last/1_Pooling/config.json": pooling("pooling_mode_lasttoken"),
  "/max/model.onnx": TOKENS,
  "/max/1_Pooling/config.json": pooling("pooling_mode_max_tokens"),
  "/page/model.onnx": TOKENS,
  "/page/1_Pooling/config.json": "<!doctype html><p>Not found",
  "/tokenizer.json": TINY_TOKENIZER,
  "/stub/ort.wasm.min.mjs": STUB,
  "/stub/ort-wasm-simd-threaded.mjs": "export default {};",
};

const asked = [];
let demo;
let server;

before(async () => {
  server = http.createServer(({ url }, response) => {
    asked.push(url);
    const headers = { "access-control-allow-origin": "*", "content-type": url.endsWith(".mjs") ? "text/javascript" : "application/octet-stream" };
    if (url === "/stalled/model.onnx") return response.writeHead(200, { ...headers, "content-length": 1000 }).write(TOKENS.subarray(0, 100));
    const file = FILES[url];
    response.writeHead(file ? 200 : 404, headers).end(file ?? "Not found");
  });
  demo = await startDemo({ policy: false, routes: { "models.test": await listen(server) } });
  await demo.page.goto(`${ORIGIN}/icon.svg`);
});
after(async () => {
  await demo?.close();
  server?.closeAllConnections();
  server?.close();
});

const onPage = (...call) => runOn(demo.page, ...call);

/** Returns the cosine of "alpha" and "alpha beta gamma", embedded in one batch with a shorter text, and the embedder of `stats`. */
const tried = (folder, options = {}) =>
  onPage(
    async ({ KnowledgeBase, Embedder }, _, { base, folder, options }) => {
      const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ model: `${base}/${folder}/model.onnx`, tokenizer: `${base}/tokenizer.json`, ...options }) });
      try {
        await kb.loadEmbedder();
        await kb.add([{ id: "long", text: "alpha beta gamma" }, { id: "short", text: "gamma" }]);
        const { hits } = await kb.search("alpha", { mode: "vector", threshold: -1 });
        const { embedder } = await kb.stats();
        return { ...embedder, cosine: hits.find(({ docId }) => docId === "long").score };
      } catch ({ code, message, retryable }) {
        return { code, message, retryable };
      } finally {
        await kb.close();
      }
    },
    { base: MODELS, folder, options },
  );

const COSINES = { mean: 2 / 3, cls: 1, lasttoken: 0, model: 1 / Math.sqrt(6) };

for (const [folder, options, expected] of /** @type {[string, object, string][]} */ ([
  ["tokens", {}, "mean"],
  ["tokens", { pooling: "cls" }, "cls"],
  ["tokens", { pooling: "lasttoken" }, "lasttoken"],
  ["head", {}, "model"],
  ["head", { pooling: "mean" }, "mean"],
  ["head", { pooling: "model" }, "model"],
  ["pooled", {}, "model"],
  ["cls", {}, "cls"],
  ["cls", { pooling: "mean" }, "mean"],
  ["last/onnx", {}, "lasttoken"],
  ["page", {}, "mean"],
])) {
  test(`a model in /${folder}/, with ${JSON.stringify(options)}, is pooled by ${expected}, and its id says so`, async () => {
    const found = await tried(folder, options);
    assert.ok(Math.abs(found.cosine - COSINES[expected]) < 0.02, JSON.stringify(found));
    const name = `${folder}/model.onnx`; // a folder `onnx` does not tell models apart
    // Libraries stored before this option existed used mean pooling: their id is unchanged.
    const id = expected === "mean" ? name : `${name} pooling=${expected}`;
    assert.deepEqual([found.pooling, found.id, found.threshold], [expected, id, null]);
  });
}

test("a model that does not match its options is refused with the reason", async () => {
  for (const [folder, options, reason] of /** @type {[string, object, RegExp][]} */ ([
    ["pooled", { pooling: "cls" }, /one vector per text and cannot be pooled \(`cls`\)/],
    ["tokens", { pooling: "model" }, /hold token vectors alone/],
    ["max", {}, /1_Pooling\/config\.json asks for pooling_mode_max_tokens/],
    ["tokens", { expected: { text: "alpha beta gamma", vector: [1, 0, 0] } }, /a cosine of 0\.667/],
    ["tokens", { expected: { text: "alpha beta gamma", vector: [1, 0] } }, /3 numbers, and the expected one 2/],
  ])) {
    const { code, message } = await tried(folder, options);
    assert.equal(code, "model_unfit", message);
    assert.match(message, reason);
  }
  const { pooling: right } = await tried("tokens", { expected: { text: "alpha beta gamma", vector: [2, 1, 2] } });
  assert.equal(right, "mean");
});

test("the pooling is requested only from the model's own origin, and only by default", async () => {
  asked.length = 0;
  await tried("tokens", { pooling: "mean" });
  assert.deepEqual(asked.filter((url) => url.includes("1_Pooling")), []);
  await tried("last/onnx");
  assert.deepEqual(asked.filter((url) => url.includes("1_Pooling")), ["/last/onnx/1_Pooling/config.json", "/last/1_Pooling/config.json"]);
});

test("a stored library with a different pooling is refused once the pooling is known", async () => {
  const outcome = await onPage(
    async ({ KnowledgeBase, Embedder }, _, base) => {
      const embedder = (folder, options) => Embedder.onnx({ model: `${base}/${folder}/model.onnx`, tokenizer: `${base}/tokenizer.json`, id: undefined, ...options });
      const first = await KnowledgeBase.open("pooled", { embedder: embedder("cls", { pooling: "mean" }) });
      await first.add([{ id: "a", text: "alpha beta gamma" }]);
      await first.close();
      const refused = await KnowledgeBase.open("pooled", { embedder: embedder("cls", { pooling: "cls" }) }).catch(({ code }) => code);
      // The pooling is known once the model is loaded.
      const second = await KnowledgeBase.open("pooled", { embedder: embedder("cls") });
      const loading = await second.loadEmbedder().catch(({ code }) => code);
      const { mode, degraded } = await second.search("alpha");
      await second.close();
      const anew = await KnowledgeBase.open("pooled", { embedder: embedder("cls"), reembed: true });
      await anew.loadEmbedder();
      const before = (await anew.stats()).embedded;
      await anew.embedPending();
      const score = (await anew.search("alpha", { mode: "vector" })).hits[0].score;
      await anew.close();
      const same = await KnowledgeBase.open("pooled", { embedder: embedder("cls") });
      await same.loadEmbedder();
      const after = (await same.stats()).embedded;
      await same.close();
      return { refused, loading, mode, degraded: degraded?.code, before, score: Math.round(score * 100) / 100, after };
    },
    MODELS,
  );
  assert.deepEqual(outcome, { refused: "embedder_mismatch", loading: "embedder_mismatch", mode: "keyword", degraded: "embedder_mismatch", before: 0, score: 1, after: 1 });
});

test("a stalled download ends with the amount received, and can be retried", async () => {
  const { code, message, retryable } = await tried("stalled", { timeout: 700 });
  assert.deepEqual([code, retryable], ["model_unavailable", true]);
  assert.match(message, /^The model could not be loaded from http:\/\/models\.test\/stalled\/model\.onnx: no byte came for 0\.7 seconds, after 100 of 1000\. Check/);
});

test("a runtime of another version is refused with the required one", async () => {
  const { code, message } = await tried("tokens", { runtime: `${MODELS}/stub/` });
  assert.equal(code, "model_unavailable", message);
  assert.match(message, /onnxruntime-web 1\.30 is needed, and this is 1\.20\.1/);
});

test("concurrent encoders share the tokenizer and the compiled module", async () => {
  asked.length = 0;
  const before = demo.proxy.seen.length;
  const { pooling: made } = await tried("tokens", { workers: 3 });
  assert.equal(made, "mean");
  assert.equal(asked.filter((url) => url === "/tokenizer.json").length, 1);
  const modules = demo.proxy.seen.slice(before).filter(({ path }) => /\/vademecum-encoder(-relaxed)?_bg\.wasm$/.test(path));
  assert.ok(modules.length <= 1, `${modules.length} requests for the module of encoders`);
});
