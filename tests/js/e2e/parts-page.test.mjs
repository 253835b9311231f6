// Libraries in parts in Chromium: in a worker, with the model, offline, and kept on the device.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { ORIGIN, startDemo, untilTrue } from "../support/demo.mjs";
import { startHost } from "../support/part-host.mjs";
import { documents, filled, published } from "../support/parts-library.mjs";

const HOST = "http://parts.test";
const MODEL = `${ORIGIN}/models/all-minilm-l6-v2/`;

let made;
let host;
let demo;
let context;
let page;

before(async () => {
  const kb = await filled(documents(200));
  made = await published(kb);
  await kb.close();
  host = await startHost(made.files);
  demo = await startDemo({ policy: false, routes: { "parts.test": host.address } });
});
after(async () => {
  await demo?.close();
  host?.close();
  await made?.remove();
});
beforeEach(async () => {
  await context?.close();
  context = await demo.page.context().browser().newContext({ serviceWorkers: "block" });
  page = await tab();
  host.reset();
  demo.proxy.seen.length = 0;
});

async function tab() {
  const page = await context.newPage();
  await page.goto(`${ORIGIN}/icon.svg`);
  return page;
}

/** Runs `body(library, argument, { attach, Embedder })` on a page with the library attached; returns its result, or the code of its error. */
const onPage = (where, body, argument = null, options = {}) =>
  where.evaluate(
    `(async () => {
      const { attach } = await import("${ORIGIN}/vademecum/parts.js");
      const { Embedder } = await import("${ORIGIN}/vademecum/embedder.js");
      const { model, ...options } = ${JSON.stringify(options)};
      if (model) options.embedder = Embedder.onnx({ model: model + "model.onnx", tokenizer: model + "tokenizer.json" });
      try {
        const library = globalThis.library ??= await attach("${HOST}/manifest.json", options);
        return await (${body})(library, ${JSON.stringify(argument)}, { attach, Embedder });
      } catch ({ code, message }) {
        return { code, message };
      }
    })()`,
  );
const search = (where, query, options = {}) =>
  onPage(where, async (library, query) => {
    const { hits, mode, missing } = await library.search(query, { limit: 5 });
    return { ids: hits.map(({ docId }) => docId), mode, missing: missing?.map(({ what, code }) => [what, code]) };
  }, query, options);
/** The same for a search that must find something. */
async function found(where, query, options = {}) {
  const answer = await search(where, query, options);
  assert.ok(answer.ids?.length > 0 && !answer.missing, JSON.stringify(answer));
  return answer;
}
const parts = (requests) => requests.filter(({ path }) => path.startsWith("/parts/"));

test("a first keyword hit needs no engine, no model and no other origin", async () => {
  const { ids, mode } = await found(page, "lighthouse winter");
  assert.equal(mode, "keyword");
  assert.ok(ids.length === 5);
  const modules = demo.proxy.seen.map(({ path }) => path).filter((path) => path.endsWith(".wasm") || path.includes("/models/"));
  assert.deepEqual([...new Set(modules)], ["/vademecum/vademecum-parts-words_bg.wasm"]);
  const origins = new Set(demo.proxy.seen.map(({ origin }) => origin).filter((origin) => /\.test$/.test(origin)));
  assert.deepEqual([...origins].sort(), [HOST, ORIGIN]);
});

test("filters, phrases and vectors load the module for everything, once, and words go on with it", async () => {
  const words = await found(page, "lighthouse winter");
  const filtered = await onPage(page, async (library) => {
    const years = async (options) => (await library.search("town", { limit: 3, ...options })).hits.map(({ metadata }) => metadata.year);
    const [first, second] = await Promise.all([years({ filters: { year: 2003 } }), years({ filters: { year: { ">": 2010 } } })]);
    const { hits } = await library.search('"closes in the winter months"', { strictPhrases: true, limit: 3 });
    return [first.every((year) => year === 2003), second.every((year) => year > 2010), hits.every(({ text }) => /closes in the winter months/.test(text))];
  });
  assert.deepEqual(filtered, [true, true, true]);
  assert.deepEqual(await found(page, "lighthouse winter"), words);
  const modules = demo.proxy.seen.map(({ path }) => path).filter((path) => path.endsWith(".wasm"));
  assert.deepEqual(modules.sort(), ["/vademecum/vademecum-parts-words_bg.wasm", "/vademecum/vademecum-parts_bg.wasm"]);
});

test("the reader runs in a worker, or in place, and finds the same", async () => {
  const inWorker = await found(page, "museum ledgers");
  assert.deepEqual(await found(await tab(), "museum ledgers", { worker: false }), inWorker);
  assert.ok(page.workers().length === 1, `${page.workers().length} workers`);
});

