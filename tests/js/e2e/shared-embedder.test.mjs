// Encoders that the tabs of an origin share: one model in memory, loaded once.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { startSite } from "../support/changing-site.mjs";
import { ORIGIN, startDemo } from "../support/demo.mjs";

/** A host without HTTPS. */
const INSECURE = "http://insecure.test";

let demo;
let site;
let targets;
let requests = [];
const tabs = [];
before(async () => {
  site = await startSite();
  demo = await startDemo({ routes: Object.fromEntries([ORIGIN, INSECURE].map((origin) => [new URL(origin).host, site.address])) });
  const context = demo.page.context();
  context.on("request", (request) => requests.push(request.url()));
  targets = await context.browser().newBrowserCDPSession();
});
afterEach(async () => {
  await Promise.all(tabs.splice(0).map((tab) => tab.close()));
  requests = [];
});
after(async () => {
  await demo?.close();
  site?.close();
});

/** Opens an empty page of the origin, with a library that has two documents. */
async function openTab({ options = {}, documents = true, origin = ORIGIN } = {}) {
  const page = await demo.page.context().newPage();
  tabs.push(page);
  await page.goto(`${origin}/icon.svg`);
  await page.evaluate(
    async ({ origin, options, documents }) => {
      const { Embedder, KnowledgeBase } = await import(`${origin}/vademecum/index.js`);
      const models = `${origin}/models/all-minilm-l6-v2/`;
      // Not stored, so that every loading is a request.
      const embedder = Embedder.onnx({ model: `${models}model.onnx`, tokenizer: `${models}tokenizer.json`, pooling: "mean", workers: 2, cache: false, shared: true, ...options });
      globalThis.kb = await KnowledgeBase.memory({ embedder });
      if (documents) await kb.add([{ id: "owls", text: "Owls fly without a sound." }, { id: "bread", text: "Dough rises overnight." }]);
      globalThis.best = async () => {
        const { mode, hits } = await kb.search("a silent bird", { mode: "vector", limit: 1 });
        return [mode, hits[0]?.docId];
      };
    },
    { origin, options, documents },
  );
  return page;
}

const stats = (page) => page.evaluate(async () => (await kb.loadEmbedder(), (await kb.stats()).embedder));
const best = (page) => page.evaluate(() => best());
const sharedWorkers = async () => (await targets.send("Target.getTargets")).targetInfos.filter(({ type }) => type === "shared_worker");
const modelRequests = () => requests.filter((url) => url.endsWith("/model.onnx")).length;

test("a second tab uses the model that the first one has loaded", async () => {
  const first = await openTab({ options: { workers: 1 } });
  assert.deepEqual(await best(first), ["vector", "owls"]);
  assert.equal((await stats(first)).shared, true);
  assert.equal(modelRequests(), 1);
  const second = await openTab({ options: { workers: 1 } });
  assert.deepEqual(await best(second), ["vector", "owls"]);
  const { shared, backend, instructions } = await stats(second);
  assert.deepEqual([shared, backend], [true, "kernel"]);
  assert.equal(instructions, (await stats(first)).instructions);
  assert.equal(modelRequests(), 1);
  assert.equal((await sharedWorkers()).length, 1);
  await first.close();
  await second.evaluate(() => kb.add([{ id: "tea", text: "Tea is ready when the water has boiled." }]));
  assert.deepEqual(await best(second), ["vector", "owls"]);
});

test("tabs that are opened at the same time share their workers", async () => {
  const pages = await Promise.all([openTab(), openTab(), openTab()]);
  assert.deepEqual(await Promise.all(pages.map(best)), Array(3).fill(["vector", "owls"]));
  assert.equal((await sharedWorkers()).length, 2);
});

test("other options of a model are other workers, whose vectors are their own", async () => {
  const [all, cut] = [await openTab({ options: { workers: 1 } }), await openTab({ options: { workers: 1, dimensions: 128 } })];
  assert.deepEqual(await Promise.all([best(all), best(cut)]), Array(2).fill(["vector", "owls"]));
  assert.equal((await sharedWorkers()).length, 2);
  const dimensions = (page) => page.evaluate(async () => (await kb.vectors()).dimensions);
  assert.deepEqual([await dimensions(all), await dimensions(cut)], [384, 128]);
});

