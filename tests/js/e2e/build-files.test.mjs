// Libraries that are built of files in Node, by `vademecum/build`: with the real readers, the real model, and beside the program.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";

const SITE = new URL("../../../target/site/", import.meta.url);
const PROGRAM = process.env.VADEMECUM_PROGRAM;
const { build } = await import(new URL("vademecum/files/index.js", SITE).href);
const { Embedder, KnowledgeBase } = await import(new URL("vademecum/direct.js", SITE).href);
const { Readers } = await import(new URL("vademecum/files/readers.js", SITE).href);
const { filesModule } = await import(new URL("vademecum/files/module.js", SITE).href);

const at = (name) => new URL(name, SITE).href;
const onnx = () => Embedder.onnx({ model: at("models/all-minilm-l6-v2/model.onnx"), tokenizer: at("models/all-minilm-l6-v2/tokenizer.json") });
const folders = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const NOTES = {
  "owls.md": "---\ntags: [birds]\nneverSend: true\n---\n\n# Owls\n\nOwls fly without a sound.",
  "deep/bread.txt": "Dough rises overnight.",
  "rows.csv": "name,year\nAda,1815\nAlan,1912\n",
  "page.html": "<title>Ferries</title><h1>Ferries</h1><p>The last ferry leaves at nine.</p>",
  ".gitignore": "private.md\n",
  "private.md": "Not for readers.",
  "picture.png": "no text",
};

