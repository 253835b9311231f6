// The package in a service worker, which does not support dynamic imports: keyword search and answers work, and features that need the
// ONNX runtime are rejected with the reason.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startSite } from "../support/changing-site.mjs";
import { ORIGIN, startDemo } from "../support/demo.mjs";

const SCRIPT = `
  import { Agent, Embedder, KnowledgeBase } from "/vademecum/direct.js";
  const failure = async (make) => { try { await make(); } catch ({ code, message }) { return { code, message }; } };
  addEventListener("message", async ({ data, ports: [port] }) => {
    const kb = await KnowledgeBase.memory();
    await kb.add([{ id: "owls.md", text: "Owls fly without a sound." }, { id: "bread.md", text: "Dough rises overnight." }]);
    const { hits } = await kb.search("owls");
    const answered = await new Agent(kb).pipeline("When does dough rise?").search().answer().run().result.then(({ answer }) => answer, ({ code, message }) => ({ code, message }));
    port.postMessage({ found: hits[0].docId, answered, onnx: await failure(() => Embedder.onnx({ model: "m", tokenizer: "t", runtime: "r" })) });
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
  assert.equal(seen.onnx.code, "unsupported");
  assert.match(seen.onnx.message, /service worker, which may import no modules at run time.*`Embedder\.custom`/);
});
