// The public API of the package on a page, with the real model; and its memory and time.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { onPage as runOn } from "../support/on-page.mjs";

let demo;
let page;

before(async () => {
  demo = await startDemo();
  page = demo.page;
  // An empty page of the same origin, so that the demo does not affect measurements.
  await page.goto(`${ORIGIN}/icon.svg`);
});
after(() => demo?.close());

const onPage = (...call) => runOn(page, ...call);

test("two hundred documents are added without blocking the page", async (t) => {
  const measured = await onPage(async ({ KnowledgeBase, Embedder }, files) => {
    const longest = { task: 0, gap: 0 };
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest.task = Math.max(longest.task, duration);
    }).observe({ type: "longtask" });
    let last = performance.now();
    let watching = true;
    const tick = () => {
      const now = performance.now();
      longest.gap = Math.max(longest.gap, now - last);
      last = now;
      if (watching) setTimeout(tick, 0);
    };
    tick();
    const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx(files) });
    const documents = Array.from({ length: 200 }, (_, n) => ({
      id: `${n}.txt`,
      text: `Document ${n} is about subject ${n * 7}. `.repeat(3),
    }));
    const phases = new Set();
    const started = performance.now();
    const added = await kb.add(documents, { onProgress: ({ phase }) => phases.add(phase) });
    const seconds = (performance.now() - started) / 1000;
    watching = false;
    await new Promise((resolve) => setTimeout(resolve, 100));
    const stats = await kb.stats();
    kb.close();
    return { longest, added, seconds, phases: [...phases], embedded: stats.embedded };
  });
  assert.equal(measured.added.documents, 200);
  assert.equal(measured.embedded, measured.added.chunks);
  assert.deepEqual(measured.phases.sort(), ["embed", "read"]);
  t.diagnostic(`200 documents in ${measured.seconds.toFixed(1)} s; the page's longest task ${measured.longest.task.toFixed(0)} ms, ` +
    `longest wait for a turn ${measured.longest.gap.toFixed(0)} ms`);
});

test("the cost of a chunk and of a question", async (t) => {
  const measured = await onPage(async ({ KnowledgeBase, Embedder }, files) => {
    const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx(files) });
    await kb.loadEmbedder();
    // All are truncated to 128 tokens, the size of a full chunk.
    const full = (n) => ({ id: `${n}`, text: `${"word ".repeat(90)}${n} ${"more ".repeat(90)}`.trim() });
    await kb.add([full("warm")]);
    const options = { onProgress: () => {} };
    const big = await KnowledgeBase.memory({ embedder: Embedder.onnx(files), chunkTokens: 1000 });
    await big.loadEmbedder();
    await big.add([full("warm")]);
    const started = performance.now();
    const added = await big.add(Array.from({ length: 24 }, (_, n) => full(n)), options);
    const perChunk = (performance.now() - started) / added.chunks;
    const times = [];
    for (let n = 0; n < 20; n++) {
      const { tookMs, mode } = await big.search(`which document speaks of number ${n}`);
      if (mode !== "hybrid") throw new Error(mode);
      times.push(tookMs);
    }
    const keyword = [];
    for (let n = 0; n < 20; n++) keyword.push((await big.search(`number ${n}`, { mode: "keyword" })).tookMs);
    const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
    kb.close();
    big.close();
    return { chunks: added.chunks, truncated: added.truncated.length, perChunk, query: median(times), keyword: median(keyword) };
  });
  assert.equal(measured.truncated, measured.chunks, "every chunk was longer than the model reads, and is flagged");
  t.diagnostic(`${measured.perChunk.toFixed(0)} ms a 128-token chunk; a hybrid query ${measured.query.toFixed(0)} ms, ` +
    `a keyword query ${measured.keyword.toFixed(2)} ms (medians)`);
});

test("the direct entry returns the same hits as the worker", async () => {
  const hits = async ({ KnowledgeBase, Embedder }, files) => {
    const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx(files) });
    await kb.collection("pets");
    await kb.loadEmbedder();
    await kb.add("pets", [
      { id: "cats.md", text: "# Cats\n\nCats purr when content." },
      { id: "dogs.md", text: "# Dogs\n\nA dog wags its tail." },
    ]);
    const { hits, mode } = await kb.search("a happy kitten", { collections: ["pets"], mode: "vector" });
    kb.close();
    return { mode, hits: hits.map(({ id, score }) => [id, score.toFixed(4)]) };
  };
  const inWorker = await onPage(hits);
  assert.equal(inWorker.hits[0][0], "pets/cats.md#0");
  assert.deepEqual(await onPage(hits, null, "direct.js"), inWorker);
});

