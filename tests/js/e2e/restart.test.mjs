// Crashes of the engine's worker: pending calls, saved data, and operation after the restart.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { onPage } from "../support/on-page.mjs";

let demo;
let page;

/** A worker of the files that the package's worker is bundled from: a test reaches the modules of these by importing them. */
const UNBUNDLED = { address: "/unbundled/worker.js", script: 'import { build } from "/vademecum/build.js"; import { serveEngine } from "/vademecum/hosts.js"; serveEngine(build);' };

/** Runs code in the newest engine's worker, through the debugger. */
const inEngine = (body) => page.workers().filter((worker) => worker.url().endsWith("/worker.js")).at(-1).evaluate(body);

before(async () => {
  demo = await startDemo();
  page = await demo.page.context().newPage();
  await page.route(`**${UNBUNDLED.address}`, (route) => route.fulfill({ contentType: "text/javascript", body: UNBUNDLED.script }));
  await page.goto(`${ORIGIN}/icon.svg`);
  await page.exposeFunction("trapAtOnce", () => inEngine(() => setTimeout(async () => {
    const module = await import("/vademecum/vademecum.js");
    const exports = await module.default();
    setTimeout(() => exports.engine_stats(0x7fffff00)); // an object's address behind the end of the memory
  })));
  await page.exposeFunction("trapWhenCounted", () => inEngine(async () => {
    const { Engine } = await import("/vademecum/vademecum.js");
    const { stats } = Engine.prototype;
    Engine.prototype.stats = function () {
      this.__wbg_ptr = 0x7fffff00;
      return stats.call(this);
    };
  }));
  await page.evaluate(() => {
    const failed = ({ name, code, message, retryable }) => ({ name, code, message, retryable });
    window.settled = (promise) => promise.then((value) => ({ value }), failed);
    window.pets = [{ id: "cats.md", text: "# Cats\n\nCats purr when they are content." }, { id: "dogs.md", text: "# Dogs\n\nA dog wags its tail." }];
    window.ids = ({ hits }) => hits.map(({ docId }) => docId);
    /** Crashes the engine, and returns the event of the knowledge base. */
    window.crash = async (kb) => {
      const told = new Promise((resolve) => {
        for (const type of ["restarted", "failed"]) kb.on(type, (payload) => resolve({ type, ...payload, ...(payload.error && { error: failed(payload.error) }) }));
      });
      await window.trapAtOnce();
      return told;
    };
  });
});
after(() => demo?.close());

test("a crash rejects pending calls, and saved data is found afterwards and can be extended", async () => {
  const seen = await onPage(page, async ({ Embedder, KnowledgeBase }) => {
    let answers = true;
    const embed = (texts) => (answers ? texts.map((text) => [1, text.length]) : new Promise(() => {}));
    const embedder = Embedder.custom(embed, { id: "length" });
    const kb = await KnowledgeBase.open("crashing", { embedder });
    await kb.collection("animals", { description: "Animals" });
    await kb.add("animals", pets);
    answers = false; // the next search waits for its vector
    const under = settled(kb.search("purr"));
    const told = await crash(kb);
    answers = true;
    const { hits, mode } = await kb.search("purr", { collections: ["animals"] });
    const { documents } = await kb.add([{ id: "new.md", text: "A parrot speaks." }]);
    const { library, vectors, ...stats } = await kb.stats();
    await kb.close();
    return { under: await under, told, found: [mode, ...ids({ hits })], documents, readOnly: library.readOnly, all: stats.documents, vectors };
  });
  assert.equal(seen.under.code, "worker_failed", JSON.stringify(seen));
  assert.equal(seen.under.retryable, true);
  assert.equal(seen.told.type, "restarted");
  assert.match(seen.told.reason, /^The engine worker failed: .*memory access out of bounds$/);
  assert.deepEqual([seen.found[0], seen.found[1], seen.documents, seen.readOnly, seen.all], ["hybrid", "cats.md", 1, false, 3], JSON.stringify(seen));
});

