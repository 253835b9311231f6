// The package in a service worker, which does not support dynamic imports: search, answers and the kernel work, and features that need
// the ONNX runtime are rejected with the reason.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startSite } from "../support/changing-site.mjs";
import { ORIGIN, startDemo } from "../support/demo.mjs";

const SCRIPT = `
  import { Agent, Embedder, KnowledgeBase } from "/vademecum/direct.js";
  const failure = async (make) => { try { await make(); } catch ({ code, message }) { return { code, message }; } };
  addEventListener("message", async ({ data, ports: [port] }) => {
    const at = (name) => new URL("/models/all-minilm-l6-v2/" + name, location.href).href;
    const files = { model: at("model.onnx"), tokenizer: at("tokenizer.json") };
    const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx(files) });
    await kb.loadEmbedder();
    await kb.add([{ id: "owls.md", text: "Owls fly without a sound." }, { id: "bread.md", text: "Dough rises overnight." }]);
    const { hits } = await kb.search("a silent bird", { mode: "vector" });
    const { embedder } = await kb.stats();
    const answered = await new Agent(kb).pipeline("When does dough rise?").search().answer().run().result.then(({ answer }) => answer, ({ code, message }) => ({ code, message }));
    port.postMessage({ found: hits[0].docId, answered, backend: embedder.backend, runtime: await failure(() => Embedder.onnx({ ...files, backend: "onnxruntime" })) });
    await kb.close();
  });`;

let demo;
let site;
before(async () => {
  site = await startSite();
  // Replaces a script of the site, so that the host sends its content type.
  await site.change("vademecum/graph-worker.js", () => SCRIPT);
  demo = await startDemo({ offline: true, routes: { [new URL(ORIGIN).host]: site.address } });
});
after(async () => {
  await demo?.close();
  site?.close();
});

test("a service worker searches and answers, and refuses what a service worker cannot load", { timeout: 60_000 }, async () => {
  await demo.page.goto(`${ORIGIN}/icon.svg`);
  const seen = await demo.page.evaluate(async () => {
    const { installing, waiting, active } = await navigator.serviceWorker.register("/vademecum/graph-worker.js", { type: "module" });
    const { port1, port2 } = new MessageChannel();
    const said = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
    (installing ?? waiting ?? active).postMessage(null, [port2]);
    return said;
  });
  assert.equal(seen.found, "owls.md");
  assert.equal(seen.answered, "Dough rises overnight. [1]");
  assert.equal(seen.backend, "kernel");
  assert.equal(seen.runtime.code, "unsupported");
  assert.match(seen.runtime.message, /service worker, which may import no modules at run time.*`Embedder\.custom`/);
});
