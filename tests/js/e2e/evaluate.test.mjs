// Evaluation of a library on a page: the sample, with the real model.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { onPage as runOn } from "../support/on-page.mjs";

let demo;
let page;

before(async () => {
  demo = await startDemo();
  page = demo.page;
  await page.goto(`${ORIGIN}/icon.svg`);
  // All tests here share the sample library on the page.
  await onPage(async ({ KnowledgeBase, Embedder }, files) => {
    window.kb = await KnowledgeBase.memory({ embedder: Embedder.onnx(files) });
    await window.kb.import(await (await fetch("/library/rust-book.library")).arrayBuffer());
  });
});
after(() => demo?.close());

const onPage = (...call) => runOn(page, ...call);

test("generated cases are the same for the same seed, and every strategy is measured on them", async (t) => {
  const { cases, again, report, progress, fingerprint } = await onPage(async ({ Agent }) => {
    const { kb } = window;
    const cases = await kb.makeCases({ count: 12, seed: 3 });
    const again = await kb.makeCases({ count: 12, seed: 3 });
    const progress = [];
    const strategies = ["keyword", "vector", "hybrid", "hops", "pipeline"];
    const report = await kb.evaluate(cases, { strategies, agent: new Agent(kb), onProgress: (at) => progress.push(at) });
    return { cases, again, report, progress, fingerprint: await kb.fingerprint() };
  });
  assert.equal(cases.length, 12);
  assert.deepEqual(again, cases);
  assert.ok(cases.every(({ question, relevant, by }) => question.split(" ").length > 1 && relevant.length === 1 && by === "rule"));
  const { version, index, k, library, strategies, plots } = report;
  assert.deepEqual([version, index, k, report.cases], [1, fingerprint, 10, 12]);
  assert.equal(library.embedded, library.chunks);
  assert.deepEqual(strategies.map(({ name }) => name), ["keyword", "vector", "hybrid", "hops", "pipeline"]);
  for (const { name, metrics, perCase, failures } of strategies) {
    assert.deepEqual(failures, [], name);
    assert.equal(perCase.length, 12);
    assert.ok(perCase.every(({ ranking, metrics }) => ranking.length > 0 && metrics.ms > 0), name);
    assert.ok(metrics["recall@1"] <= metrics["recall@5"] && metrics["recall@5"] <= metrics["recall@10"], name);
    assert.ok(metrics.ms.p50 <= metrics.ms.p95, name);
    assert.deepEqual([metrics.llmCalls, metrics.promptTokens], [0, 0]);
    t.diagnostic(`${name}: recall@1 ${metrics["recall@1"].toFixed(2)}, @10 ${metrics["recall@10"].toFixed(2)}, nDCG@10 ${metrics["ndcg@10"].toFixed(2)}, ${metrics.ms.mean.toFixed(0)} ms`);
  }
  const byName = Object.fromEntries(strategies.map(({ name, metrics }) => [name, metrics]));
  // Each document contains the words of its question, so a low recall would mean a broken strategy.
  assert.ok(byName.keyword["recall@10"] >= 0.9 && byName.hybrid["recall@10"] >= 0.8, JSON.stringify(byName));
  assert.ok(byName.pipeline.citationPrecision > 0);
  assert.equal(byName.keyword.citationPrecision, null);
  assert.deepEqual(progress.at(-1), { done: 60, total: 60, strategy: "pipeline" });
  const recall = plots.find(({ title }) => title === "Recall@10");
  assert.deepEqual(recall.bars, strategies.map(({ name, metrics }) => ({ label: name, value: metrics["recall@10"] })));
  assert.deepEqual(JSON.parse(JSON.stringify(report)), report);
});

