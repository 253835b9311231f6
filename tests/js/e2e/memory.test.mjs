// `maxMemory`: a library larger than it, in the real engine's worker and the browser's storage.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";

const MB = 2 ** 20;
/** Of the library of 60 texts of 25 KB each, which takes 3.5 MB in memory. */
const LIMIT = 2.5 * MB;

let demo;
let page;
before(async () => {
  demo = await startDemo();
  page = demo.page;
  await page.goto(`${ORIGIN}/icon.svg`);
});
after(() => demo?.close());

/**
 * Runs a function on a page: `api` is the package, `toy` has an embedder that needs no model, texts, a call that is expected to be refused,
 * and all that can be read of a library; `kept` is for later calls.
 */
function inPage(page, code, argument) {
  return page.evaluate(
    async ([source, argument]) => {
      const api = await import("/vademecum/index.js");
      const embed = (texts) => texts.map((text) => Array.from({ length: 32 }, (_, at) => 1 + ((text.length * (at + 3)) % 17)));
      const toy = {
        embedder: () => api.Embedder.custom(embed, { id: "toy" }),
        // About 25 KB each, every word of which is in few others.
        made: (at) => ({
          id: `${at}.md`,
          text: Array.from({ length: 40 }, (_, section) => `## Station ${at}, part ${section}\n\nKeeper k${at}x${section} wrote: ${Array.from({ length: 110 }, (_, word) => `w${(at * 7919 + section * 131 + word * 17) % 4001}`).join(" ")}.`).join("\n\n"),
        }),
        refused: async (work) => {
          try {
            await work();
            return { code: null, message: "nothing was refused" };
          } catch (error) {
            return { code: error.code, message: error.message };
          }
        },
        look: async (kb) => {
          const found = [];
          for (const query of ["k17x3", "keeper w120 w4000", '"Station 42, part 39"', "who wrote w77?"]) {
            for (const mode of ["keyword", "hybrid"]) {
              const { hits, total } = await kb.search(query, { mode });
              found.push({ total, hits: hits.map(({ id, score, text }) => ({ id, score, text })) });
            }
          }
          return [...found, (await kb.document("59.md")).text, (await kb.documents({ limit: 100 })).total];
        },
      };
      const kept = (globalThis.kept ??= {});
      return (0, eval)(`(${source})`)(api, toy, argument, kept);
    },
    [code.toString(), argument],
  );
}

test("texts beyond the limit are read from the disk, with the hits of a library in memory, also in a second tab and later", async () => {
  const seen = await inPage(page, async ({ KnowledgeBase }, { embedder, made, look }, limit, kept) => {
    const kb = await KnowledgeBase.open("large", { storage: "opfs", embedder: embedder(), maxMemory: limit });
    const taken = [];
    for (let at = 0; at < 60; at += 10) {
      await kb.add(Array.from({ length: 10 }, (_, more) => made(at + more)));
      taken.push((await kb.stats()).memory);
    }
    const [above, asked] = [await look(kb), (await kb.stats()).memory];
    await kb.close();
    const inMemory = await KnowledgeBase.open("large", { embedder: embedder() });
    const [memory, whole] = [(await inMemory.stats()).memory, await look(inMemory)];
    await inMemory.close();
    kept.kb = await KnowledgeBase.open("large", { embedder: embedder(), maxMemory: limit });
    return { taken: [...taken, asked], above, whole, again: await look(kept.kb), memory, text: made(59).text };
  }, LIMIT);
  assert.deepEqual(seen.above, seen.whole);
  assert.deepEqual(seen.again, seen.whole);
  assert.equal(seen.above.at(-2), seen.text);
  for (const { taken } of seen.taken) assert.ok(taken <= LIMIT, JSON.stringify(seen.taken));
  assert.ok(seen.taken.at(-1).onDisk > MB && seen.memory.onDisk === 0 && seen.memory.taken > LIMIT, JSON.stringify(seen));

  const tab = await page.context().newPage();
  await tab.goto(`${ORIGIN}/icon.svg`);
  const reader = await inPage(tab, async ({ KnowledgeBase }, { embedder, look }, limit) => {
    const kb = await KnowledgeBase.open("large", { embedder: embedder(), maxMemory: limit });
    const { library, memory } = await kb.stats();
    const seen = await look(kb);
    await kb.close();
    return { library, memory, seen };
  }, LIMIT);
  await tab.close();
  assert.equal(reader.library.readOnly, true);
  assert.ok(reader.memory.onDisk > MB / 2 && reader.memory.taken <= LIMIT, JSON.stringify(reader.memory));
  assert.deepEqual(reader.seen, seen.whole);

  const later = await inPage(page, async ({ KnowledgeBase }, { embedder, made }, limit, kept) => {
    await kept.kb.remove(Array.from({ length: 30 }, (_, at) => `${at}.md`));
    await kept.kb.close();
    const kb = await KnowledgeBase.open("large", { embedder: embedder(), maxMemory: limit });
    await kb.add({ ...made(7), title: "Back again" });
    const { documents, memory } = await kb.stats();
    const { hits } = await kb.search("k7x12", { mode: "keyword" });
    const [gone] = (await kb.search("k8x12", { mode: "keyword" })).hits;
    const exported = await kb.export();
    await kb.close();
    const copy = await KnowledgeBase.memory({ embedder: embedder() });
    const imported = await copy.import(exported);
    const { text } = await copy.document("40.md");
    await KnowledgeBase.delete("large");
    return { documents, memory, hit: hits[0].docId, gone: gone?.docId ?? null, imported: imported.documents, isEqual: text === made(40).text, left: await KnowledgeBase.list() };
  }, LIMIT);
  assert.ok(later.memory.taken <= LIMIT, JSON.stringify(later.memory));
  assert.deepEqual({ ...later, memory: null }, { documents: 31, memory: null, hit: "7.md", gone: null, imported: 31, isEqual: true, left: [] });
});

