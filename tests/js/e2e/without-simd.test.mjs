// A browser whose WebAssembly has no SIMD: words are searched, and what needs vectors of a model says why it does not work.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { onPage as runOn } from "../support/on-page.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

/** A module with one instruction of SIMD. */
const SIMD = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11];
const MESSAGE = /This browser has no SIMD instructions of WebAssembly, which vademecum-encoder_bg\.wasm needs\. .*Firefox 114/;

let demo;
let hasSimd = false;
before(async () => {
  demo = await startDemo({ simd: false });
  await useSmallSample(demo.page);
  hasSimd = await demo.page.evaluate((bytes) => WebAssembly.validate(new Uint8Array(bytes)), SIMD);
});
after(() => demo?.close());

const TIMEOUT = { timeout: 120_000 };
const without = (body) => (t) => {
  if (!hasSimd) return body();
  assert.notEqual(process.arch, "x64", "the browser's flags have changed: see `simd` of startDemo");
  t.skip("on this processor a browser cannot be started without SIMD");
};

/** Runs on an empty page: returns the result, the console's warnings, and the names of the wasm modules that were fetched. */
async function onPage(...call) {
  await demo.page.goto(`${ORIGIN}/icon.svg`);
  const warnings = [];
  const note = (message) => message.type() === "warning" && warnings.push(message.text());
  demo.page.on("console", note);
  const before = demo.proxy.seen.length;
  const result = await runOn(demo.page, ...call);
  demo.page.off("console", note);
  const modules = demo.proxy.seen.slice(before).flatMap(({ path }) => path.match(/[^/]+\/[\w-]+_bg\.wasm$/)?.[0] ?? []);
  return { result, warnings, modules: [...new Set(modules)].sort() };
}

/** Adds Markdown and HTML to a library, searches it, and asks the agent. */
const search = async ({ KnowledgeBase, Agent }, _, name) => {
  const kb = await KnowledgeBase.open(name);
  const added = await kb.add([
    { id: "tides.md", text: "# Tides\n\nThe moon pulls the sea, and twice a day the tide comes in." },
    { id: "owls.html", text: "<html><body><h1>Owls</h1><p>Owls fly without a sound, because their feathers are soft.</p></body></html>" },
  ]);
  const found = await Promise.all(["moon", "soft feathers"].map((words) => kb.search(words)));
  const { answer } = await new Agent(kb).pipeline("Why do owls fly without a sound?").search().answer().run().result;
  await kb.close();
  const again = await KnowledgeBase.open(name);
  const { documents } = await again.stats();
  await again.close();
  await KnowledgeBase.delete(name);
  return { added: added.documents, found: found.map(({ hits, mode }) => [hits[0].docId, mode]), answer, documents };
};

for (const [entry, folder] of [["index.js", "vademecum"], ["direct.js", "vademecum"], ["lite/index.js", "lite"], ["lite/direct.js", "lite"]]) {
  test(`${entry} opens a library, adds Markdown and HTML, finds words, and answers`, TIMEOUT, without(async () => {
    const { result, warnings, modules } = await onPage(search, "without-simd", entry);
    assert.equal(result.added, 2);
    assert.deepEqual(result.found, [["tides.md", "keyword"], ["owls.html", "keyword"]]);
    assert.match(result.answer, /feathers are soft/);
    assert.equal(result.documents, 2);
    assert.deepEqual(modules, [`${folder}/vademecum-baseline_bg.wasm`, "vademecum/vademecum-agent_bg.wasm", "vademecum/vademecum-html_bg.wasm"].sort());
    const told = warnings.filter((text) => text.startsWith("vademecum:"));
    assert.equal(new Set(told).size, 1, told.join("\n")); // each engine warns
    assert.match(told[0], /^vademecum: This browser has no SIMD .*: words are searched, models do not run\. .*Firefox 114/);
  }));
}

test("a model is refused with a code, and hybrid search goes on by words and says why", TIMEOUT, without(async () => {
  const { result } = await onPage(async ({ KnowledgeBase, Embedder }, files) => {
    const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx(files) });
    const failed = ({ code, message }) => ({ code, message });
    const loading = await kb.loadEmbedder().then(() => null, failed);
    const adding = await kb.add([{ id: "owls", text: "Owls fly without a sound." }]).then(() => null, failed);
    const { hits, mode, degraded } = await kb.search("sound of owls");
    const byVector = await kb.search("owls", { mode: "vector" }).then(() => null, failed);
    const { embedder, documents, pending } = await kb.stats();
    await kb.close();
    return { loading, adding, found: hits.map(({ docId }) => docId), mode, degraded, byVector, instructions: embedder.instructions, documents, pending };
  });
  assert.equal(result.loading?.code, "unsupported");
  assert.match(result.loading.message, MESSAGE);
  for (const error of [result.adding, result.degraded, result.byVector]) {
    assert.equal(error?.code, "embedder_failed");
    assert.match(error.message, MESSAGE);
  }
  assert.deepEqual([result.found, result.mode, result.documents, result.pending, result.instructions], [["owls"], "keyword", 1, 1, null]);
}));

test("vectors of a function are stored and searched", TIMEOUT, without(async () => {
  const body = async ({ KnowledgeBase, Embedder }) => {
    const kb = await KnowledgeBase.memory({ embedder: Embedder.custom(async (texts) => texts.map((text) => [text.includes("owl") ? 1 : 0.1, text.includes("sea") ? 1 : 0.1, 0.5]), { id: "letters" }) });
    await kb.add([{ id: "tides", text: "The sea is pulled by the moon." }, { id: "night", text: "An owl flies without a sound." }]);
    const { hits, mode } = await kb.search("owl", { mode: "vector" });
    const { embedded } = await kb.stats();
    await kb.close();
    return { best: hits[0].docId, mode, embedded };
  };
  for (const entry of ["index.js", "lite/index.js"]) assert.deepEqual((await onPage(body, null, entry)).result, { best: "night", mode: "vector", embedded: 2 }, entry);
}));

test("modules that need SIMD say so, and name themselves", TIMEOUT, without(async () => {
  const { result } = await onPage(async () => {
    const { default: start } = await import("/vademecum/wasm.js");
    return start().then(() => null, ({ code, message }) => ({ code, message }));
  });
  assert.equal(result.code, "unsupported");
  assert.match(result.message, /which vademecum-index_bg\.wasm needs/);
}));

test("the page answers by words, and says that meanings are not searched", TIMEOUT, without(async () => {
  const { page } = demo;
  await demo.open();
  await page.waitForSelector('#status[data-state="failed"]');
  assert.match(await page.textContent("#status-text"), /^Searching by words only\. Search by meaning needs instructions \(SIMD\) that this browser lacks\./);
  await demo.ask("Why do owls fly without a sound?");
  await page.waitForSelector("#answer-text .cite");
  assert.match(await page.evaluate(() => document.querySelector("#answer-text").shadowRoot.textContent), /feathers are soft/);
  await demo.screenshot("without-simd");
  // A file of one's own.
  await demo.tab("library");
  await page.setInputFiles("#files", { name: "zebra.md", mimeType: "text/markdown", buffer: Buffer.from("# Zebra\n\nA zebra has stripes.") });
  await page.waitForFunction(() => /zebra\.md added/.test(document.querySelector("#file-reports").textContent));
  assert.equal((await page.evaluate(() => vademecum.search("stripes"))).hits[0].docId, "zebra.md");
}));