/** Writes files with old times, so that their stamps can be trusted, into a new folder; returns what builds a library of it. */
async function folderOf(files) {
  const root = await mkdtemp(path.join(tmpdir(), "vademecum-"));
  folders.push(root);
  const notes = path.join(root, "notes");
  await mkdir(notes);
  const out = path.join(root, "notes.library");
  const write = async (more) => {
    for (const [name, text] of Object.entries(more)) {
      const file = path.join(notes, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
      await utimes(file, 1_700_000_000, 1_700_000_000 + text.length);
    }
  };
  await write(files);
  return { root, notes, out, write, built: (options) => build({ paths: [notes], out, ...options }) };
}

async function opened(out, options) {
  const kb = await KnowledgeBase.memory(options);
  await kb.import(new Uint8Array(await readFile(out)));
  return kb;
}

test("a folder becomes a library with vectors, and a second build reads only what has changed", { timeout: 120_000 }, async () => {
  const { notes, out, write, built } = await folderOf(NOTES);
  const told = [];
  const first = await built({ embedder: onnx(), url: "https://x.example/docs/", description: "Notes", onProgress: (progress) => told.push(progress) });
  assert.deepEqual(first.files, { added: 4, changed: 0, unchanged: 0, removed: 0 });
  assert.deepEqual([first.documents, first.vectors, first.skipped], [5, first.chunks, { png: 1 }]);
  assert.equal(told.at(-1).read, told.at(-1).total);
  const kb = await opened(out, { embedder: onnx() });
  assert.equal((await kb.stats()).pending, 0);
  const { hits } = await kb.search("a silent bird", { mode: "vector", limit: 1 });
  assert.deepEqual([hits[0].docId, hits[0].url, hits[0].metadata.tags, hits[0].metadata.neverSend], ["owls.md", "https://x.example/docs/owls.md", ["birds"], true]);
  assert.equal((await kb.documents({ filters: { year: { ">": 1900 } } })).total, 1);
  await kb.close();

  const before = await readFile(out);
  assert.deepEqual((await built({ embedder: onnx(), url: "https://x.example/docs/", description: "Notes" })).files, { added: 0, changed: 0, unchanged: 4, removed: 0 });
  assert.deepEqual(await readFile(out), before, "nothing was written");

  await write({ "owls.md": "# Owls\n\nOwls hunt at night.", "new.md": "# New\n\nA new note." });
  await rm(path.join(notes, "deep"), { recursive: true });
  const third = await built({ embedder: onnx(), url: "https://x.example/docs/" });
  assert.deepEqual(third.files, { added: 1, changed: 1, unchanged: 2, removed: 1 });
  assert.equal(third.vectors, third.chunks);
  const now = await opened(out);
  assert.equal((await now.search("dough", { mode: "keyword" })).hits.length, 0);
  assert.equal((await now.search("night", { mode: "keyword" })).hits[0].docId, "owls.md");
  await now.close();
});

test("the program and the package build the same library, and each goes on from the other's record", { skip: PROGRAM ? false : "the program is not built", timeout: 120_000 }, async () => {
  const { root, notes, out, built } = await folderOf(NOTES);
  const run = promisify(execFile);
  const byProgram = path.join(root, "program.library");
  const program = async (file) => JSON.parse((await run(/** @type {string} */ (PROGRAM), ["build", notes, "--out", file, "--json"])).stdout);
  await program(byProgram);
  await built();
  const prints = [];
  for (const file of [byProgram, out]) {
    const kb = await opened(file);
    prints.push(await kb.fingerprint());
    await kb.close();
  }
  assert.equal(prints[0], prints[1]);
  const nothingRead = { added: 0, changed: 0, unchanged: 4, removed: 0 };
  assert.deepEqual((await program(out)).files, nothingRead);
  assert.deepEqual((await build({ paths: [notes], out: byProgram })).files, nothingRead);
  const entries = async (file) => JSON.parse(await readFile(`${file}.files`, "utf8")).files;
  assert.deepEqual(await entries(out), await entries(byProgram));
});

test("files that cannot be added are listed with a code, and all others are added", async () => {
  const { notes, built } = await folderOf({ "good.md": "# Good\n\nText.", "broken.docx": "no archive", "scan.pdf": "%PDF-1.4 no", "empty.md": "  ", "secret.md": "x" });
  await symlink(notes, path.join(notes, "loop"));
  await symlink(path.join(notes, "nowhere"), path.join(notes, "gone.md"));
  await chmod(path.join(notes, "secret.md"), 0);
  const { files, notAdded } = await built();
  const isRoot = process.getuid?.() === 0; // may read everything
  assert.equal(files.added, isRoot ? 2 : 1);
  const codes = Object.fromEntries(notAdded.map(({ file, code }) => [file, code]));
  const expected = { "broken.docx": "file_damaged", "scan.pdf": "file_damaged", "empty.md": "file_without_text", loop: "file_loop", "gone.md": "file_unreadable" };
  assert.deepEqual(codes, isRoot ? expected : { ...expected, "secret.md": "file_unreadable" });
});

test("a document that the engine refuses does not keep out the others of its batch", async () => {
  const { built } = await folderOf({ "good.md": "# Good\n\nText.", "own.jsonl": JSON.stringify({ id: "a", text: "One.", metadata: { vademecumSummary: 1 } }) });
  const { files, notAdded, documents } = await built();
  assert.deepEqual([files.added, documents], [1, 1]);
  assert.deepEqual(notAdded.map(({ file, code }) => [file, code]), [["own.jsonl", "document_refused"]]);
  assert.match(notAdded[0].message, /summary/);
});

test("a folder that has lost all of its files keeps its documents, unless that is allowed", async () => {
  const { notes, out, built } = await folderOf({ "a.md": "# A\n\nText.", "b.md": "# B\n\nText." });
  await built();
  await rename(path.join(notes, "a.md"), `${notes}-a`);
  await rm(path.join(notes, "b.md"));
  await assert.rejects(built(), { code: "folder_empty" });
  assert.equal((await (await opened(out)).stats()).documents, 2);
  assert.deepEqual((await built({ allowEmpty: true })).files.removed, 2);
});

test("a build that is aborted leaves a library from which the next one goes on", { timeout: 120_000 }, async () => {
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`${n}.md`, `# Note ${n}\n\nNumber ${n} of many.`]));
  const { out, built } = await folderOf(many);
  const stop = new AbortController();
  const onProgress = ({ files }) => files >= 256 && stop.abort();
  await assert.rejects(built({ signal: stop.signal, onProgress }), { code: "aborted" });
  const half = await opened(out);
  const { documents } = await half.stats();
  assert.ok(documents >= 256 && documents < 600, `${documents}`);
  await half.close();
  const { files } = await built();
  assert.deepEqual([files.added, files.unchanged], [600 - documents, documents]);
});