test("a trap inside a call ends the worker, not only that call", async () => {
  const seen = await onPage(page, async ({ KnowledgeBase }) => {
    const kb = await KnowledgeBase.open("trapping", { workers: { engine: "/unbundled/worker.js" } });
    await kb.add(pets);
    const reasons = [];
    kb.on("restarted", ({ reason }) => reasons.push(reason));
    await window.trapWhenCounted();
    const [counted, found] = [await settled(kb.stats()), ids(await kb.search("purr"))];
    const { documents } = await kb.stats();
    await kb.close();
    return { counted, found, documents, reasons };
  });
  assert.equal(seen.counted.code, "worker_failed", JSON.stringify(seen));
  assert.deepEqual([seen.found, seen.documents, seen.reasons.length], [["cats.md"], 2, 1]);
});

test("an agent, its conversation and the encoder's workers continue after a crash", async () => {
  const seen = await onPage(page, async ({ Agent, Embedder, KnowledgeBase, testing }, files) => {
    const kb = await KnowledgeBase.open("asked", { embedder: Embedder.onnx(files) });
    await kb.add(pets);
    const chat = new Agent(kb, { llm: testing.heuristic() }).conversation({ keep: "chat" });
    await chat.ask("When do cats purr?").result;
    const told = await crash(kb);
    const { answer, failures = [] } = await chat.ask("What does a dog wag?").result;
    await kb.loadEmbedder();
    const { hits, mode } = await kb.search("a happy kitten's noise", { limit: 1 });
    const kept = await kb.conversations();
    await kb.close();
    const again = await KnowledgeBase.open("asked");
    const later = new Agent(again).conversation({ keep: "chat" });
    await later.ready;
    await again.close();
    const other = failures.map(({ code }) => code).filter((code) => code !== "embedder_loading");
    return { told: told.type, answer, other, mode, found: ids({ hits }), kept, turns: later.turns.length };
  });
  assert.deepEqual(seen, {
    told: "restarted", answer: "A dog wags its tail. [1]", other: [], mode: "hybrid", found: ["cats.md"], kept: ["chat"], turns: 2,
  });
});

test("a third crash within a minute is the last: every call reports it, and the library can be reopened", async () => {
  const seen = await onPage(page, async ({ KnowledgeBase }) => {
    const kb = await KnowledgeBase.open("hopeless");
    await kb.add(pets);
    const told = [await crash(kb), await crash(kb), await crash(kb)];
    const [first, second] = [await settled(kb.search("purr")), await settled(kb.stats())];
    await kb.close();
    const again = await KnowledgeBase.open("hopeless");
    const found = ids(await again.search("purr"));
    await again.close();
    return { told, first, second, found };
  });
  assert.deepEqual(seen.told.map(({ type }) => type), ["restarted", "restarted", "failed"], JSON.stringify(seen));
  assert.equal(seen.first.code, "worker_failed");
  assert.equal(seen.first.retryable, false);
  assert.match(seen.first.message, /failed 3 times within a minute/);
  assert.doesNotMatch(seen.first.message, /\.\./);
  assert.deepEqual([seen.second, seen.told[2].error], [seen.first, seen.first]);
  assert.deepEqual(seen.found, ["cats.md"]);
});

test("after a crash, a waiting tab becomes the writer, and this one reads until the other closes", async () => {
  const other = await demo.page.context().newPage();
  await other.goto(`${ORIGIN}/icon.svg`);
  await onPage(page, async ({ KnowledgeBase }) => {
    window.kb = await KnowledgeBase.open("of both");
    await kb.add(pets);
  });
  await onPage(other, async ({ KnowledgeBase }) => {
    window.kb = await KnowledgeBase.open("of both");
    window.writable = new Promise((resolve) => kb.on("writable", resolve));
  });
  const crashed = await page.evaluate(async () => {
    const { type } = await crash(kb);
    window.writable = new Promise((resolve) => kb.on("writable", resolve));
    const { library } = await kb.stats();
    return { type, readOnly: library.readOnly, refused: (await settled(kb.add(pets))).code, found: ids(await kb.search("purr")) };
  });
  assert.deepEqual(crashed, { type: "restarted", readOnly: true, refused: "read_only", found: ["cats.md"] });
  await other.evaluate(async () => {
    await writable;
    await kb.add([{ id: "new.md", text: "A parrot speaks." }]);
    await kb.close();
  });
  const after = await page.evaluate(async () => {
    await writable;
    const { documents } = await kb.add([{ id: "newer.md", text: "A goldfish is silent." }]);
    const stats = await kb.stats();
    await kb.close();
    return { documents, all: stats.documents, readOnly: stats.library.readOnly };
  });
  assert.deepEqual(after, { documents: 1, all: 4, readOnly: false });
  await other.close();
});