test("with a model, calls and tokens are counted, answers are compared, and failures are reported", async () => {
  for (const entry of ["index.js", "direct.js"]) {
    const { report, asked } = await onPage(async ({ KnowledgeBase, Agent }) => {
      const kb = await KnowledgeBase.memory();
      await kb.add([
        { id: "cats.md", text: "# Cats\n\nCats purr when they are content and warm." },
        { id: "dogs.md", text: "# Dogs\n\nA dog wags its tail in joy." },
      ]);
      const llm = async ({ messages }, { step }) => (step === "answer" ? `content and warm ${messages.at(-1).content.match(/\[\d\]/)[0]}` : "no JSON");
      const cases = [
        { question: "When do cats purr?", relevant: { "cats.md": 2 }, answer: "content and warm" },
        { question: "What does a dog wag?", relevant: ["dogs.md"], collection: "default" },
      ];
      const asked = [];
      const ours = async (question, { signal, collections }) => {
        asked.push([question, signal instanceof AbortSignal, collections]);
        if (question.includes("dog")) throw Object.assign(new Error("The dog ate it."), { code: "eaten" });
        return { evidence: [{ docId: "dogs.md" }, { docId: "cats.md" }], answer: "warm", citations: [{ docId: "cats.md" }], usage: { llmCalls: 3 } };
      };
      const strategies = ["hybrid", "pipeline", { name: "ours", run: ours }, { name: "wrong", run: async () => ["cats.md"] }];
      const report = await kb.evaluate(cases, { agent: new Agent(kb, { llm }), strategies });
      kb.close();
      return { report, asked };
    }, null, entry);
    const [hybrid, pipeline, ours, wrong] = report.strategies;
    assert.deepEqual(hybrid.failures.map(({ code }) => code), ["no_embedder", "no_embedder"], "a search without vectors is not passed off as hybrid");
    assert.equal(hybrid.metrics.ms.mean, null);
    assert.ok(pipeline.metrics.llmCalls >= 1 && pipeline.metrics.promptTokens > 10 && pipeline.metrics.completionTokens > 0, entry);
    assert.deepEqual([pipeline.failures, pipeline.metrics.exactMatch, pipeline.metrics.f1], [[], 1, 1]);
    assert.deepEqual(asked.map(([question, isSignal]) => [question, isSignal]), [["When do cats purr?", true], ["What does a dog wag?", true]]);
    assert.deepEqual(asked[1][2], ["default"]);
    assert.deepEqual(ours.failures, [{ question: "What does a dog wag?", code: "eaten", message: "The dog ate it." }]);
    assert.deepEqual([ours.perCase[0].ranking, ours.perCase[1].failure], [["dogs.md", "cats.md"], "eaten"]);
    const { "recall@10": recall, "mrr@10": mrr, citationPrecision, exactMatch, llmCalls } = ours.metrics;
    assert.deepEqual([recall, mrr, citationPrecision, exactMatch, llmCalls], [0.5, 0.25, 1, 0, 1.5]);
    assert.deepEqual(wrong.failures.map(({ code }) => code), ["function_result", "function_result"]);
    assert.deepEqual(report.plots.find(({ title }) => title === "Failed runs").bars.map(({ value }) => value), [2, 0, 1, 2]);
  }
});

test("rows are compared with all documents that fulfil the conditions", async () => {
  const { report, codes } = await onPage(async ({ KnowledgeBase }) => {
    const kb = await KnowledgeBase.memory();
    const people = [["ada", "Berlin", 61000], ["ben", "Berlin", 48000], ["cleo", "Bonn", 70000], ["dora", "Berlin", 50500]];
    await kb.add(people.map(([id, city, salary]) => ({ id, text: `# ${id}\n\nAn employee in ${city}.`, metadata: { city, salary } })));
    const question = "Which employees in Berlin earn more than 50000?";
    const cases = [
      { question, relevant: ["ada", "dora"], rows: true },
      { question, relevant: ["ada", "ben"], rows: true },
    ];
    const ours = { name: "ours", run: async () => ({ hits: [], answer: "", output: { documents: [["default", "cleo"]] } }) };
    const report = await kb.evaluate(cases, { strategies: ["keyword", "pipeline", ours] });
    const codes = [];
    for (const one of [{ rows: 1, relevant: ["ada"] }, { rows: true, unanswerable: true }]) codes.push(await kb.evaluate([{ question, ...one }]).then(() => "taken", ({ code }) => code));
    kb.close();
    return { report, codes };
  });
  const of = ({ perCase }) => perCase.map(({ metrics: { exactRows, wrongRows, missingRows } }) => [exactRows, wrongRows, missingRows]);
  const [keyword, pipeline, ours] = report.strategies;
  assert.deepEqual(of(keyword), Array.from({ length: 2 }, () => [null, null, null]));
  assert.deepEqual(of(pipeline), [[1, 0, 0], [0, 1, 1]]);
  assert.deepEqual(of(ours), Array.from({ length: 2 }, () => [0, 1, 2]));
  assert.equal(report.plots.find(({ title }) => title === "Exactly the right rows").bars[0].value, 0.5);
  assert.deepEqual(codes, ["invalid_argument", "invalid_argument"]);
});

