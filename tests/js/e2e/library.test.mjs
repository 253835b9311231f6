// Stored libraries, with the real engine in its worker and the browser's storage.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";

let demo;
before(async () => {
  demo = await startDemo();
  await demo.page.goto(`${ORIGIN}/icon.svg`);
});
after(() => demo.close());

/** Runs a function on a page of the package's origin; `api` is the package, `toy` opens a knowledge base with a toy encoder. */
function inPage(page, code, argument) {
  return page.evaluate(
    async ([source, argument]) => {
      const api = await import("/vademecum/index.js");
      const embedded = (globalThis.embedded ??= []);
      const dimensions = ["ownership", "borrow", "panic", "hash", "string", "vector", "contract", "invoice"];
      const embed = async (texts, { kind }) => {
        if (kind === "document") embedded.push(...texts);
        return texts.map((text) => dimensions.map((word, at) => text.toLowerCase().split(word).length - 1 + 0.01 * (at + 1)));
      };
      const open = (name, options = {}) => api.KnowledgeBase.open(name, { embedder: api.Embedder.custom(embed, { id: "toy" }), ...options });
      const toy = { open, embedded, embed };
      const refused = async (work) => {
        try {
          await work();
          return "nothing was refused";
        } catch (error) {
          return { code: error.code, message: error.message };
        }
      };
      return (0, eval)(`(${source})`)(api, toy, argument, refused);
    },
    [code.toString(), argument],
  );
}

const DOCUMENTS = [
  { id: "a.md", title: "Ownership", text: "# Ownership\n\nEvery value has one owner. See [borrowing](b.md).", metadata: { year: 2021, tags: ["memory"] } },
  { id: "b.md", title: "Borrowing", text: "# Borrowing\n\nA borrow is a reference.", metadata: { year: 2022, tags: ["memory", "refs"] } },
  { id: "c.md", title: "Panic", text: "# Panic\n\nA panic unwinds the stack.", metadata: { year: 2023 } },
];

for (const storage of ["opfs", "indexeddb"]) {
  test(`a library in ${storage} is there again after the page was reloaded, and costs no embedding`, async () => {
    const saved = await inPage(
      demo.page,
      async (_, toy, { documents, storage }) => {
        const kb = await toy.open(`reload-${storage}`, { storage });
        await kb.collection("default", { description: "Chapters", schema: { year: "number" } });
        await kb.add(documents);
        await kb.remove(["c.md"]);
        const stats = await kb.stats();
        await kb.close();
        return { stats, embedded: toy.embedded.length };
      },
      { documents: DOCUMENTS, storage },
    );
    assert.equal(saved.stats.library.kind, storage);
    assert.equal(saved.stats.library.readOnly, false);
    await demo.page.reload();
    const again = await inPage(
      demo.page,
      async (_, toy, { documents, storage }) => {
        const kb = await toy.open(`reload-${storage}`, { storage });
        const hybrid = await kb.search("borrow", { explain: true });
        const stats = await kb.stats();
        await kb.add([documents[1]]); // the same document again
        const embedded = toy.embedded.length;
        await kb.close();
        return { hits: hybrid.hits.map((hit) => hit.docId), vector: hybrid.hits[0].explain.vector, stats, embedded };
      },
      { documents: DOCUMENTS, storage },
    );
    assert.deepEqual(again.hits, ["b.md", "a.md"]);
    assert.equal(again.vector.method, "exact");
    assert.equal(again.stats.documents, 2);
    assert.equal(again.stats.pending, 0);
    assert.equal(again.stats.collections[0].description, "Chapters");
    assert.equal(again.stats.collections[0].schema.year, "number");
    assert.equal(again.embedded, 0, "text that did not change is not embedded again");
  });
}

