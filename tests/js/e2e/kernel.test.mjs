// The kernel runs the sample model without a runtime, with the runtime's results, and says what it does not run.

import assert from "node:assert/strict";
import http from "node:http";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { listen } from "../support/listen.mjs";
import { onPage as runOn } from "../support/on-page.mjs";
import { TINY_TOKENIZER, tinyOnnx } from "../support/tiny-onnx.mjs";

const FILES = { "/model.onnx": tinyOnnx(), "/cut.onnx": tinyOnnx().subarray(0, 60), "/tokenizer.json": TINY_TOKENIZER };
const OTHER = "http://models.test";

let demo;
let server;
before(async () => {
  server = http.createServer(({ url }, response) => {
    response.writeHead(FILES[url] ? 200 : 404, { "access-control-allow-origin": "*" }).end(FILES[url]);
  });
  demo = await startDemo({ policy: false, routes: { "models.test": await listen(server) } });
  await demo.page.goto(`${ORIGIN}/icon.svg`);
});
after(async () => {
  await demo?.close();
  server?.close();
});

const onPage = (...call) => runOn(demo.page, ...call);

test("the sample model needs no runtime, and has the vectors that the runtime computes", { timeout: 120_000 }, async () => {
  const asked = [];
  demo.page.on("request", (request) => asked.push(request.url()));
  const vectors = (options) =>
    onPage(
      async ({ KnowledgeBase, Embedder }, _, options) => {
        const at = (name) => `/models/all-minilm-l6-v2/${name}`;
        const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ model: at("model.onnx"), tokenizer: at("tokenizer.json"), ...options }) });
        await kb.loadEmbedder();
        await kb.add([
          { id: "tides", text: "The moon pulls the sea, and twice a day the tide comes in." },
          { id: "bread", text: "Dough rises overnight in a cold kitchen; the crust needs steam." },
        ]);
        const { values } = await kb.vectors();
        const { embedder } = await kb.stats();
        await kb.close();
        return { values: [...values], embedder };
      },
      options,
    );
  const kernel = await vectors({});
  assert.equal(kernel.embedder.backend, "kernel");
  assert.match(kernel.embedder.instructions, /^(simd128|relaxed-simd)$/);
  assert.deepEqual(asked.filter((url) => url.includes("/ort/") || url.includes("vademecum-onnx_bg")), []);

  const runtime = await vectors({ backend: "onnxruntime" });
  assert.deepEqual([runtime.embedder.backend, runtime.embedder.instructions], ["onnxruntime", null]);
  assert.ok(asked.some((url) => url.includes("vademecum-onnx_bg")));
  // Libraries do not depend on what computed them.
  assert.equal(runtime.embedder.id, kernel.embedder.id);
  for (const start of [0, 384]) {
    const cosine = Array.from({ length: 384 }, (_, at) => kernel.values[start + at] * runtime.values[start + at]).reduce((sum, product) => sum + product);
    assert.ok(cosine > 0.99, String(cosine));
  }
});

test("a model that the kernel does not run is refused on request, and loaded by the runtime by default", async () => {
  const loaded = (model, options) =>
    onPage(
      async ({ KnowledgeBase, Embedder }, _, { base, model, options }) => {
        const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ model: `${base}/${model}`, tokenizer: `${base}/tokenizer.json`, ...options }) });
        const failure = await kb.loadEmbedder().then(() => null, ({ code, message }) => ({ code, message }));
        const { embedder } = await kb.stats();
        await kb.close();
        return failure ?? embedder;
      },
      { base: OTHER, model, options },
    );
  const refused = await loaded("model.onnx", { backend: "kernel" });
  assert.equal(refused.code, "model_unfit");
  assert.match(refused.message, /the kernel does not run it: `\w+`, which computes `\w+`, is not where an encoder of the BERT kind has it/);
  assert.equal((await loaded("model.onnx", {})).backend, "onnxruntime");
  assert.equal((await loaded("cut.onnx", {})).code, "model_corrupt");
  const missing = await loaded("model.onnx", { runtime: `${OTHER}/none/` });
  assert.equal(missing.code, "model_unavailable");
  assert.match(missing.message, /\/none\/.* It is needed, because `\w+`, which computes `\w+`, is not where an encoder of the BERT kind has it\.$/s);
});

test("a vector of the model's own, which a model of token vectors does not have, is refused without asking for a runtime", async () => {
  const asked = [];
  demo.page.on("request", (request) => asked.push(request.url()));
  const refused = await onPage(async ({ KnowledgeBase, Embedder }, files) => {
    const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ ...files, pooling: "model" }) });
    const failure = await kb.loadEmbedder().then(() => null, ({ code, message }) => ({ code, message }));
    await kb.close();
    return failure;
  });
  assert.equal(refused?.code, "model_unfit");
  assert.match(refused.message, /hold token vectors alone/);
  assert.deepEqual(asked.filter((url) => url.includes("/ort/") || url.includes("vademecum-onnx_bg")), []);
});

