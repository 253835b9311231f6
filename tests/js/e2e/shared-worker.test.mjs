// The engine and the encoder in a SharedWorker, which cannot start workers: both run in place.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";

let demo;
before(async () => {
  demo = await startDemo();
  await demo.page.context().route(`${ORIGIN}/bare/`, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>bare</title>" }));
  await demo.page.goto(`${ORIGIN}/bare/`);
});
after(() => demo?.close());

test("two encoders in a SharedWorker find by meaning, one after the other", { timeout: 120_000 }, async () => {
  const found = await demo.page.evaluate(async (origin) => {
    const script = `
      import { Embedder, KnowledgeBase } from "${origin}/vademecum/direct.js";
      const at = (name) => "${origin}/" + name;
      const onnx = () => Embedder.onnx({ model: at("models/all-minilm-l6-v2/model.onnx"), tokenizer: at("models/all-minilm-l6-v2/tokenizer.json") });
      async function best() {
        const kb = await KnowledgeBase.memory({ embedder: onnx() });
        await kb.add([{ id: "owls", text: "Owls fly without a sound." }, { id: "bread", text: "Dough rises overnight." }]);
        const { hits } = await kb.search("a silent bird", { mode: "vector", limit: 1 });
        await kb.close();
        return hits[0].docId;
      }
      addEventListener("connect", async ({ ports: [port] }) => {
        try { port.postMessage(await Promise.all([best(), best()])); } catch (thrown) { port.postMessage(\`\${thrown.code}: \${thrown.message}\`); }
      });`;
    const shared = new SharedWorker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })), { type: "module" });
    return new Promise((resolve) => {
      shared.onerror = ({ message }) => resolve(`the script failed: ${message}`);
      shared.port.onmessage = ({ data }) => resolve(data);
    });
  }, ORIGIN);
  assert.deepEqual(found, ["owls", "owls"]);
});
