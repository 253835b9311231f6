// Small libraries in parts, written by the command-line program from libraries that the package makes in Node.

import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const PROGRAM = process.env.VADEMECUM_PROGRAM;
const { Embedder, KnowledgeBase } = await import(new URL("../../../target/site/vademecum/direct.js", import.meta.url).href);

/** Dimensions of `wordVectors`. */
const DIMENSIONS = 48;

/** Returns a vector per text that counts its words by a hash: texts with words in common are near each other. */
export async function wordVectors(texts) {
  return texts.map((text) => {
    const vector = new Array(DIMENSIONS).fill(0.01);
    for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
      let hash = 7;
      for (const letter of word.slice(0, 6)) hash = (hash * 31 + letter.charCodeAt(0)) % 100_003;
      vector[hash % DIMENSIONS] += 1;
    }
    return vector;
  });
}

const SUBJECTS = ["harbour", "library", "orchard", "railway", "museum", "quarry", "lighthouse", "market"];
const DEEDS = ["opens at dawn", "was rebuilt after the flood", "keeps its ledgers in the cellar", "pays every worker on Friday", "closes in the winter months"];

/** Returns `count` documents of several chunks each; `version` changes the last tenth of them. */
export const documents = (count, version = 1) =>
  Array.from({ length: count }, (_, at) => {
    const subject = SUBJECTS[at % SUBJECTS.length];
    const mark = at >= count * 0.9 ? ` Edition ${version}.` : "";
    const sections = DEEDS.map((deed, n) => `## Section ${n}\n\nThe ${subject} number ${at} ${DEEDS[(n + at) % DEEDS.length]}, and the ${SUBJECTS[(at + n) % SUBJECTS.length]} ${deed}.${mark}`);
    return { id: `doc-${at}.md`, text: `# The ${subject} of town ${at}\n\n${sections.join("\n\n")}\n`, metadata: { year: 2000 + (at % 25), subject } };
  });

/** Makes a knowledge base in memory of documents, with vectors of words. The caller closes it. */
export async function filled(docs, { id = "words" } = {}) {
  const kb = await KnowledgeBase.memory({ embedder: Embedder.custom(wordVectors, { id }), chunkTokens: 64 });
  await kb.add(docs);
  return kb;
}

/** Publishes a knowledge base in parts; returns the files by their paths below the manifest, and the folder, for the next version of the library. */
export async function published(kb, folder = undefined) {
  if (!PROGRAM) throw new Error("VADEMECUM_PROGRAM is not set: run `cargo xtask test e2e`");
  const work = folder ?? (await mkdtemp(path.join(tmpdir(), "vademecum-parts-")));
  const file = path.join(work, "made.library");
  await writeFile(file, await kb.export());
  await run(PROGRAM, ["publish", file, path.join(work, "site")], { timeout: 120_000 });
  const names = await readdir(path.join(work, "site"), { recursive: true });
  const files = {};
  for (const name of names.filter((name) => /\.(json|bin)$/.test(name))) files[`/${name.replaceAll(path.sep, "/")}`] = await readFile(path.join(work, "site", name));
  return { files, folder: work, remove: () => rm(work, { recursive: true, force: true }) };
}