test("a tab closed while vectors are computed leaves every text, and the next one computes the rest", async () => {
  const tab = await demo.page.context().newPage();
  await tab.goto(`${ORIGIN}/icon.svg`);
  await inPage(
    tab,
    async (api, toy) => {
      const slow = async (texts, context) => (await new Promise((go) => setTimeout(go, 300)), toy.embed(texts, context));
      const kb = await api.KnowledgeBase.open("interrupted", { embedder: api.Embedder.custom(slow, { id: "toy" }) });
      const many = Array.from({ length: 200 }, (_, n) => ({ id: `${n}`, text: `Contract number ${n}.` }));
      await new Promise((embedding) => kb.add(many, { onProgress: ({ phase, loaded }) => phase === "embed" && loaded > 0 && embedding() }).catch(() => {}));
    },
  );
  await tab.close();
  const found = await inPage(demo.page, async (_, toy) => {
    const kb = await toy.open("interrupted");
    const before = await kb.stats();
    const { total } = await kb.search("contract", { mode: "keyword" });
    await kb.embedPending();
    const { pending } = await kb.stats();
    await kb.close();
    return { documents: before.documents, total, pending };
  });
  assert.deepEqual(found, { documents: 200, total: 200, pending: 0 });
});

test("a second tab reads a library that the first has open, and writes once the first has closed it", async () => {
  await inPage(demo.page, async (_, toy, documents) => {
    globalThis.first = await toy.open("shared");
    await globalThis.first.add(documents.slice(0, 1));
  }, DOCUMENTS);
  const tab = await demo.page.context().newPage();
  await tab.goto(`${ORIGIN}/icon.svg`);
  const reading = await inPage(tab, async (_, toy, documents, refused) => {
    globalThis.second = await toy.open("shared");
    const { hits } = await globalThis.second.search("owner");
    return {
      hits: hits.map((hit) => hit.docId),
      readOnly: (await globalThis.second.stats()).library.readOnly,
      add: await refused(() => globalThis.second.add(documents)),
      remove: await refused(() => globalThis.second.remove(["a.md"])),
    };
  }, DOCUMENTS);
  assert.deepEqual(reading.hits, ["a.md"]);
  assert.equal(reading.readOnly, true);
  assert.equal(reading.add.code, "read_only");
  assert.equal(reading.remove.code, "read_only");
  await inPage(demo.page, async (_, toy, documents) => {
    await globalThis.first.add(documents.slice(1, 2)); // after the second tab has opened it
    await globalThis.first.close();
  }, DOCUMENTS);
  const writing = await inPage(tab, async (_, toy, documents) => {
    const kb = globalThis.second;
    while ((await kb.stats()).library.readOnly) await new Promise((go) => setTimeout(go, 20));
    await kb.add(documents.slice(2));
    const { documents: count } = await kb.stats();
    await kb.close();
    const again = await toy.open("shared");
    const { documents: kept } = await again.stats();
    await again.close();
    return { count, kept };
  }, DOCUMENTS);
  await tab.close();
  assert.deepEqual(writing, { count: 3, kept: 3 });
});

test("an exported library can be imported, and other files are refused", async () => {
  const outcome = await inPage(demo.page, async (_, toy, documents, refused) => {
    const from = await toy.open("from");
    await from.add(documents);
    const file = await from.export();
    await from.close();
    const embeddedBefore = toy.embedded.length;
    const to = await toy.open("to");
    await to.add([{ ...documents[0], text: "An older text." }, { id: "mine.md", text: "My own panic." }]);
    const embedded = toy.embedded.length;
    const { documents: taken } = await to.import(new Blob([file]));
    const cut = await refused(() => to.import(file.slice(0, file.length - 10)));
    const zeros = await refused(() => to.import(new Uint8Array(1000)));
    const { hits } = await to.search("panic", { mode: "keyword" });
    const stats = await to.stats();
    await to.close();
    return { taken, cut, zeros, hits: hits.map((hit) => hit.docId).sort(), documents: stats.documents, again: toy.embedded.length - embedded, embeddedBefore };
  }, DOCUMENTS);
  assert.equal(outcome.taken, 3);
  assert.equal(outcome.cut.code, "library_corrupt");
  assert.equal(outcome.zeros.code, "library_corrupt");
  assert.deepEqual(outcome.hits, ["c.md", "mine.md"]);
  assert.equal(outcome.documents, 4);
  assert.equal(outcome.again, 0, "vectors come with the file");
});

