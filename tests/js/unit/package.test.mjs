// The built package, in Node: what `cargo xtask package` put together, where that was run.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";

const FOLDER = new URL("../../../target/package/vademecum/", import.meta.url);
const skip = existsSync(new URL("package.json", FOLDER)) ? false : "there is no built package: `cargo xtask package` makes one";

const load = (file) => import(new URL(file, FOLDER));
const opened = [];
after(() => Promise.all(opened.map((kb) => kb.close())));

const DOCUMENTS = [
  { id: "ownership", text: "# Ownership\n\nEach value has one owner. When the owner goes away, so does the value." },
  { id: "traits", text: "# Traits\n\nA trait names behaviour that types share." },
];

/** Vectors by which words of the documents occur. */
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

  test(`${entry} opens several knowledge bases at once`, { skip }, async () => {
    const module = await load(entry);
    const all = await Promise.all([filled(module), filled(module), filled(module)]);
    for (const kb of all) assert.equal((await kb.stats()).documents, 2);
  });

  test(`${entry} says in Node that nothing can be kept there`, { skip }, async () => {
    const { KnowledgeBase } = await load(entry);
    await assert.rejects(KnowledgeBase.open("kept"), { code: "storage_unavailable", message: /KnowledgeBase\.memory/ });
    await assert.rejects(KnowledgeBase.list(), { code: "storage_unavailable" });
  });
}

test("Embedder.onnx says in Node what to do instead", { skip }, async () => {
  const { Embedder } = await load("direct.js");
  const files = { model: "https://example.test/model.onnx", tokenizer: "https://example.test/tokenizer.json" };
  assert.throws(() => Embedder.onnx(files), { code: "unsupported", message: /Embedder\.custom/ });
  assert.throws(() => Embedder.onnx({ model: "/model.onnx", tokenizer: "/tokenizer.json" }), { code: "unsupported" });
});

test("the lite build says where Embedder.onnx is", { skip }, async () => {
  const { Embedder, KnowledgeBase } = await load("lite/direct.js");
  assert.throws(() => Embedder.onnx({}), { code: "unsupported", message: /"vademecum"/ });
  const description = { type: "onnx", workers: 1, threshold: 0.5, id: "m", files: { model: "m", tokenizer: "t", runtime: "r", options: {} } };
  await assert.rejects(KnowledgeBase.memory({ embedder: description }), { code: "unsupported" });
});

test("a wasm module that is not served is told by name, loses nothing, and is asked for again", { skip }, async () => {
  const copy = await mkdtemp(join(tmpdir(), "vademecum-"));
  try {
    await cp(FOLDER, copy, { recursive: true });
    const reader = join(copy, "vademecum-html_bg.wasm");
    await rename(reader, `${reader}.away`);
    const kb = await filled(await import(pathToFileURL(join(copy, "lite/direct.js"))));
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

test("HTML that waits for its reader is what was given, whatever becomes of its bytes meanwhile", { skip }, async () => {
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

test("what the lite build exports, the full one does", { skip }, async () => {
  for (const entry of ["index.js", "direct.js"]) {
    assert.deepEqual(Object.keys(await load(`lite/${entry}`)), Object.keys(await load(entry)));
  }
});