test("unanswerable questions measure abstaining, and do not count for rankings", async () => {
  const { report, codes } = await onPage(async ({ KnowledgeBase }) => {
    const kb = await KnowledgeBase.memory();
    await kb.add([
      { id: "ferry.md", text: "# Ferry\n\nThe Sandling ferry leaves at six. It crosses the strait in 35 minutes." },
      { id: "mill.md", text: "# Mill\n\nThe mill at Tarn was closed in 2016. Its wheel is made of oak." },
    ]);
    const cases = [
      { question: "How long does the Sandling ferry take to cross the strait?", relevant: ["ferry.md"], answer: "35 minutes" },
      { question: "When was the mill at Tarn closed?", relevant: ["mill.md"], answers: ["2016"] },
      { question: "Which orchestra played at the coronation in Lhasa?", unanswerable: true },
    ];
    const report = await kb.evaluate(cases, { strategies: ["keyword", "pipeline"] });
    const code = (more) => kb.evaluate([{ question: "q", unanswerable: true, ...more }]).then(() => "taken", (error) => error.code);
    const codes = [await code({ relevant: ["mill.md"] }), await code({ answer: "x" }), await code({ unanswerable: "yes" }), await code({ unanswerable: false })];
    kb.close();
    return { report, codes };
  });
  const [keyword, { metrics, perCase }] = report.strategies;
  assert.deepEqual([metrics.goldInAnswer, metrics.answered, metrics.falseAnswers, metrics.abstentionArea, metrics.falseAnswersAt95], [1, 1, 0, 1, 0]);
  assert.ok(metrics.answerLength > 10);
  assert.deepEqual([keyword.metrics.answered, keyword.metrics.falseAnswers, keyword.metrics["recall@10"]], [null, null, 1]);
  assert.equal(perCase[2].metrics["recall@10"], null);
  assert.equal(report.plots.find(({ title }) => title === "Questions answered").bars[0].value, 1);
  assert.deepEqual(codes, Array.from({ length: 4 }, () => "invalid_argument"));
});

test("a model writes cases, and is not shown documents that must not be sent", async () => {
  const { cases, shown, steps, sent, denied } = await onPage(async ({ KnowledgeBase }) => {
    const kb = await KnowledgeBase.memory();
    const text = (what) => `Every careful owner of ${what} writes detailed notes about their daily habits.`;
    await kb.add([{ id: "cats.txt", text: text("cats") }, { id: "dogs.txt", text: text("dogs"), metadata: { neverSend: true } }]);
    const [shown, steps] = [[], []];
    const llm = async ({ messages }, { step }) => {
      shown.push(JSON.stringify(messages));
      steps.push(step);
      return 'Here it is: {"question": "What do people with cats put down?"}';
    };
    const sent = [];
    const cases = await kb.makeCases({ llm, onSend: (entry) => sent.push(entry) });
    const denied = [];
    const byRule = await kb.makeCases({ llm, onBeforeSend: () => null, onSend: (entry) => denied.push(entry) });
    kb.close();
    return { cases, shown, steps, sent, denied: [byRule.map(({ by }) => by), denied.map(({ sent }) => sent)] };
  });
  assert.deepEqual(cases.map(({ relevant: [id], by }) => [id, by]).sort(), [["cats.txt", "llm"]]);
  assert.deepEqual(steps, ["make_case"]);
  assert.deepEqual(sent.map(({ step, sent, sources }) => [step, sent, sources.map(({ docId }) => docId)]), [["make_case", true, ["cats.txt"]]]);
  assert.deepEqual(denied, [["rule"], [false]]);
  assert.ok(shown[0].includes("cats") && !shown[0].includes("dogs"));
});