test("with real embeddings and a scripted LLM, paraphrases are found, cited and grounded", async () => {
  const pipeline = async ({ KnowledgeBase, Embedder, Agent, testing }, files) => {
    const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx(files) });
    await kb.loadEmbedder();
    await kb.add([
      { id: "cats.md", text: "# Cats\n\nCats purr when they are content." },
      { id: "dogs.md", text: "# Dogs\n\nA dog wags its tail." },
      { id: "tax.md", text: "# Tax\n\nIncome is taxed once a year." },
    ]);
    // The documents contain none of these words.
    const parts = ["Which noise does my happy kitten make?", "How do puppies show joy?"];
    const numberOf = ({ messages }, title) => messages.at(-1).content.match(new RegExp(`\\[(\\d+)\\] ${title}`))[1];
    const llm = testing.scripted([
      { search: true },
      { questions: parts },
      (request) => `Cats purr when they are content [${numberOf(request, "Cats")}]. A dog wags its tail [${numberOf(request, "Dogs")}].`,
    ]);
    const result = await new Agent(kb, { llm }).pipeline(parts.join(" "), { limit: 1, threshold: 0 })
      .gate().decompose().search().answer().ground().run().result;
    kb.close();
    return {
      found: result.results.map(({ question, chunks }) => [question, chunks.map(({ docId }) => docId)]),
      asked: llm.requests.map(({ step }) => step), by: result.answeredBy, failures: result.failures,
      cited: result.citations.map(({ docId }) => docId), supported: result.grounding.map(({ supported, docId }) => [supported, docId]),
    };
  };
  for (const entry of ["index.js", "direct.js"]) {
    const { found, asked, by, failures, cited, supported } = await onPage(pipeline, null, entry);
    assert.deepEqual(found.map(([, ids]) => ids), [["cats.md"], ["dogs.md"]], entry);
    assert.deepEqual([asked, by, failures ?? []], [["gate", "decompose", "answer"], "llm", []]);
    assert.deepEqual(cited, ["cats.md", "dogs.md"]);
    assert.deepEqual(supported, [[true, "cats.md"], [true, "dogs.md"]]);
  }
});

test("a missing or corrupt model is a coded error, and keyword search still finds everything", async () => {
  const outcome = async (broken) =>
    onPage(async ({ KnowledgeBase, Embedder }, files, { model }) => {
      const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ ...files, model: files.model.replace("model.onnx", model) }) });
      const error = await kb.add([{ id: "a.txt", text: "Cats purr." }]).catch((thrown) => thrown);
      const loading = await kb.loadEmbedder().catch((thrown) => thrown);
      const found = await kb.search("purr");
      const stats = await kb.stats();
      kb.close();
      return {
        name: error.name, code: error.code, message: error.message, loading: loading.code,
        hits: found.hits.length, mode: found.mode, degraded: found.degraded?.code, pending: stats.pending,
      };
    }, { model: broken });
  const missing = await outcome("nowhere.onnx");
  assert.equal(missing.name, "VademecumError");
  assert.deepEqual([missing.code, missing.loading, missing.degraded], Array(3).fill("model_unavailable"));
  assert.match(missing.message, /nowhere\.onnx: HTTP 404/);
  assert.deepEqual([missing.hits, missing.mode, missing.pending], [1, "keyword", 1]);
  const corrupt = await outcome("tokenizer.json");
  assert.deepEqual([corrupt.code, corrupt.hits], ["model_corrupt", 1]);
});