test("filters and facets accept every spelling, and a typo is reported with the nearest name", async () => {
  const outcome = await inPage(demo.page, async (api, toy, documents, refused) => {
    const kb = await api.KnowledgeBase.memory();
    await kb.add(documents);
    const ids = async (filters) => (await kb.search("ownership borrow panic", { filters })).hits.map((hit) => hit.docId).sort().join(" ");
    const found = {
      equal: await ids({ year: 2023 }),
      compared: await ids({ year: { ">=": 2022 } }),
      listed: await ids([{ field: "tags", operator: "contains", value: "memory" }]),
      joined: await ids({ or: [{ year: 2021 }, { not: { tags: { exists: true } } }] }),
      facets: await kb.facets("tags"),
      slip: await refused(() => kb.search("x", { filters: { yaer: 2023 } })),
      operator: await refused(() => kb.search("x", { filters: { year: { betwen: [1, 2] } } })),
      type: await refused(() => kb.search("x", { filters: { year: "soon" } })),
    };
    await kb.close();
    return found;
  }, DOCUMENTS);
  assert.equal(outcome.equal, "c.md");
  assert.equal(outcome.compared, "b.md c.md");
  assert.equal(outcome.listed, "a.md b.md");
  assert.equal(outcome.joined, "a.md c.md");
  assert.deepEqual(outcome.facets, [{ value: "memory", count: 2 }, { value: "refs", count: 1 }]);
  assert.equal(outcome.slip.code, "unknown_field");
  assert.match(outcome.slip.message, /did you mean `year`/);
  assert.equal(outcome.operator.code, "unknown_operator");
  assert.match(outcome.operator.message, /between/);
  assert.equal(outcome.type.code, "filter_type");
});

