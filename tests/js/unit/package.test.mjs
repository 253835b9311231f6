// The package that `cargo xtask package` builds, in Node. Skipped if it is not built.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";

const FOLDER = new URL("../../../target/package/vademecum/", import.meta.url);
const skip = existsSync(new URL("package.json", FOLDER)) ? false : "there is no built package: `cargo xtask package` makes one";

const load = (file) => import(new URL(file, FOLDER).href);
const opened = [];
after(() => Promise.all(opened.map((kb) => kb.close())));

const DOCUMENTS = [
  { id: "ownership", text: "# Ownership\n\nEach value has one owner. When the owner goes away, so does the value." },
  { id: "traits", text: "# Traits\n\nA trait names behaviour that types share." },
];

/** The words whose occurrence in a text is a dimension of its vector. */
const WORDS = ["owner", "value", "trait", "types"];
const vectors = async (texts) => texts.map((text) => WORDS.map((word) => (text.toLowerCase().includes(word) ? 1 : 0.01)));

async function filled({ KnowledgeBase }, options) {
  const kb = await KnowledgeBase.memory(options);
  opened.push(kb);
  await kb.add(DOCUMENTS);
  return kb;
}

for (const entry of ["direct.js", "lite/direct.js"]) {
  test(`${entry} finds documents by words, in Node`, { skip }, async () => {
    const kb = await filled(await load(entry));
    const { hits } = await kb.search("who owns a value", { mode: "keyword" });
    assert.equal(hits[0].docId, "ownership");
  });

  test(`${entry} finds documents by the vectors of a function, in Node`, { skip }, async () => {
    const module = await load(entry);
    const kb = await filled(module, { embedder: module.Embedder.custom(vectors) });
    const { hits, mode } = await kb.search("types that have a trait", { mode: "vector" });
    assert.equal(mode, "vector");
    assert.equal(hits[0].docId, "traits");
  });

  test(`${entry} answers by the agent, with citations, in Node`, { skip }, async () => {
    const module = await load(entry);
    const agent = new module.Agent(await filled(module));
    const { answer, citations, error } = await agent.pipeline("What happens when the owner goes away?").search().answer().run().result;
    assert.equal(error, null);
    assert.match(answer, /so does the value/);
    assert.equal(citations[0].docId, "ownership");
  });

  test(`${entry} keeps dates as dates, and spans where a text has half a surrogate pair`, { skip }, async () => {
    const { KnowledgeBase } = await load(entry);
    const kb = await KnowledgeBase.memory();
    opened.push(kb);
    await kb.collection("c", { schema: { signed: "date" } });
    const text = "First \ud800 sentence \u{1F600} here. \udc00\udc00 More text\ud83d after it.\n\nAnother paragraph \ud83d\u{1F600} ends.";
    await kb.add("c", [{ id: "a", text, metadata: { signed: new Date("2024-03-01T10:00:00Z") } }]);
    const { chunks, metadata } = await kb.document("c", "a");
    assert.deepEqual(metadata, { signed: "2024-03-01T10:00:00.000Z" });
    for (const { span, text: found } of chunks) assert.equal(text.slice(span.start, span.end).replace(/\p{Surrogate}/gu, "\ufffd"), found);
    const signed = async (after) => (await kb.search("paragraph", { filters: { signed: { ">=": after } } })).hits.length;
    assert.deepEqual([await signed("2024-02"), await signed("2024-04")], [1, 0]);
  });

  test(`${entry} opens several knowledge bases at once`, { skip }, async () => {
    const module = await load(entry);
    const all = await Promise.all([filled(module), filled(module), filled(module)]);
    for (const kb of all) assert.equal((await kb.stats()).documents, 2);
  });

  test(`${entry} says in Node that nothing can be kept there`, { skip }, async () => {
    const { KnowledgeBase } = await load(entry);
    await assert.rejects(KnowledgeBase.open("kept"), { code: "storage_unavailable", message: /^Node has no storage for libraries \(.*KnowledgeBase\.memory/ });
    await assert.rejects(KnowledgeBase.list(), { code: "storage_unavailable" });
  });
}

test("Embedder.onnx runs in Node as well, and reports a missing file", { skip }, async () => {
  const { Embedder, KnowledgeBase } = await load("direct.js");
  const embedder = Embedder.onnx({ model: "nowhere/model.onnx", tokenizer: "nowhere/tokenizer.json", runtime: "nowhere/ort" });
  const kb = await KnowledgeBase.memory({ embedder });
  await assert.rejects(kb.loadEmbedder(), { code: "model_unavailable", retryable: true, message: /(tokenizer|model) could not be loaded from file:.*\/nowhere\/(tokenizer\.json|model\.onnx): ENOENT/ });
  await kb.close();
});

test("the lite build says where Embedder.onnx is available", { skip }, async () => {
  const { Embedder, KnowledgeBase } = await load("lite/direct.js");
  assert.throws(() => Embedder.onnx({}), { code: "unsupported", message: /"vademecum"/ });
  const description = { type: "onnx", workers: 1, threshold: 0.5, id: "m", files: { model: "m", tokenizer: "t", runtime: "r", options: {} } };
  await assert.rejects(KnowledgeBase.memory({ embedder: description }), { code: "unsupported" });
});

test("the lite build says where kb.vectors is available", { skip }, async () => {
  const lite = await filled(await load("lite/direct.js"));
  await assert.rejects(lite.vectors(), { code: "unsupported", message: /"?vademecum"?/ });
  const full = await filled(await load("direct.js"));
  assert.deepEqual(await full.vectors(), { total: 0, dimensions: 0, chunks: [], values: new Float32Array(0) });
});

test("a wasm module that is not served is reported by name, loses nothing, and is requested again", { skip }, async () => {
  const copy = await mkdtemp(join(tmpdir(), "vademecum-"));
  try {
    await cp(FOLDER, copy, { recursive: true });
    const reader = join(copy, "vademecum-html_bg.wasm");
    await rename(reader, `${reader}.away`);
    const kb = await filled(await import(pathToFileURL(join(copy, "lite/direct.js")).href));
    const page = { id: "page.html", text: "<title>Lifetimes</title><nav>Menu</nav><p>A borrow must not outlive its owner.</p>" };
    await assert.rejects(kb.add([page]), { code: "module_unavailable", retryable: true, message: /vademecum-html_bg\.wasm/ });
    assert.equal((await kb.stats()).documents, DOCUMENTS.length);
    await rename(`${reader}.away`, reader);
    await kb.add([page]);
    const { hits } = await kb.search("outlive", { mode: "keyword" });
    assert.equal(hits[0].text, "A borrow must not outlive its owner.");
    assert.equal(hits[0].title, "Lifetimes");
  } finally {
    await rm(copy, { recursive: true });
  }
});

test("HTML that waits for its reader is unaffected by later changes to its bytes", { skip }, async () => {
  const kb = await filled(await load("direct.js"));
  const bytes = new TextEncoder().encode("<p>Slices borrow.</p>");
  const adding = kb.add([{ id: "page.htm", bytes }]);
  bytes.fill(32);
  await adding;
  assert.equal((await kb.document("default", "page.htm")).text, "Slices borrow.");
});

test("the raw module starts in Node", { skip }, async () => {
  const { default: init, KeywordIndex } = await load("wasm.js");
  await init();
  const index = new KeywordIndex("en");
  index.add(["one owner", "a trait"]);
  assert.equal(index.search("owners", 1).ids[0], 0);
});

test("the full build exports everything that the lite build does", { skip }, async () => {
  for (const entry of ["index.js", "direct.js"]) {
    assert.deepEqual(Object.keys(await load(`lite/${entry}`)), Object.keys(await load(entry)));
  }
});