test("a closed knowledge base refuses everything, with one code", async () => {
  for (const entry of ["index.js", "direct.js"]) {
    const codes = await onPage(async ({ KnowledgeBase, Agent }) => {
      const kb = await KnowledgeBase.memory();
      await kb.add([{ id: "a.txt", text: "Cats purr." }]);
      kb.close();
      const calls = [
        kb.add([{ id: "b.txt", text: "x" }]), kb.search("cats"), kb.remove(["a.txt"]), kb.stats(), kb.document("a.txt"),
        kb.collection("x"), new Agent(kb).pipeline("cats?").search().answer().run().result,
      ];
      return Promise.all(calls.map((call) => call.then(() => "no error", (error) => error.code)));
    }, null, entry);
    assert.deepEqual(codes, Array(7).fill("closed"), entry);
  }
});

test("a custom function embeds, and a signal stops a long addition", async () => {
  const outcome = await onPage(async ({ KnowledgeBase, Embedder }) => {
    const kinds = new Set();
    const embed = async (texts, { kind }) => {
      kinds.add(kind);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return texts.map((text) => [text.includes("purr") ? 1 : 0, 1]);
    };
    const kb = await KnowledgeBase.memory({ embedder: Embedder.custom(embed) });
    await kb.add([{ id: "a.txt", text: "Cats purr." }, { id: "b.txt", text: "Dogs bark." }]);
    const { hits } = await kb.search("purr", { mode: "vector" });
    const abort = new AbortController();
    const many = Array.from({ length: 400 }, (_, n) => ({ id: `${n}`, text: `Text ${n}.` }));
    const error = await kb
      .add(many, { signal: abort.signal, onProgress: ({ phase, loaded }) => phase === "embed" && loaded > 20 && abort.abort() })
      .catch((thrown) => thrown);
    const stopped = await kb.stats();
    const resumed = await kb.embedPending();
    const finished = await kb.stats();
    kb.close();
    return { first: hits[0].docId, kinds: [...kinds].sort(), code: error.code, pending: stopped.pending, resumed, after: finished.pending };
  });
  assert.equal(outcome.first, "a.txt");
  assert.deepEqual(outcome.kinds, ["document", "query"]);
  assert.equal(outcome.code, "aborted");
  assert.ok(outcome.pending > 0);
  assert.deepEqual([outcome.resumed, outcome.after], [outcome.pending, 0]);
});

test("a run that is aborted before it starts, or by closing, still ends", async () => {
  for (const entry of ["index.js", "direct.js"]) {
    const outcome = await onPage(async ({ KnowledgeBase, Agent }) => {
      const kb = await KnowledgeBase.memory();
      await kb.add([{ id: "a.txt", text: "Cats purr." }]);
      const before = new Agent(kb).pipeline("cats?").search().answer().run({ signal: AbortSignal.abort() });
      const types = [];
      for await (const event of before) types.push(event.type);
      const { terminatedBy } = await before.result;
      /** @type {any} */ let told;
      const llm = (_, { signal }) => new Promise(() => (told = signal));
      const hanging = new Agent(kb, { llm }).pipeline("cats?").search().answer().run();
      while (!told) await new Promise((resolve) => setTimeout(resolve, 5));
      kb.close();
      const closed = await hanging.result.catch((error) => error);
      for (let wait = 0; wait < 50 && !told.aborted; wait++) await new Promise((resolve) => setTimeout(resolve, 5));
      return { types, terminatedBy, closed: closed.code, told: told.aborted };
    }, null, entry);
    assert.deepEqual([outcome.types, outcome.terminatedBy, outcome.closed], [["done"], "aborted", "closed"], entry);
    assert.equal(outcome.told, true, `the user's function is told, ${entry}`);
  }
});

test("an invalid embedder is refused", async () => {
  const codes = await onPage(async ({ KnowledgeBase, Embedder }, files) => {
    const refused = (make) => Promise.resolve().then(make).then(() => "taken", (error) => error.code);
    return Promise.all([
      refused(() => KnowledgeBase.memory({ embedder: async () => [] })),
      refused(() => KnowledgeBase.memory({ embeder: null })),
      refused(() => Embedder.onnx({ ...files, maxTokens: 1 })),
      refused(async () => (await KnowledgeBase.memory()).tokenIds("x")),
    ]);
  });
  assert.deepEqual(codes, ["invalid_argument", "invalid_argument", "invalid_argument", "no_embedder"]);
});

test("no request left the origin", () => {
  assert.deepEqual(demo.origins(), [ORIGIN]);
});
