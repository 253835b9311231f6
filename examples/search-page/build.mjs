// Builds the library that the page beside it searches, from a folder of Markdown: once, before the site is published.
// Run: npm install ../../target/package/vademecum-0.1.0.tgz      (made by `cargo xtask package`)
//      node build.mjs ../notes

import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { KnowledgeBase } from "vademecum/direct";

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("usage: node build.mjs FOLDER");

const kb = await KnowledgeBase.memory();
const names = (await readdir(folder)).filter((name) => name.endsWith(".md"));
const { documents } = await kb.add(await Promise.all(names.map(async (id) => ({ id, bytes: new Uint8Array(await readFile(path.join(folder, id))) }))));
await writeFile("notes.library", await kb.export());
await kb.close();
console.log(`${documents} documents are in notes.library`);
