// The ONNX encoder without workers: in Node, with the real model.

import assert from "node:assert/strict";
import { test } from "node:test";

const SITE = new URL("../../../target/site/", import.meta.url);
const { Embedder, KnowledgeBase } = await import(new URL("vademecum/direct.js", SITE).href);

const at = (name) => new URL(name, SITE).href;
const onnx = (options = {}) => Embedder.onnx({ ...options, model: at("models/all-minilm-l6-v2/model.onnx"), tokenizer: at("models/all-minilm-l6-v2/tokenizer.json") });

const NOTES = [
  { id: "owls", text: "Owls fly without a sound." },
  { id: "bread", text: "Dough rises overnight." },
];

async function finds(options = {}) {
  const kb = await KnowledgeBase.memory({ embedder: onnx(options) });
  await kb.add(NOTES);
  const { hits } = await kb.search("a silent bird", { mode: "vector", limit: 1 });
  assert.equal(hits[0].docId, "owls");
  assert.deepEqual((await kb.stats()).embedder.backend, options.backend ?? "kernel");
  return kb;
}

test("two encoders loaded at once, and one after them, all find passages by vectors", { timeout: 120_000 }, async () => {
  const both = await Promise.all([finds(), finds()]);
  const third = await finds();
  for (const kb of [...both, third]) await kb.close();
});

test("loading a model by the runtime leaves no page or worker globals behind", async () => {
  const kb = await finds({ backend: "onnxruntime", runtime: at("vademecum/ort/") });
  for (const name of ["Worker", "window", "document"]) assert.equal(typeof globalThis[name], "undefined", name);
  await kb.close();
});

test("after a model was loaded, a library without workers continues without graphs", { timeout: 120_000 }, async () => {
  const first = await finds();
  const kb = await KnowledgeBase.memory({ graphFrom: 100, embedder: Embedder.custom((texts) => texts.map((text) => [Math.cos(text.length), Math.sin(text.length)])) });
  await kb.add(Array.from({ length: 200 }, (_, n) => ({ id: `${n}`, text: `Note ${"x".repeat(n)}` })));
  await new Promise((resolve) => setTimeout(resolve, 500)); // maintenance runs in the background
  assert.equal((await kb.search("Note x", { mode: "vector" })).hits.length, 10);
  await kb.close();
  await first.close();
});

test("closing during embedding ends the call at once and releases the model, and a later library can use it", { timeout: 120_000 }, async (t) => {
  const builds = await Promise.all(["vademecum-encoder", "vademecum-encoder-relaxed"].map((name) => import(at(`vademecum/${name}.js`))));
  const frees = builds.map(({ KernelEmbedder }) => t.mock.method(KernelEmbedder.prototype, "free"));
  const released = () => frees.flatMap(({ mock }) => mock.calls).filter(({ error }) => error === undefined).length;
  const kb = await finds();
  const before = released();
  const texts = Array.from({ length: 400 }, (_, n) => ({ id: `${n}`, text: `Note ${n} about owls and bread, and about what rises overnight.`.repeat(4) }));
  let embedded = 0;
  const embedding = new Promise((resolve) => {
    const adding = kb.add(texts, { onProgress: ({ phase, loaded }) => phase === "embed" && resolve((embedded = loaded)) });
    adding.then(() => assert.fail("it went on"), ({ code }) => assert.equal(code, "closed"));
  });
  await embedding;
  await kb.close();
  assert.ok(embedded < texts.length);
  for (let tries = 0; released() === before && tries < 200; tries++) await new Promise((resolve) => setTimeout(resolve, 50)); // the batch that runs ends first
  assert.equal(released(), before + 1);
  assert.ok(frees.flatMap(({ mock }) => mock.calls).every(({ error }) => error === undefined), "no running model is freed");
  await (await finds()).close();
});