test("misuse is reported before anything runs", async () => {
  const { codes, ran, expected } = await onPage(async ({ KnowledgeBase }) => {
    const kb = await KnowledgeBase.memory();
    await kb.collection("other");
    await kb.add([{ id: "a.txt", text: "Cats purr." }, { id: "both.txt", text: "Here." }]);
    await kb.add("other", [{ id: "both.txt", text: "There." }]);
    let ran = 0;
    const spy = { name: "spy", run: async () => (ran++, { hits: [] }) };
    const good = { question: "q", relevant: ["a.txt"] };
    const code = (cases, options) => kb.evaluate(cases, { strategies: [spy], ...options }).then(() => "taken", (error) => error.code);
    const codes = [
      await code([]), await code("cases"), await code([{ question: "q" }]), await code([{ question: "q", relevant: [] }]), await code([good, { relevant: ["a.txt"] }]),
      await code([{ ...good, relevant: { "a.txt": 0 } }]), await code([{ ...good, relevent: [] }]), await code([good], { strategies: [] }),
      await code([good], { strategies: [spy, "semantic"] }), await code([good], { strategies: [spy, spy] }), await code([good], { strategies: ["react"] }),
      await code([good], { k: 0 }), await code([good], { strategy: "keyword" }), await code([{ ...good, relevant: ["both.txt"] }]),
      await code([{ ...good, relevant: ["a.txt", "missing.txt"] }]), await code([{ ...good, collection: "other" }]),
      await code([{ ...good, collection: "nowhere" }]), await kb.makeCases({ count: 0 }).catch((error) => error.code),
      await kb.makeCases({ cuont: 1 }).catch((error) => error.code),
    ];
    const expected = await kb.evaluate([good], { strategies: ["semantic"] }).catch((error) => error.message);
    kb.close();
    return { codes, ran, expected };
  });
  const invalid = (count) => Array(count).fill("invalid_argument");
  assert.deepEqual(codes, [...invalid(14), "unknown_document", "unknown_document", "unknown_collection", ...invalid(2)]);
  assert.equal(ran, 0);
  assert.match(expected, /keyword, vector, hybrid, hops, pipeline/);
});

test("a running evaluation can be aborted", async () => {
  const { code, done, before } = await onPage(async () => {
    const { kb } = window;
    const cases = await kb.makeCases({ count: 5 });
    const abort = new AbortController();
    let done = 0;
    const onProgress = (at) => {
      done = at.done;
      if (done === 3) abort.abort();
    };
    const code = await kb.evaluate(cases, { strategies: ["keyword", "pipeline"], signal: abort.signal, onProgress }).catch((error) => error.code);
    const hanging = new AbortController();
    setTimeout(() => hanging.abort(), 50);
    const never = { name: "never", run: () => new Promise(() => {}) };
    const before = [
      await kb.evaluate(cases, { signal: AbortSignal.abort() }).catch((error) => error.code),
      await kb.evaluate(cases, { strategies: [never], signal: hanging.signal }).catch((error) => error.code),
      await kb.makeCases({ signal: AbortSignal.abort() }).catch((error) => error.code),
    ];
    return { code, done, before };
  });
  assert.deepEqual([code, done, before], ["aborted", 3, ["aborted", "aborted", "aborted"]]);
});

test("a run in the browser becomes spans with its times", async () => {
  const { list, took } = await onPage(async ({ Agent }) => {
    const { spans } = await import("/vademecum/otel.js");
    const run = new Agent(window.kb).pipeline("What is ownership?").search().reason().answer().ground().run();
    const events = [];
    for await (const event of run) events.push(event);
    return { list: spans(events), took: events.at(-1).durationMs };
  });
  assert.deepEqual(list.filter(({ parent }) => parent === 0).map(({ name }) => name), ["search", "reason", "answer", "ground"]);
  assert.ok(Math.abs(list[0].endMs - took) < 50, `${list[0].endMs} ${took}`);
  for (const { name, startMs, endMs, parent } of list.slice(1)) {
    assert.ok(list[parent].startMs <= startMs && startMs <= endMs && endMs <= list[parent].endMs, name);
  }
});

test("no request left the origin", () => {
  assert.deepEqual(demo.origins(), [ORIGIN]);
});
