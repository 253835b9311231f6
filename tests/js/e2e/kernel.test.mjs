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
});
