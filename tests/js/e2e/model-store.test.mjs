// A model's files in the browser's storage: fetched once, revalidated, checked, and never a condition for working.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { startModels } from "../support/model-server.mjs";
import { onPage as runOn } from "../support/on-page.mjs";

const MODELS = "http://models.test";
const CACHE = "vademecum models 1";
const [MODEL, TOKENIZER] = ["/tiny/model.onnx", "/tiny/tokenizer.json"];
const BOTH = [`GET ${MODEL}`, `GET ${TOKENIZER}`];
const CURRENT = [`HEAD ${MODEL}`, `HEAD ${TOKENIZER}`];

let models;
let demo;
let context;
let page;

before(async () => {
  models = await startModels();
  demo = await startDemo({ policy: false, routes: { "models.test": models.address } });
});
after(async () => {
  await demo?.close();
  models?.close();
});
beforeEach(async () => {
  await context?.close();
  context = await demo.page.context().browser().newContext({ serviceWorkers: "block" });
  page = await tab();
  Object.assign(models, { isDown: false, version: 1, pace: null });
  models.refused.clear();
  models.since();
});

async function tab() {
  const page = await context.newPage();
  await page.goto(`${ORIGIN}/icon.svg`);
  return page;
}

/** Loads a model on a page, and searches with it: `{ found, stored, progress }`, or the error that was thrown. */
const load = (where = page, options = {}, entry = "index.js") =>
  runOn(
    where,
    async ({ KnowledgeBase, Embedder }, _, { base, options }) => {
      const progress = [];
      const embedder = Embedder.onnx({ model: `${base}/tiny/model.onnx`, tokenizer: `${base}/tiny/tokenizer.json`, pooling: "mean", ...options });
      const kb = await KnowledgeBase.memory({ embedder, onProgress: (event) => progress.push(event) });
      try {
        await kb.loadEmbedder();
        await kb.add([{ id: "a", text: "alpha beta" }, { id: "d", text: "delta" }]);
        const { hits, mode } = await kb.search("beta", { mode: "vector" });
        let stored = null;
        while (stored === null) ({ stored } = (await kb.stats()).embedder);
        return { found: `${hits[0].docId} by ${mode}`, stored, progress };
      } catch ({ code, message, retryable }) {
        return { code, message, retryable };
      } finally {
        await kb.close();
      }
    },
    { base: MODELS, options },
    entry,
  );

async function works(...given) {
  const { found, stored, ...rest } = await load(...given);
  assert.equal(found, "a by vector", JSON.stringify(rest));
  return stored;
}

const integrityOf = (bytes) => `sha256-${createHash("sha256").update(bytes).digest("base64")}`;

/** Changes a stored file by `edit(bytes)`, and keeps its headers. */
const damage = (url, edit) =>
  page.evaluate(
    async ([cache, url, edit]) => {
      const files = await caches.open(cache);
      const response = await files.match(url);
      const bytes = new Uint8Array(await response.arrayBuffer());
      await files.put(url, new Response((0, eval)(edit)(bytes), { headers: response.headers }));
    },
    [CACHE, url, String(edit)],
  );

test("three workers, a second knowledge base, a reload and another tab use one download of the sample model", { timeout: 120_000 }, async () => {
  const real = { model: `${MODELS}/real/model.onnx`, tokenizer: `${MODELS}/real/tokenizer.json` };
  const backend = (where, options) =>
    runOn(
      where,
      async ({ KnowledgeBase, Embedder }, _, options) => {
        const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ pooling: "mean", ...options }) });
        await kb.loadEmbedder();
        await kb.add([{ id: "owls", text: "Owls fly without a sound." }, { id: "bread", text: "Dough rises overnight." }]);
        const { hits } = await kb.search("a silent bird", { mode: "vector", limit: 1 });
        let embedder;
        do ({ embedder } = await kb.stats());
        while (embedder.stored === null);
        await kb.close();
        return [hits[0].docId, embedder.backend, embedder.stored];
      },
      { ...real, ...options },
    );
  assert.deepEqual(await backend(page, { workers: 3 }), ["owls", "kernel", true]);
  assert.deepEqual(models.since(), ["GET /real/model.onnx", "GET /real/tokenizer.json"]);
  assert.deepEqual(await backend(page, {}), ["owls", "kernel", true]);
  await page.reload();
  assert.deepEqual(await backend(page, { workers: 2 }), ["owls", "kernel", true]);
  assert.deepEqual(await backend(await tab(), {}), ["owls", "kernel", true]);
  const later = models.since();
  assert.deepEqual(later.filter((one) => one.startsWith("GET")), []);
  assert.equal(later.length, 6, "each file is revalidated once per start");
});

test("two tabs that start together download once, and both report the bytes", async () => {
  models.pace = () => new Promise((resolve) => setTimeout(resolve, 300));
  const other = await tab();
  const [one, two] = await Promise.all([load(page), load(other)]);
  assert.deepEqual(models.since().filter((asked) => asked.startsWith("GET")), BOTH);
  for (const { found, progress } of [one, two]) {
    assert.equal(found, "a by vector");
    const counted = progress.filter(({ phase }) => phase === "model").map(({ loaded }) => loaded);
    assert.ok(counted.length > 1 && counted[0] < counted.at(-1), counted.join());
    assert.equal(counted.at(-1), models.files[MODEL].length);
  }
});