/** A module that stores the relaxed dot product of the bytes at 0 and at 16, and the sums at 32, at 48. */
const RELAXED_DOT = [
  [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // magic number, version
  [0x01, 0x04, 0x01, 0x60, 0x00, 0x00], // type () -> ()
  [0x03, 0x02, 0x01, 0x00],
  [0x05, 0x03, 0x01, 0x00, 0x01], // a page of memory
  [0x07, 0x11, 0x02, 0x06, ...Buffer.from("memory"), 0x02, 0x00, 0x04, ...Buffer.from("dots"), 0x00, 0x00],
  [0x0a, 0x1f, 0x01, 0x1d, 0x00],
  [0x41, 0x30], // i32.const 48
  ...[0, 16, 32].map((at) => [0x41, at, 0xfd, 0x00, 0x04, 0x00]), // v128.load
  [0xfd, 0x93, 0x02, 0xfd, 0x0b, 0x04, 0x00, 0x0b], // i32x4.relaxed_dot_i8x16_i7x16_add_s, v128.store
].flat();

/** Whether the relaxed dot product takes all bytes of its second operand, as signed or as unsigned ones, and does not saturate. */
const isRelaxedDotExact = () =>
  onPage(async (_, __, bytes) => {
    const module = new Uint8Array(bytes);
    if (!WebAssembly.validate(module)) return false;
    const { instance } = /** @type {any} */ (await WebAssembly.instantiate(module));
    const { memory, dots } = instance.exports;
    const pairs = [[127, 255], [-127, 128], [127, 127], [-127, 255], [101, 254]];
    const found = pairs.map(([weight, byte]) => {
      new Int8Array(memory.buffer, 0, 16).fill(weight);
      new Uint8Array(memory.buffer, 16, 16).fill(byte);
      dots();
      return new Int32Array(memory.buffer, 48, 1)[0];
    });
    const asTaken = (as) => pairs.every(([weight, byte], at) => found[at] === 4 * weight * as(byte));
    return asTaken((byte) => byte) || asTaken((byte) => (byte << 24) >> 24);
  }, RELAXED_DOT);

const WORDS = (
  "the moon pulls the sea and twice a day the tide comes in while dough rises overnight in a cold kitchen and its crust needs steam then " +
  "owls hunt along the hedge until a train leaves for the harbour with salt coffee letters and rope"
).split(" ");
/** Texts of 1 to 40 words. */
const TEXTS = Array.from({ length: 40 }, (_, at) => [...WORDS.slice(at), ...WORDS].slice(0, at + 1).join(" "));

test("the relaxed build runs where its dot product is exact, and agrees with the plain one", { timeout: 180_000 }, async () => {
  const embedded = async (entry, isPlain) => {
    await demo.page.goto(`${ORIGIN}/icon.svg`); // anew, since a page keeps the build that it has started
    const before = demo.proxy.seen.length;
    const found = await onPage(
      async ({ KnowledgeBase, Embedder }, files, { texts, isPlain }) => {
        if (isPlain) WebAssembly.validate = () => false;
        const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ ...files, pooling: "mean" }), exactVectors: true });
        await kb.loadEmbedder();
        await kb.add(texts.map((text, at) => ({ id: `${at}`, text })));
        const { values } = await kb.vectors();
        const { embedder } = await kb.stats();
        await kb.close();
        return { values: [...values], instructions: embedder.instructions };
      },
      { texts: TEXTS, isPlain },
      entry,
    );
    const builds = demo.proxy.seen.slice(before).flatMap(({ path }) => path.match(/vademecum-encoder(?:-relaxed)?_bg\.wasm$/)?.[0] ?? []);
    return { ...found, builds };
  };
  const isExact = await isRelaxedDotExact();
  const plain = await embedded("direct.js", true);
  assert.deepEqual([plain.instructions, plain.builds], ["simd128", ["vademecum-encoder_bg.wasm"]]);
  assert.equal(plain.values.length, TEXTS.length * 384);
  for (const entry of ["direct.js", "index.js"]) {
    const best = await embedded(entry, false);
    if (isExact) assert.deepEqual([best.instructions, best.builds], ["relaxed-simd", ["vademecum-encoder-relaxed_bg.wasm"]], entry);
    else assert.equal(best.instructions, "simd128");
    TEXTS.forEach((text, row) => {
      const [one, other] = [best, plain].map(({ values }) => values.slice(row * 384, (row + 1) * 384));
      const product = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0);
      const cosine = product(one, other) / Math.sqrt(product(one, one) * product(other, other));
      assert.ok(cosine >= 0.999, `${entry} ${row + 1} words: ${cosine}`);
    });
  }
});