test("documents for which there is no room are refused as a whole, and the library stays as it was", async () => {
  for (const storage of ["opfs", "indexeddb"]) {
    const seen = await inPage(page, async ({ KnowledgeBase }, { embedder, made, refused }, storage) => {
      const kb = await KnowledgeBase.open("full", { storage, embedder: embedder(), maxMemory: 2 ** 20 });
      let added = 0;
      let error = await refused(() => kb.add(made(added)));
      while (!error.code && added < 200) {
        added += 1;
        error = await refused(() => kb.add(made(added)));
      }
      const { documents, memory } = await kb.stats();
      const { hits } = await kb.search(`k${added - 1}x1`, { mode: "keyword" });
      await kb.close();
      const again = await KnowledgeBase.open("full", { embedder: embedder() });
      const kept = (await again.stats()).documents;
      await again.close();
      await KnowledgeBase.delete("full");
      return { added, error, documents, memory, hit: hits[0].docId, kept };
    }, storage);
    assert.equal(seen.error.code, "library_too_large", JSON.stringify(seen));
    assert.match(seen.error.message, /^With these documents the library would take about \d+\.\d MB of memory \(.*\), and `maxMemory` is 1\.0 MB\. None was added\./);
    assert.deepEqual([seen.documents, seen.kept, seen.hit], [seen.added, seen.added, `${seen.added - 1}.md`]);
    assert.ok(seen.memory.taken <= MB && seen.memory.onDisk > 0 === (storage === "opfs"), JSON.stringify(seen));
  }
});

test("a library above its limit is opened again after its engine's worker crashed", async () => {
  const seen = await inPage(page, async ({ KnowledgeBase }, { embedder, made }) => {
    const workers = [];
    const engine = () => {
      const worker = new Worker("/vademecum/worker.js", { type: "module" });
      workers.push(worker);
      return worker;
    };
    const kb = await KnowledgeBase.open("crashing", { storage: "opfs", embedder: embedder(), maxMemory: 2 * 2 ** 20, workers: { engine } });
    for (const length of [1, 40]) await kb.add(Array.from({ length }, (_, at) => made(at)));
    const before = (await kb.stats()).memory;
    const restarted = new Promise((resolve) => void kb.on("restarted", resolve));
    workers[0].dispatchEvent(new ErrorEvent("error", { message: "out of memory" }));
    await restarted;
    const { hits } = await kb.search("k33x3", { mode: "keyword" });
    const after = (await kb.stats()).memory;
    await kb.close();
    await KnowledgeBase.delete("crashing");
    return { before, after, workers: workers.length, hit: hits[0].docId };
  });
  assert.deepEqual([seen.workers, seen.hit], [2, "33.md"]);
  for (const { taken, onDisk } of [seen.before, seen.after]) assert.ok(taken <= 2 * MB && onDisk > 0, JSON.stringify(seen));
});

test("where the browser clears its storage under an open library, a question is answered right or refused", async () => {
  const opened = await inPage(page, async ({ KnowledgeBase }, { embedder, made }, _, kept) => {
    kept.kb = await KnowledgeBase.open("cleared", { storage: "opfs", embedder: embedder(), maxMemory: 1.25 * 2 ** 20 });
    for (const length of [1, 25]) await kept.kb.add(Array.from({ length }, (_, at) => made(at)));
    return (await kept.kb.stats()).memory;
  });
  assert.ok(opened.onDisk > 0);
  const session = await page.context().newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin: ORIGIN, storageTypes: "all" });
  const seen = await inPage(page, async (_, { refused }, __, kept) => {
    const texts = [];
    const outcome = await refused(async () => texts.push(...(await kept.kb.search("k21x30", { mode: "keyword" })).hits.map(({ text }) => text)));
    await kept.kb.close().catch(() => {});
    return { outcome, text: texts[0] ?? null };
  });
  if (seen.text) assert.match(seen.text, /Keeper k21x30 wrote/);
  else assert.equal(seen.outcome.code, "storage_failed", JSON.stringify(seen));
});