for (const [what, open] of Object.entries({ memory: "KnowledgeBase.memory()", "memory by name": 'KnowledgeBase.open("m", { storage: "memory" })' })) {
  test(`a crash of a knowledge base in ${what} says that it is lost, and never leaves an empty one`, async () => {
    const seen = await onPage(page, `async ({ KnowledgeBase }) => {
      const kb = await ${open};
      await kb.add(pets);
      const { type, error } = await crash(kb);
      const later = [await settled(kb.search("purr")), await settled(kb.add(pets)), await settled(kb.export())];
      await kb.close();
      return { type, error, later, closed: await settled(kb.stats()) };
    }`);
    assert.deepEqual([seen.type, seen.error.code, seen.closed.code], ["failed", "library_lost", "closed"], JSON.stringify(seen));
    assert.match(seen.error.message, /memory access out of bounds\. This KnowledgeBase was in memory alone/);
    assert.deepEqual(seen.later, [seen.error, seen.error, seen.error]);
  });
}

test("listeners are called until they are removed, and an unknown event name is refused", async () => {
  const seen = await onPage(page, async ({ KnowledgeBase }) => {
    const kb = await KnowledgeBase.open("told");
    const told = [];
    const off = kb.on("restarted", () => told.push("off"));
    kb.on("restarted", () => told.push("on"));
    off();
    await crash(kb);
    let wrong;
    try {
      kb.on("restart", () => {});
    } catch ({ code, message }) {
      wrong = { code, message };
    }
    await kb.close();
    return { told, wrong };
  });
  assert.deepEqual(seen.told, ["on"]);
  assert.equal(seen.wrong.code, "invalid_argument");
  assert.match(seen.wrong.message, /"restarted" or "writable" or "failed"/);
});

test("a trap of an engine on the calling thread rejects pending and later calls", async () => {
  const own = await demo.page.context().newPage();
  await own.goto(`${ORIGIN}/icon.svg`);
  const seen = await own.evaluate(async () => {
    const { Embedder, KnowledgeBase } = await import("/vademecum/direct.js");
    const failed = (promise) => promise.then(() => "done", ({ code, message }) => ({ code, message }));
    const embedder = Embedder.custom((texts, { kind }) => (kind === "query" ? new Promise(() => {}) : texts.map((text) => [1, text.length])), { id: "length" });
    const kb = await KnowledgeBase.open("in-place", { embedder });
    await kb.add([{ id: "cats.md", text: "# Cats\n\nCats purr when they are content." }]);
    const told = new Promise((resolve) => kb.on("failed", ({ error }) => resolve(error.code)));
    const under = failed(kb.search("purr")); // waits for its vector
    const { default: start } = await import("/vademecum/vademecum.js");
    const exports = await start();
    setTimeout(() => exports.engine_stats(0x7fffff00)); // an object's address behind the end of the memory
    const all = [await under, await told, await failed(kb.stats()), await failed(KnowledgeBase.memory())];
    await kb.close();
    return all;
  });
  const [under, told, later, another] = seen;
  assert.equal(told, "worker_failed");
  for (const one of [under, later, another]) {
    assert.equal(one.code, "worker_failed", JSON.stringify(seen));
    assert.match(one.message, /^The engine failed: .*memory access out of bounds\. It runs in place here/);
  }
  // Saved data remains, and that page no longer locks it.
  const kept = await onPage(page, async ({ Embedder, KnowledgeBase }) => {
    const kb = await KnowledgeBase.open("in-place", { wait: true, embedder: Embedder.custom((texts) => texts.map((text) => [1, text.length]), { id: "length" }) });
    const { documents, library } = await kb.stats();
    await kb.close();
    return [documents, library.readOnly];
  });
  assert.deepEqual(kept, [1, false]);
  await own.close();
});
