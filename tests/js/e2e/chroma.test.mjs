// The real server of Chroma: filled by the program `vademecum push`, and searched from a page in Chromium with the real model.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { program, skipped, startChroma, startSlow } from "../support/chroma.mjs";
import { ORIGIN, startDemo } from "../support/demo.mjs";

const SITE = new URL("../../../target/site/", import.meta.url);
const skip = skipped || (process.env.VADEMECUM_PROGRAM ? false : "the program is not built: `cargo xtask test e2e` builds it");
const model = fileURLToPath(new URL("models/all-minilm-l6-v2", SITE));

const FILES = {
  "owls.md": "---\nyear: 2019\ntags: [bird, night]\nauthor: {name: Ada}\n---\n# Owls\n\nOwls fly without a sound.",
  "bread.md": "---\nyear: 2021\ntags: [kitchen]\n---\n# Bread\n\nDough rises overnight because of the yeast.",
  "tides.md": "---\nyear: 2023\n---\n# Tides\n\nThe moon pulls the sea twice a day.\n\n## Harbours\n\nShips wait for high water.",
  "leave.md": "---\nyear: 2022\n---\n# Leave\n\nUnused days of leave expire at the end of March.",
  "secret.md": "---\nneverSend: true\n---\n# Merger\n\nThe merger is announced in May.",
};

const QUESTIONS = ["a silent bird", "why does dough grow?", "holidays that were not taken", "when do ships enter the port?"];

