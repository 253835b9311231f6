// A library that the program `vademecum` has built, opened by the package in Node: with its vectors, which are those of the package's own encoder.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SITE = new URL("../../../target/site/", import.meta.url);
const PROGRAM = process.env.VADEMECUM_PROGRAM;
const { Embedder, KnowledgeBase } = await import(new URL("vademecum/direct.js", SITE).href);
const reference = JSON.parse(await readFile(new URL("../../data/minilm-reference.json", import.meta.url), "utf8"));

const at = (name) => new URL(name, SITE).href;
const onnx = () => Embedder.onnx({ model: at("models/all-minilm-l6-v2/model.onnx"), tokenizer: at("models/all-minilm-l6-v2/tokenizer.json") });
const skip = PROGRAM ? false : "the program is not built: `cargo xtask test e2e` builds it";
const cosine = (one, other) => one.reduce((sum, value, at) => sum + value * other[at], 0) / Math.hypot(...one) / Math.hypot(...other);

/** Builds a library of a folder with these files by the program. */
async function built(files) {
  const folder = await mkdtemp(path.join(tmpdir(), "vademecum-"));
  await mkdir(path.join(folder, "notes"));
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, "notes", name), text);
  const library = path.join(folder, "notes.library");
  const model = fileURLToPath(new URL("models/all-minilm-l6-v2", SITE));
  const report = JSON.parse(execFileSync(/** @type {string} */ (PROGRAM), ["build", path.join(folder, "notes"), "--out", library, "--model", model, "--json"], { encoding: "utf8" }));
  const bytes = await readFile(library);
  await rm(folder, { recursive: true });
  return { bytes, report };
}

test("a library of the program opens with its vectors, and nothing is embedded again", { skip, timeout: 120_000 }, async () => {
  const { bytes, report } = await built({ "owls.md": "# Owls\n\nOwls fly without a sound.", "bread.md": "# Bread\n\nDough rises overnight.", "rows.csv": "name,year\nAda,1815\nAlan,1912\n" });
  assert.equal(report.documents, 4);
  const kb = await KnowledgeBase.memory({ embedder: onnx() });
  await kb.loadEmbedder();
  assert.equal((await kb.import(new Uint8Array(bytes))).documents, 4);
  const stats = await kb.stats();
  assert.deepEqual([stats.chunks, stats.embedded, stats.pending], [report.chunks, report.chunks, 0]);
  const { hits } = await kb.search("a silent bird", { mode: "vector", limit: 1 });
  assert.equal(hits[0].docId, "owls.md");
  const { total } = await kb.documents({ filters: { year: { ">": 1900 } } });
  assert.equal(total, 1);
  await kb.close();
});

test("vectors of the reference sentences are those of the package", { skip, timeout: 120_000 }, async () => {
  const texts = reference.map(({ text }) => text).filter((text) => /\p{L}/u.test(text) && text.length < 300 && !text.includes("\n"));
  const lines = texts.map((text, at) => JSON.stringify({ id: `${at}`, title: "Sentence", text }));
  const { bytes } = await built({ "sentences.jsonl": `${lines.join("\n")}\n` });
  /** Vectors by the number of the sentence and of the passage. */
  const vectorsOf = async (kb) => {
    const { chunks, dimensions, values } = await kb.vectors();
    return new Map(chunks.map(({ chunkId }, at) => [chunkId.replace(/^.*[/#](?=\d+#)/, ""), values.subarray(at * dimensions, (at + 1) * dimensions)]));
  };
  const kb = await KnowledgeBase.memory();
  await kb.import(new Uint8Array(bytes));
  const theirs = await vectorsOf(kb);
  await kb.close();
  const own = await KnowledgeBase.memory({ embedder: onnx() });
  await own.loadEmbedder();
  await own.add(texts.map((text, at) => ({ id: `${at}`, title: "Sentence", text, format: "text" })));
  const ours = await vectorsOf(own);
  await own.close();
  assert.deepEqual([...theirs.keys()].sort(), [...ours.keys()].sort(), "passages are cut at the same places");
  for (const [key, vector] of ours) assert.ok(cosine(vector, theirs.get(key)) >= 0.999, `${key}: ${cosine(vector, theirs.get(key))}`);
});