test("a worker that no library uses ends, whether tabs have been closed or their libraries", { timeout: 120_000 }, async () => {
  const [page, other] = [await openTab({ options: { workers: 1 } }), await openTab({ options: { workers: 1 } })];
  assert.deepEqual(await Promise.all([best(page), best(other)]), Array(2).fill(["vector", "owls"]));
  assert.equal((await sharedWorkers()).length, 1);
  await other.close();
  await page.evaluate(() => kb.close());
  for (const end = Date.now() + 60_000; (await sharedWorkers()).length > 0; ) {
    assert.ok(Date.now() < end, "the worker is still there");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
});

test("after a crash of a shared worker every tab repeats its call with another one", { timeout: 120_000 }, async () => {
  const pages = [await openTab({ options: { workers: 1 } }), await openTab({ options: { workers: 1 } })];
  assert.deepEqual(await Promise.all(pages.map(best)), Array(2).fill(["vector", "owls"]));
  const [{ targetId }] = await sharedWorkers();
  await targets.send("Target.closeTarget", { targetId });
  assert.deepEqual(await Promise.all(pages.map(best)), Array(2).fill(["vector", "owls"]));
  for (const page of pages) assert.equal((await stats(page)).shared, true);
  const workers = await sharedWorkers();
  assert.equal(workers.length, 1);
  assert.notEqual(workers[0].targetId, targetId);
});

/** Added to the script of shared workers: tries to fetch from another origin when it is asked. */
const REACH_OUT = `
const asked = new BroadcastChannel("reach out");
asked.onmessage = () => fetch("http://elsewhere.test/").then(() => "sent", String).then((told) => asked.postMessage(told));
`;

test("the demo page's tabs share their encoders once its service worker gives them the page's policy", { timeout: 180_000 }, async () => {
  await site.change("vademecum/shared-embed-worker.js", (script) => script + REACH_OUT);
  const context = demo.page.context();
  const visit = async () => {
    const page = await context.newPage();
    tabs.push(page);
    await page.goto(ORIGIN);
    await page.waitForSelector("body[data-searchable]", { timeout: 60_000 });
    await page.evaluate(() => navigator.serviceWorker.ready);
    const { shared } = await page.evaluate(async () => (await vademecum.loadEmbedder(), (await vademecum.stats()).embedder));
    return { page, shared };
  };
  const first = await visit();
  assert.equal(first.shared, false);
  await first.page.close();
  const [second, third] = [await visit(), await visit()];
  assert.deepEqual([second.shared, third.shared], [true, true]);
  const cores = await second.page.evaluate(() => navigator.hardwareConcurrency);
  assert.equal((await sharedWorkers()).length, Math.min(4, cores));
  const told = await second.page.evaluate(() => {
    const asked = new BroadcastChannel("reach out");
    return new Promise((resolve) => {
      asked.onmessage = ({ data }) => resolve(data);
      asked.postMessage(null);
    });
  });
  assert.equal(told, "TypeError: Failed to fetch");
  assert.ok(!demo.origins().includes("http://elsewhere.test"), "the policy ends the request in the browser");
});

test("where shared workers cannot be started, a tab has workers of its own", { timeout: 120_000 }, async () => {
  const insecure = await openTab({ options: { workers: 1 }, origin: INSECURE });
  await site.change("vademecum/shared-embed-worker.js", () => "throw new Error('broken')");
  const broken = await openTab({ options: { workers: 1 } });
  site.broken.add("vademecum/shared-embed-worker.js");
  const missing = await openTab({ options: { workers: 1 } });
  await demo.page.context().addInitScript("delete globalThis.SharedWorker");
  const none = await openTab({ options: { workers: 1 } });
  for (const page of [insecure, broken, missing, none]) {
    assert.deepEqual(await best(page), ["vector", "owls"]);
    assert.equal((await stats(page)).shared, false);
  }
});

test("with required Trusted Types, the policy `vademecum` accepts the address of the shared worker", { timeout: 120_000 }, async () => {
  const headers = { "content-security-policy": "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types vademecum" };
  const strict = await startSite({ headers });
  const own = await startDemo({ routes: { [new URL(ORIGIN).host]: strict.address } });
  try {
    await own.page.goto(`${ORIGIN}/icon.svg`);
    const shared = await own.page.evaluate(async (origin) => {
      const { Embedder, KnowledgeBase } = await import(`${origin}/vademecum/index.js`);
      const models = `${origin}/models/all-minilm-l6-v2/`;
      const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ model: `${models}model.onnx`, tokenizer: `${models}tokenizer.json`, workers: 1, shared: true }) });
      await kb.loadEmbedder();
      return (await kb.stats()).embedder.shared;
    }, ORIGIN);
    assert.equal(shared, true);
  } finally {
    await own.close();
    strict.close();
  }
});