test("offline, what was asked before is answered, and what is not there is said", async () => {
  const first = await found(page, "lighthouse winter");
  await onPage(page, async (library) => library.close());
  host.rule("*", "close");
  const second = await tab();
  assert.deepEqual(await found(second, "lighthouse winter"), first);
  assert.equal(await onPage(second, async (library) => (await library.stats()).stale), true);
  const other = await search(second, "quarry worker Friday 77");
  assert.ok(other.code === "offline" || other.missing?.some(([, code]) => code === "offline"), JSON.stringify(other));
  const third = await (await demo.page.context().browser().newContext()).newPage();
  await third.goto(`${ORIGIN}/icon.svg`);
  assert.equal((await search(third, "lighthouse winter")).code, "offline");
  await third.context().close();
});

test("a library that is kept answers everything offline, within its memory, until it is forgotten", async () => {
  const queries = ["lighthouse winter", "quarry worker Friday", "orchard cellar", "town 177"];
  const answers = [];
  for (const query of queries) answers.push(await found(page, query, { cache: false }));
  const kept = await onPage(page, async (library) => {
    const seen = [];
    await library.keep({ onProgress: (progress) => seen.push(progress) });
    const { kept } = await library.stats();
    return { kept, last: seen.at(-1) };
  });
  const { length } = Object.keys(made.files);
  assert.deepEqual(kept, { kept: { parts: length - 1, bytes: kept.last.total }, last: { phase: "keep", loaded: kept.last.total, total: kept.last.total, secondsLeft: 0 } });
  host.rule("*", "close");
  host.since();
  const second = await tab();
  for (const [at, query] of queries.entries()) assert.deepEqual(await found(second, query, { cache: false, maxMemory: 1 << 20 }), answers[at], query);
  const { memory, stale, code } = await onPage(second, async (library) => library.stats());
  assert.deepEqual([stale, code], [true, undefined]);
  assert.ok(memory <= 1 << 20, `${memory} bytes`);
  assert.deepEqual(parts(host.since()), []);
  await onPage(second, (library) => library.forget());
  const forgotten = await search(second, "museum flood", { cache: false });
  assert.ok(forgotten.code === "offline" || forgotten.missing, JSON.stringify(forgotten));
});

test("of a kept library, what most questions need is read before the first one", async () => {
  assert.equal((await onPage(page, (library) => library.stats(), null, { cache: false })).memory, 0);
  await onPage(page, (library) => library.keep());
  const second = await tab();
  const isRead = async () => {
    const { memory, chunks } = await onPage(second, (library) => library.stats(), null, { cache: false });
    return memory >= chunks; // a byte for the length of each
  };
  for (let tries = 0; !(await isRead()); tries++) {
    assert.ok(tries < 100, "nothing was read");
    await second.waitForTimeout(50);
  }
});

test("private files that are cleared under an open library are fetched again, or it is said offline", async () => {
  const answer = await found(page, "lighthouse winter", { cache: false, maxMemory: 1 << 20 });
  await onPage(page, (library) => library.keep());
  const session = await context.newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin: ORIGIN, storageTypes: "all" });
  const second = await tab();
  assert.deepEqual(await found(second, "lighthouse winter", { cache: false }), answer);
  assert.ok((await found(page, "museum of town 12")).ids.length > 0);
});

test("words are searched while the model is on its way, and then meaning as well", { timeout: 180_000 }, async () => {
  const real = await published(await onlyReal());
  host.files = new Map(Object.entries(real.files));
  try {
    const letModel = demo.proxy.hold("/models/all-minilm-l6-v2/model.onnx");
    const early = await found(page, "a bird without sound", { model: MODEL });
    assert.equal(early.mode, "keyword");
    letModel();
    await onPage(page, (library) => library.loadEmbedder());
    const late = await found(page, "a bird without sound");
    assert.deepEqual([late.mode, late.ids[0]], ["hybrid", "owls"]);
  } finally {
    host.files = new Map(Object.entries(made.files));
    await real.remove();
  }
});

/** A library with the vectors of the real model. */
async function onlyReal() {
  const site = new URL("../../../target/site/", import.meta.url);
  const { Embedder, KnowledgeBase } = await import(new URL("vademecum/direct.js", site).href);
  const at = (name) => new URL(`models/all-minilm-l6-v2/${name}`, site).href;
  const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ model: at("model.onnx"), tokenizer: at("tokenizer.json") }) });
  await kb.add([{ id: "owls", text: "Owls fly without a sound." }, { id: "bread", text: "Dough rises overnight." }, { id: "tides", text: "The sea rises twice a day." }]);
  return kb;
}

test("a reader that crashes is started again, and the call says so", async () => {
  const first = await found(page, "lighthouse winter");
  const broken = page.workers()[0].evaluate(() => setTimeout(() => { throw new WebAssembly.RuntimeError("unreachable"); }));
  await broken.catch(() => {});
  await untilTrue(page, () => true);
  await page.waitForTimeout(100);
  assert.deepEqual(await found(page, "lighthouse winter"), first);
});
