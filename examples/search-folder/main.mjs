// Searches the Markdown files of a folder from Node, and prints passages with the file and the place that they are from.
// Run: npm install ../../target/package/vademecum-0.1.0.tgz      (made by `cargo xtask package`)
//      node main.mjs ../notes "unused leave"

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { KnowledgeBase } from "vademecum/direct";

const [folder, query] = process.argv.slice(2);
if (!folder || !query) throw new Error('usage: node main.mjs FOLDER "words to look for"');

const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".md"));
const documents = await Promise.all(names.map(async (id) => ({ id, bytes: new Uint8Array(await readFile(path.join(folder, id))) })));

const kb = await KnowledgeBase.memory();
await kb.add(documents);
const { hits } = await kb.search(query, { limit: 5 });
for (const { docId, headings, span, text } of hits) {
  console.log(`${[docId, ...headings].join(" › ")} (characters ${span.start} to ${span.end})`);
  console.log(`  ${text.replace(/\s+/g, " ")}`);
}
if (hits.length === 0) console.log("Nothing was found.");
await kb.close();