test("a tab that is closed during the download leaves it to the tab that waits", async () => {
  /** @type {() => void} */ let began = () => {};
  const beginning = new Promise((resolve) => (began = () => resolve(undefined)));
  models.pace = () => (began(), new Promise((resolve) => setTimeout(resolve, 1_000)));
  const other = await tab();
  load(other).catch(() => {}); // the tab ends first
  await beginning;
  models.pace = null;
  const waiting = works();
  await other.close();
  assert.equal(await waiting, true);
  assert.equal(models.since().filter((asked) => asked === `GET ${MODEL}`).length, 2);
});

test("without a network, and where the server fails or refuses HEAD, the stored model is used", async () => {
  assert.equal(await works(), true);
  assert.deepEqual(models.since(), BOTH);
  models.isDown = true;
  assert.equal(await works(), true);
  models.isDown = false;
  models.refused.add("HEAD");
  models.since();
  assert.equal(await works(), true);
  assert.deepEqual(models.since(), CURRENT);
});

test("the pooling that was published with a model is stored with it", async () => {
  models.files["/tiny/1_Pooling/config.json"] = Buffer.from(JSON.stringify({ pooling_mode_cls_token: true }));
  assert.equal(await works(page, { pooling: null }), true);
  models.isDown = true;
  assert.equal(await works(page, { pooling: null }), true);
  const pooled = await runOn(page, async ({ KnowledgeBase, Embedder }, _, base) => {
    const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ model: `${base}/tiny/model.onnx`, tokenizer: `${base}/tiny/tokenizer.json` }) });
    await kb.loadEmbedder();
    const { pooling } = (await kb.stats()).embedder;
    await kb.close();
    return pooling;
  }, MODELS);
  assert.equal(pooled, "cls");
  delete models.files["/tiny/1_Pooling/config.json"];
});

test("a file that changed on the server is fetched again, and if that fails, the stored one is used", async () => {
  await works();
  models.version = 2;
  models.since();
  assert.equal(await works(), true);
  assert.deepEqual(models.since(), [...BOTH, ...CURRENT].sort());
  await works();
  assert.deepEqual(models.since(), CURRENT);
  models.version = 3;
  models.refused.add("GET");
  assert.equal(await works(), true);
});

test("a damaged and a shortened file in the storage are fetched again", async () => {
  await works();
  for (const edit of [(bytes) => (bytes[bytes.length >> 1] ^= 1, bytes), (bytes) => bytes.slice(0, -1), () => new Uint8Array()]) {
    models.since();
    await damage(MODELS + MODEL, edit);
    assert.equal(await works(), true);
    assert.deepEqual(models.since(), [`GET ${MODEL}`, `HEAD ${MODEL}`, `HEAD ${TOKENIZER}`]);
  }
});

test("a stored file that is no model is fetched again by the next loading", async () => {
  const right = models.files[MODEL];
  models.files[MODEL] = Buffer.from(right.map((byte) => byte ^ 0x55)); // of the same length: no header tells the two apart
  const { code, retryable } = await load();
  assert.deepEqual([code, retryable], ["model_corrupt", false]);
  models.files[MODEL] = right;
  assert.equal(await works(), true);
});

test("a model with the hash that the option names is used without asking the server, and any other is refused", async () => {
  const right = integrityOf(models.files[MODEL]);
  assert.equal(await works(page, { integrity: right }), true);
  models.since();
  models.version = 2;
  assert.equal(await works(page, { integrity: right }), true);
  assert.deepEqual(models.since().filter((asked) => asked.endsWith(MODEL)), []);

  const other = integrityOf("another file");
  const refused = await load(page, { integrity: other });
  assert.equal(refused.code, "model_corrupt");
  assert.ok(refused.message.includes(`expected ${other}, found ${right}`), refused.message);
  models.since();
  assert.equal(await works(page, { integrity: right }), true, "the stored one is left in place");
  assert.deepEqual(models.since().filter((asked) => asked.endsWith(MODEL)), []);

  await assert.rejects(load(page, { integrity: "sha256:abc" }), /`Embedder\.onnx\.integrity` must be a hash such as `sha256-…` in base64, but was the string "sha256:abc"/);
});

test("without space for the model, it is downloaded on each visit, and nothing fails", async () => {
  const session = await context.newCDPSession(page);
  await session.send("Storage.overrideQuotaForOrigin", { origin: ORIGIN, quotaSize: 100 });
  assert.equal(await works(), false);
  models.since();
  assert.equal(await works(), false);
  assert.deepEqual(models.since(), BOTH);
});

test("where the browser refuses storage, the model is downloaded on each visit, and nothing fails", async () => {
  await page.evaluate(() =>
    Object.defineProperty(globalThis, "caches", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    }));
  assert.equal(await works(page, { workers: 2 }, "direct.js"), false);
  models.since();
  assert.equal(await works(page, {}, "direct.js"), false);
  assert.deepEqual(models.since(), BOTH);
});

test("with `cache: false`, nothing is stored", async () => {
  assert.equal(await works(page, { cache: false }), false);
  models.since();
  assert.equal(await works(page, { cache: false }), false);
  assert.deepEqual(models.since(), BOTH);
  assert.deepEqual(await page.evaluate(() => caches.keys()), []);
});
