// Writes the sample as a library with its vectors: `node sample.mjs SITE SAMPLE.json TO.library`, using the package in SITE.

import { readFile, rename, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [folder, from, to] = process.argv.slice(2);
const site = pathToFileURL(`${folder}/`);
const at = (name) => new URL(name, site).href;
const { Embedder, KnowledgeBase } = await import(at("vademecum/direct.js"));

const { title, authors, license, documents } = JSON.parse(await readFile(from, "utf8"));
// The page's own embedder, because a library records which one made its vectors.
const model = (name) => at(`models/all-minilm-l6-v2/${name}`);
const embedder = Embedder.onnx({ model: model("model.onnx"), tokenizer: model("tokenizer.json"), runtime: at("vademecum/ort/"), pooling: "mean" });
const kb = await KnowledgeBase.memory({ embedder });
await kb.collection("rust-book", { description: `${title}, by ${authors} (${license})` });
await kb.add("rust-book", documents);
const { pending } = await kb.stats();
if (pending > 0) throw new Error(`${pending} passages have no vector`);
await writeFile(`${to}.new`, await kb.export());
await rename(`${to}.new`, to);
await kb.close();