test("documents move to the collection that the next build names", async () => {
  const { out, built } = await folderOf({ "a.md": "# A\n\nText." });
  await built();
  await built({ collection: "manual" });
  const kb = await opened(out);
  const counts = Object.fromEntries((await kb.stats()).collections.map(({ name, documents }) => [name, documents]));
  assert.deepEqual(counts, { default: 0, manual: 1 });
  await kb.close();
});

test("two builds of one library at once are refused, and a lock of a process that has ended is not", async () => {
  const { out, built } = await folderOf({ "a.md": "# A\n\nText." });
  const [first, second] = await Promise.allSettled([built(), built()]);
  assert.equal(first.status, "fulfilled");
  assert.equal(second.status === "rejected" && second.reason.code, "library_in_use");
  await writeFile(`${out}.lock`, "999999999");
  assert.equal((await built()).files.unchanged + (await built()).files.unchanged, 2);
});

test("options that mean nothing are refused before anything is read", async () => {
  const { notes, out } = await folderOf({ "a.md": "x" });
  await assert.rejects(build({ paths: [path.join(notes, "none")], out }), { code: "invalid_argument", message: /build\.paths\[0\]/ });
  await assert.rejects(build({ paths: [notes], out: path.join(notes, "no", "x.library") }), { code: "invalid_argument", message: /build\.out/ });
  await assert.rejects(build({ paths: [notes], out, chunkToken: 4 }), { code: "invalid_argument", message: /Did you mean `chunkTokens`/ });
  await assert.rejects(build(/** @type {any} */ ({ out })), { code: "invalid_argument" });
});

test("a file whose reader never ends is refused, and the next one is read by a new thread", async () => {
  const readers = new Readers(await filesModule(), 1);
  const bytes = new TextEncoder().encode("# A\n\nText.");
  assert.equal((await readers.read({ id: "a.md", kind: "markdown" }, bytes)).refusal.code, "file_unfinished");
  await readers.close();
  const patient = new Readers(await filesModule());
  assert.equal((await patient.read({ id: "a.md", kind: "no kind" }, bytes)).refusal.code, "file_damaged", "its reader crashed");
  assert.equal((await patient.read({ id: "a.md", kind: "markdown" }, bytes)).documents[0].id, "a.md");
  await patient.close();
});

test("a build that cannot open the library, or is made anew and aborted, leaves the library as it was", { timeout: 120_000 }, async () => {
  const { notes, out, write, built } = await folderOf({ "a.md": "# A\n\nText.", "b.md": "# B\n\nMore text." });
  const words = (id) => Embedder.custom(async (texts) => texts.map((text) => [1, text.length]), { id });
  await built({ embedder: words("one") });
  const before = await readFile(out);
  await write({ "a.md": "# A\n\nAnother text." });
  await assert.rejects(built({ embedder: words("two") }), { code: "embedder_mismatch" });
  assert.deepEqual(await readFile(out), before);
  const stop = new AbortController();
  stop.abort();
  await assert.rejects(built({ embedder: words("two"), fresh: true, signal: stop.signal }), { code: "aborted" });
  assert.deepEqual(await readFile(out), before);
  await assert.rejects(build({ paths: [`${notes}-none`], out }), { code: "invalid_argument" });
  assert.deepEqual((await built({ embedder: words("one") })).files, { added: 0, changed: 1, unchanged: 1, removed: 0 });
});

test("rows that an aborted build has removed are there again after the next one", async () => {
  const { out, write, built } = await folderOf({ "rows.csv": "name,year\nAda,1815\nAlan,1912\n" });
  await built();
  await write({ "rows.csv": "name,year\nAda,1815\n" });
  const stop = new AbortController();
  const slow = Embedder.custom(async (texts) => {
    stop.abort();
    return texts.map(() => [1, 0]);
  });
  await assert.rejects(built({ embedder: slow, signal: stop.signal }), { code: "aborted" });
  await write({ "rows.csv": "name,year\nAda,1815\nAlan,1912\n" });
  await built();
  const kb = await opened(out);
  assert.equal((await kb.documents({ filters: { name: "Alan" } })).total, 1);
  await kb.close();
});