test("an HNSW graph is built in a worker of its own during searches, is used when it is ready, and is stored", async () => {
  const outcome = await inPage(demo.page, async (api) => {
    const random = (seed) => () => ((seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31 - 0.5);
    const vectorOf = (text) => {
      const next = random([...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 2 ** 31, 7));
      return Array.from({ length: 16 }, next);
    };
    const embedder = api.Embedder.custom(async (texts) => texts.map(vectorOf), { id: "random" });
    const kb = await api.KnowledgeBase.open("graph", { embedder, graphFrom: 2500 });
    await kb.add(Array.from({ length: 3000 }, (_, n) => ({ id: `${n}`, text: `text ${n}` })));
    await kb.export(); // seals the current segment
    await kb.add([{ id: "last", text: "the last" }]);
    const during = [];
    let stats = await kb.stats();
    while (stats.index.graphs === 0) {
      const { hits } = await kb.search("text 7", { mode: "vector", explain: true, limit: 5 });
      during.push(hits[0].explain.vector.method);
      stats = await kb.stats();
    }
    const exact = await kb.search("text 7", { mode: "vector", method: "exact", limit: 5 });
    const walked = await kb.search("text 7", { mode: "vector", explain: true, limit: 5, ef: 200 });
    await kb.close();
    const again = await api.KnowledgeBase.open("graph", { embedder, graphFrom: 2500 });
    const { index } = await again.stats();
    await again.close();
    const ids = ({ hits }) => hits.map((hit) => hit.docId);
    return { during, pending: stats.index.graphsPending, exact: ids(exact), walked: ids(walked), method: walked.hits[0].explain.vector.method, kept: index.graphs };
  });
  assert.notEqual(outcome.during[0], "hnsw", "a search does not wait for the graph");
  assert.equal(outcome.pending, 0);
  assert.equal(outcome.method, "hnsw");
  assert.deepEqual(outcome.walked, outcome.exact);
  assert.equal(outcome.kept, 1);
});

test("a damaged library is refused and left unchanged", async () => {
  const outcome = await inPage(demo.page, async (_, toy, documents, refused) => {
    const kb = await toy.open("damaged", { storage: "indexeddb" });
    await kb.add(documents);
    await kb.close();
    const { openStorage } = await import("/vademecum/storage/index.js");
    const storage = await openStorage("damaged", { kind: "indexeddb" });
    const text = (await storage.list()).map((file) => file.name).find((name) => name.includes("text"));
    const bytes = await storage.read(text);
    bytes[bytes.length >> 1] ^= 1;
    await storage.write(text, bytes);
    const before = await storage.list();
    await storage.close();
    const error = await refused(() => toy.open("damaged", { storage: "indexeddb" }));
    const after = await openStorage("damaged", { kind: "indexeddb" });
    const left = await after.list();
    await after.close();
    return { error, same: JSON.stringify(before) === JSON.stringify(left) };
  }, DOCUMENTS);
  assert.equal(outcome.error.code, "library_corrupt");
  assert.match(outcome.error.message, /text/);
  assert.ok(outcome.same);
});

for (const storage of ["opfs", "indexeddb"]) {
  test(`what is whole of a damaged library in ${storage} is opened to be read and exported, and the loss is told`, async () => {
    const outcome = await inPage(demo.page, async (_, toy, { documents, kind }, refused) => {
      const { openStorage } = await import("/vademecum/storage/index.js");
      const name = `salvage-${kind}`;
      for (const one of documents) {
        const kb = await toy.open(name, { storage: kind });
        await kb.add([one]); // one segment each
        await kb.close();
      }
      const change = async (work) => {
        const files = await openStorage(name, { kind });
        const all = (await files.list()).map((file) => file.name).sort();
        const seen = await work(files, all);
        await files.close();
        return seen;
      };
      const listed = () => change(async (files, all) => Promise.all(all.map(async (file) => [file, String(await files.read(file))])));
      await change(async (files, all) => {
        const text = all.find((file) => file.includes("text"));
        const bytes = await files.read(text);
        bytes[bytes.length >> 1] ^= 1;
        await files.write(text, bytes);
        // The other copy of the manifest has the same content.
        await files.write(all.find((file) => file.startsWith("manifest")), new Uint8Array(10));
      });
      const before = await listed();
      const plain = await refused(() => toy.open(name, { storage: kind }));
      const kb = await toy.open(name, { storage: kind, salvage: true });
      const { documents: count, lost, library } = await kb.stats();
      const { hits } = await kb.search("panic borrow ownership", { mode: "hybrid" });
      const written = await refused(() => kb.add([{ id: "new.md", text: "New." }]));
      const file = await kb.export();
      await kb.close();
      const fresh = await toy.open(`${name}-fresh`, { storage: kind });
      const taken = await fresh.import(file);
      const cut = await fresh.import(file.slice(0, file.length - 10), { salvage: true });
      await fresh.close();
      return { plain, count, lost, readOnly: library.readOnly, hits: hits.map(({ docId }) => docId).sort(), written, taken, cut, same: JSON.stringify(before) === JSON.stringify(await listed()) };
    }, { documents: DOCUMENTS, kind: storage });
    assert.equal(outcome.plain.code, "library_corrupt");
    assert.match(outcome.plain.message, /salvage: true/);
    assert.equal(outcome.count, 2);
    assert.deepEqual([outcome.lost.documents, outcome.lost.chunks, outcome.lost.files.length], [1, 1, 1]);
    assert.match(outcome.lost.files[0].file, /text/);
    assert.equal(outcome.readOnly, true);
    assert.equal(outcome.hits.length, 2);
    assert.equal(outcome.written.code, "read_only");
    assert.match(outcome.written.message, /salvage/);
    assert.deepEqual(outcome.taken, { documents: 2 });
    assert.ok(outcome.cut.documents < 2 || outcome.cut.lost.files.length > 0);
    assert.ok(outcome.same, "nothing of the damaged library was changed");
  });
}

test("a library of another embedder is refused, or re-embedded on request", async () => {
  const outcome = await inPage(demo.page, async (api, toy, documents, refused) => {
    const kb = await toy.open("other");
    await kb.add(documents);
    await kb.close();
    const other = { embedder: api.Embedder.custom(toy.embed, { id: "another" }) };
    const error = await refused(() => api.KnowledgeBase.open("other", other));
    const again = await api.KnowledgeBase.open("other", { ...other, reembed: true });
    const { pending } = await again.stats();
    await again.embedPending();
    const done = await again.stats();
    await again.close();
    return { error, pending, left: done.pending };
  }, DOCUMENTS);
  assert.equal(outcome.error.code, "embedder_mismatch");
  assert.ok(outcome.pending > 0);
  assert.equal(outcome.left, 0);
});

test("libraries are listed and deleted by name", async () => {
  const outcome = await inPage(demo.page, async ({ KnowledgeBase }, toy, _, refused) => {
    const kb = await toy.open("Name / with … signs");
    const inUse = await refused(() => KnowledgeBase.delete("Name / with … signs"));
    const listed = await KnowledgeBase.list();
    await kb.close();
    await KnowledgeBase.delete("Name / with … signs");
    return { inUse: inUse.code, listed: listed.includes("Name / with … signs"), gone: !(await KnowledgeBase.list()).includes("Name / with … signs") };
  });
  assert.deepEqual(outcome, { inUse: "library_in_use", listed: true, gone: true });
});