describe("a library pushed to Chroma", { skip, timeout: 300_000 }, () => {
  let chroma, slow, folder, library, demo, pushed;
  before(async () => {
    chroma = await startChroma();
    slow = await startSlow(chroma.url);
    folder = await mkdtemp(path.join(tmpdir(), "vademecum-push-"));
    await mkdir(path.join(folder, "notes"));
    for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(folder, "notes", name), text);
    library = path.join(folder, "notes.library");
    await program("build", path.join(folder, "notes"), "--out", library, "--model", model);
    pushed = await program("push", library, "--chroma", chroma.url);
    demo = await startDemo({ policy: false, routes: { "chroma.test": chroma.url, "slow.test": slow.url } });
    await demo.page.context().route(`${ORIGIN}/guide/`, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Guide</title>" }));
    await demo.page.goto(`${ORIGIN}/guide/`);
    const bytes = [...(await readFile(library))];
    await demo.page.evaluate(async (bytes) => {
      const { Agent, Embedder, KnowledgeBase, Searcher } = await import(/** @type {any} */ ("/vademecum/index.js"));
      const models = "/models/all-minilm-l6-v2/";
      const embedder = () => Embedder.onnx({ model: `${models}model.onnx`, tokenizer: `${models}tokenizer.json` });
      const local = await KnowledgeBase.memory({ embedder: embedder() });
      await local.loadEmbedder();
      await local.import(new Uint8Array(bytes));
      const kb = await KnowledgeBase.memory({ embedder: embedder() });
      await kb.loadEmbedder();
      const at = (url, options) => Searcher.chroma({ url, collection: "notes", ...options });
      await kb.attach("notes", at("http://chroma.test"));
      Object.assign(globalThis, { Agent, KnowledgeBase, local, kb, at });
    }, bytes);
  });
  after(async () => {
    await demo?.close();
    slow?.close();
    await chroma?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test("is sent once, then what changed, and documents that must stay stay", async () => {
    assert.deepEqual([pushed.sent, pushed.neverSent, pushed.dimensions, pushed.indirect], [5, 1, 384, ["author"]]);
    const again = await program("push", library, "--chroma", chroma.url);
    assert.deepEqual([again.sent, again.unchanged, again.deleted], [0, 5, 0]);
    const rows = await (await fetch(`${chroma.url}/api/v2/tenants/default_tenant/databases/default_database/collections/notes`)).json();
    assert.equal(rows.metadata["vademecum:embedder"], "all-minilm-l6-v2/model.onnx");
  });

  test("is found by vector as in the library itself", async () => {
    for (const question of QUESTIONS) {
      const [near, far] = await demo.page.evaluate(async (question) => {
        const { local, kb } = /** @type {any} */ (globalThis);
        const options = { mode: "vector", limit: 6, threshold: -1, filters: { neverSend: { exists: false } } };
        const near = await local.search(question, options);
        const far = await kb.search(question, { mode: "vector", limit: 6, threshold: -1 });
        const told = ({ hits }) => hits.map(({ docId, text, title, headings, metadata, score }) => ({ docId, text, title, headings, metadata, score }));
        return [told(near), told(far)];
      }, question);
      assert.equal(far.length, 5);
      assert.deepEqual(far.map(({ score: _, ...hit }) => hit), near.map(({ score: _, ...hit }) => hit), question);
      far.forEach(({ score }, at) => assert.ok(Math.abs(score - near[at].score) < 1e-3, `${score} and ${near[at].score}`));
    }
  });

  test("is searched by the engine's worker once it has answered the page, and by the page where a veto has to agree", async () => {
    const [own, vetoed] = await demo.page.evaluate(async () => {
      const { kb, at } = /** @type {any} */ (globalThis);
      const byPage = async (name) => {
        performance.clearResourceTimings();
        const { hits, sources } = await kb.search("ships", { mode: "vector", collections: [name] });
        const queries = performance.getEntriesByType("resource").filter((one) => one.name.endsWith("/query"));
        return [hits[0].docId, sources[0].error ?? null, queries.length];
      };
      await kb.attach("guarded", at("http://chroma.test"), { onBeforeSend: (payload) => payload });
      const own = [await byPage("notes"), await byPage("notes")];
      const vetoed = [await byPage("guarded"), await byPage("guarded")];
      await kb.detach("guarded");
      return [own, vetoed];
    });
    assert.deepEqual(own, [["tides.md", null, 0], ["tides.md", null, 0]], "a test before has searched it");
    assert.deepEqual(vetoed, [["tides.md", null, 1], ["tides.md", null, 1]]);
  });

  test("is filtered by conditions that Chroma knows, and by others on the device", async () => {
    const of = (filters) => demo.page.evaluate(async (filters) => {
      const { hits } = await /** @type {any} */ (globalThis).kb.search("notes", { mode: "vector", limit: 10, filters });
      return [...new Set(hits.map(({ docId }) => docId))].sort();
    }, filters);
    for (const [filters, expected] of [
      [{ year: 2021 }, ["bread.md"]],
      [{ year: { ">": 2021 } }, ["leave.md", "tides.md"]],
      [{ year: { between: [2019, 2021] } }, ["bread.md", "owls.md"]],
      [{ year: { "!=": 2023 } }, ["bread.md", "leave.md", "owls.md"]],
      [{ year: [2019, 2022] }, ["leave.md", "owls.md"]],
      [{ year: { not_in: [2019, 2022] } }, ["bread.md", "tides.md"]],
      [{ year: { not: { ">": 2021 } } }, ["bread.md", "owls.md"]],
      [{ tags: "night" }, ["owls.md"]],
      [{ tags: { contains: "KITCHEN" } }, ["bread.md"]],
      [{ tags: { exists: false } }, ["leave.md", "tides.md"]],
      [{ tags: { "!=": "night" } }, ["bread.md", "leave.md", "tides.md"]],
      [{ "author.name": { like: "A%" } }, ["owls.md"]],
      [{ or: [{ tags: "bird" }, { year: { "<": 2020 } }] }, ["owls.md"]],
      [{ or: [] }, []],
      [{ not: { or: [{ year: 2019 }, { tags: "kitchen" }] } }, ["leave.md", "tides.md"]],
    ]) {
      assert.deepEqual(await of(filters), expected, JSON.stringify(filters));
    }
    const documents = await demo.page.evaluate(async () => (await /** @type {any} */ (globalThis).kb.search("notes", { mode: "vector", documents: ["tides.md"] })).hits.map(({ docId }) => docId));
    assert.deepEqual(documents, ["tides.md", "tides.md"]);
  });

  test("gives whole documents, in order", async () => {
    const document = await demo.page.evaluate(() => /** @type {any} */ (globalThis).kb.document("notes", "tides.md"));
    assert.equal(document.title, "Tides");
    assert.deepEqual(document.chunks.map(({ headings }) => headings.at(-1)), ["Tides", "Harbours"]);
    assert.match(document.text, /The moon pulls[^]*Ships wait/);
  });

  test("is searched by the agent, whose ledger tells the vector, and by a step of its own", async () => {
    const [federated, own] = await demo.page.evaluate(async () => {
      const { Agent, kb, at } = /** @type {any} */ (globalThis);
      const agent = new Agent(kb);
      const question = "When does unused leave expire?";
      const one = await agent.pipeline(question).search({ collection: "notes" }).answer().run().result;
      const other = await agent.pipeline(question).search({ searcher: at("http://chroma.test"), collection: "mine" }).answer().run().result;
      return [one, other].map(({ answer, ledger, error }) => ({ answer, error, search: ledger[0]?.search }));
    });
    for (const { answer, error, search } of [federated, own]) {
      assert.equal(error, null, JSON.stringify(error));
      assert.match(answer, /end of March/);
      assert.deepEqual([search.query, search.dimensions, search.url], [null, 384, "http://chroma.test"]);
    }
  });

  test("is told to be slow, and the library answers in time", async () => {
    slow.delay.ms = 1500;
    const [report, took] = await demo.page.evaluate(async () => {
      const { kb, at } = /** @type {any} */ (globalThis);
      await kb.add([{ id: "here.md", text: "This note is kept here." }]);
      await kb.attach("slow", at("http://slow.test"), { deadlineMs: 200 });
      const began = performance.now();
      const { hits, sources } = await kb.search("a note", { mode: "vector", collections: ["default", "slow"] });
      await kb.detach("slow");
      return [{ first: hits[0].docId, source: sources[0] }, performance.now() - began];
    });
    assert.deepEqual([report.first, report.source.error.code], ["here.md", "remote_timeout"]);
    assert.ok(took < 1400, `${took} ms`);
  });

  test("is reported while the server is down, and found again once it runs", async () => {
    const search = (question) => demo.page.evaluate(async (question) => {
      const { hits, sources } = await /** @type {any} */ (globalThis).kb.search(question, { mode: "vector", limit: 3 });
      return [hits.map(({ docId }) => docId), sources[0].error?.code ?? null];
    }, question);
    await chroma.stop();
    const [, code] = await search("a silent bird");
    assert.ok(["remote_unavailable", "remote_timeout"].includes(code), code);
    await chroma.start();
    assert.deepEqual(await search("a silent bird").then(([hits, code]) => [hits[0], code]), ["owls.md", null]);
  });

  test("survives a restart of the server in the middle of a run", async () => {
    const run = demo.page.evaluate(async () => {
      const { Agent, kb, at } = /** @type {any} */ (globalThis);
      const patient = at("http://slow.test", { retries: 8 });
      const searcher = { search: (...given) => patient.search(...given) };
      Object.assign(searcher, Object.fromEntries(Object.getOwnPropertySymbols(patient).map((name) => [name, patient[name]])), { leaves: patient.leaves });
      const run = new Agent(kb).pipeline("When does unused leave expire?").search({ searcher, collection: "mine" }).answer().run();
      const { answer, error } = await run.result;
      return { answer, error };
    });
    slow.delay.ms = 300;
    await new Promise((resolve) => setTimeout(resolve, 100));
    await chroma.stop();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await chroma.start();
    const { answer, error } = await run;
    assert.equal(error, null, JSON.stringify(error));
    assert.match(answer, /end of March/);
  });

  test("is told apart from what is not there, and from vectors of another model", async () => {
    const codes = await demo.page.evaluate(async () => {
      const { KnowledgeBase, kb, at } = /** @type {any} */ (globalThis);
      const { Embedder } = await import(/** @type {any} */ ("/vademecum/index.js"));
      const code = (promise) => promise.then(() => null, (error) => [error.code, error.message]);
      await kb.attach("none", at("http://chroma.test", { collection: "nnotes" }));
      const unknown = await code(kb.search("a", { mode: "vector", collections: ["none"] }));
      await kb.detach("none");
      const short = await KnowledgeBase.memory({ embedder: Embedder.custom(async (texts) => texts.map(() => [1, 2, 3]), { id: "three" }) });
      await short.attach("notes", at("http://chroma.test"));
      const dimensions = await code(short.search("a", { mode: "vector", collections: ["notes"] }));
      await short.close();
      return { unknown, dimensions };
    });
    assert.equal(codes.unknown[0], "remote_collection");
    assert.match(codes.unknown[1], /there are: notes/);
    assert.equal(codes.dimensions[0], "remote_dimensions");
    assert.match(codes.dimensions[1], /384 dimensions, and the question's has 3/);
  });

  test("is brought up to date: changed passages are sent, and those that are gone deleted", async () => {
    await writeFile(path.join(folder, "notes", "bread.md"), "# Bread\n\nSourdough needs no yeast from a shop.");
    await rm(path.join(folder, "notes", "owls.md"));
    await program("build", path.join(folder, "notes"), "--out", library, "--model", model);
    const report = await program("push", library, "--chroma", chroma.url);
    assert.deepEqual([report.sent, report.unchanged, report.deleted], [1, 3, 1]);
    const found = await demo.page.evaluate(async () => (await /** @type {any} */ (globalThis).kb.search("bread from the shop", { mode: "vector", limit: 1, collections: ["notes"] })).hits[0]);
    assert.match(found.text, /Sourdough/);
    assert.deepEqual(found.metadata, { type: "markdown" }, "fields that the document has no more are gone");
  });

  test("refuses a library of another embedder, and a collection of something else", async () => {
    const other = path.join(folder, "other.library");
    await program("build", path.join(folder, "notes"), "--out", other, "--model", model, "--model-id", "another");
    const refused = await program("push", other, "--chroma", chroma.url, "--collection", "notes");
    assert.equal(refused.error.code, "embedder_mismatch");
    const base = `${chroma.url}/api/v2/tenants/default_tenant/databases/default_database/collections`;
    const post = (address, body) => fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }).then((answer) => answer.json());
    const { id } = await post(base, { name: "theirs" });
    await post(`${base}/${id}/upsert`, { ids: ["a"], embeddings: [[1, 0]], documents: ["a"] });
    assert.equal((await program("push", library, "--chroma", chroma.url, "--collection", "theirs")).error.code, "invalid_argument");
    assert.equal((await program("push", library, "--chroma", "http://127.0.0.1:9")).error.code, "remote_unavailable");
    const words = path.join(folder, "words.library");
    await program("build", path.join(folder, "notes"), "--out", words, "--no-vectors");
    assert.equal((await program("push", words, "--chroma", chroma.url)).error.code, "no_embedder");
  });
});
