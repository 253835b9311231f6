// The public API of the agent: every kind of LLM function, users' functions, budgets, and every `terminatedBy`.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { onPage as runOn } from "../support/on-page.mjs";

const ENTRIES = ["index.js", "direct.js"];
let demo;
let page;

before(async () => {
  demo = await startDemo();
  page = demo.page;
  await page.goto(`${ORIGIN}/icon.svg`);
});
after(() => demo?.close());

/** Runs `body({ kb, Agent, testing, observe, rest }, argument)` on the page, with two small documents. */
const onPage = (body, argument, entry) =>
  runOn(
    page,
    `async ({ KnowledgeBase, Agent, testing }, _, argument) => {
      const kb = await KnowledgeBase.memory();
      await kb.collection("dogs");
      await kb.add([{ id: "cats.txt", text: "Cats purr when they are content." }]);
      await kb.add("dogs", [{ id: "dogs.txt", text: "Dogs wag their tails when they are content." }]);
      const observe = async (run) => {
        const events = [];
        for await (const event of run) events.push(event);
        const result = await run.result;
        const types = events.map(({ type }) => type);
        return { events, types, result, ends: types.filter((type) => type === "done").length, last: types.at(-1) };
      };
      const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      try {
        return await (${body})({ kb, Agent, testing, observe, rest }, argument);
      } finally {
        kb.close();
      }
    }`,
    argument,
    entry,
  );

test("an answer may arrive in every supported form", async () => {
  const answers = await onPage(async ({ kb, Agent, observe }) => {
    const words = ["When ", "content [1]."];
    const completion = { choices: [{ message: { content: words.join("") } }] };
    const chunks = words.map((content) => ({ choices: [{ delta: { content } }] }));
    const sse = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("") + "data: [DONE]\n\n";
    const streamOf = (parts) => new ReadableStream({ start: (it) => (parts.forEach((part) => it.enqueue(part)), it.close()) });
    const forms = {
      json: () => new Response(JSON.stringify(completion)),
      events: async () => new Response(sse, { headers: { "content-type": "text/event-stream" } }),
      body: () => new Response(sse).body,
      completion: () => completion,
      promised: async () => completion,
      text: () => words.join(""),
      promisedText: async () => words.join(""),
      deltas: async function* () { yield* words; },
      chunks: async function* () { yield* chunks; },
      gaps: async function* () { yield null; yield* words; yield undefined; },
      generator: function* () { yield* words; },
      list: () => words,
      textStream: () => streamOf(words),
      chunkStream: async () => streamOf(chunks),
    };
    const answers = {};
    for (const [form, llm] of Object.entries(forms)) {
      const { result, types, ends, last } = await observe(new Agent(kb, { llm }).pipeline("When do cats purr?").search().answer().run());
      answers[form] = [result.answer, result.answeredBy, result.citations[0]?.docId, types.includes("token"), ends, last];
    }
    return answers;
  });
  for (const [form, answer] of Object.entries(answers)) {
    assert.deepEqual(answer, ["When content [1].", "llm", "cats.txt", true, 1, "done"], form);
  }
});

test("every kind of LLM failure is reported by its code, and the documents answer", async () => {
  const outcomes = await onPage(async ({ kb, Agent, observe }) => {
    const broken = () => new Response(new ReadableStream({
      start: (it) => it.enqueue(new TextEncoder().encode('data: {"choices":[{"delta":{"content":"Begun "}}]}\n\n')),
      pull: (it) => it.error(new TypeError("network error")),
    }));
    const forms = {
      thrown: () => { throw new Error("no memory"); },
      rejected: () => Promise.reject(new Error("no memory")),
      inBetween: async function* () { yield "Begun "; throw new Error("no memory"); },
      broken,
      number: () => 42,
      nothing: () => null,
      function: () => () => "x",
      circle: () => { const it = {}; it.it = it; return it; },
      notFound: () => new Response("<!doctype html><h1>Not Found</h1>", { status: 404, headers: { "content-type": "text/html" } }),
      page: () => new Response("<!doctype html><h1>It works!</h1>", { headers: { "content-type": "text/html" } }),
      empty: () => "",
      gaps: () => [null, undefined],
      other: () => ({ data: { choices: [] }, status: 200 }),
      wrongDeltas: async function* () { yield 7; },
    };
    const outcomes = {};
    for (const [form, llm] of Object.entries(forms)) {
      const { result, events, ends, last } = await observe(new Agent(kb, { llm }).pipeline("When do cats purr?").search().answer().run());
      const failed = events.filter(({ type }) => type === "failed");
      outcomes[form] = {
        code: result.failures?.[0]?.code,
        rest: [result.terminatedBy, result.error, result.answeredBy, result.answer, failed.length, Boolean(failed[0]?.fallback), ends, last],
      };
    }
    return outcomes;
  });
  const llmFailed = ["thrown", "rejected", "inBetween", "broken", "number", "nothing", "function", "circle"];
  const expected = { notFound: "llm_http", page: "llm_reply", empty: "llm_reply", gaps: "llm_reply", other: "llm_reply", wrongDeltas: "llm_reply" };
  for (const form of llmFailed) expected[form] = "llm_failed";
  for (const [form, { code, rest }] of Object.entries(outcomes)) {
    assert.equal(code, expected[form], form);
    assert.deepEqual(rest, ["completed", null, "rule", "Cats purr when they are content. [1]", 1, true, 1, "done"], form);
  }
});

test("with every adversarial reply, a run ends with an answer and one terminal event", async () => {
  for (const entry of ENTRIES) {
    const outcomes = await onPage(async ({ kb, Agent, testing, observe }) => {
      const llm = testing.adversarial(4);
      const agent = new Agent(kb, { llm, budget: { ms: 20_000 } });
      const outcomes = [];
      for (const kind of llm.kinds) {
        const { result, ends, last } = await observe(agent.pipeline("When do cats purr?").search().answer().run());
        outcomes.push({ kind, ends, last, answer: typeof result.answer, error: result.error, terminatedBy: result.terminatedBy });
      }
      return outcomes;
    }, null, entry);
    for (const { kind, ...outcome } of outcomes) {
      assert.deepEqual(outcome, { ends: 1, last: "done", answer: "string", error: null, terminatedBy: "completed" }, `${entry}: ${kind}`);
    }
  }
});

const EVERY_STEP = (pipeline) =>
  pipeline.gate().rewrite().select().expand().decompose().search({ selfCorrect: true }).rerank().reason().answer().ground({ correct: true });

test("every step of the pipeline completes, by rules alone and with a cooperative model", async () => {
  for (const entry of ENTRIES) {
    const [byRule, byModel] = await onPage(async ({ kb, Agent, testing, observe }, everyStep) => {
      const steps = eval(everyStep);
      const question = "When do cats purr, and when do dogs wag their tails?";
      return Promise.all([undefined, testing.heuristic()].map(async (llm) => {
        const { result, events, ends, last } = await observe(steps(new Agent(kb, { llm }).pipeline(question)).run());
        const stops = events.filter(({ type }) => type === "stop").map(({ step, metadata }) => [step, metadata.by]);
        const { answer, answeredBy, error, failures, terminatedBy, usage, subQuestions, grounding } = result;
        return { ends, last, stops, answer, answeredBy, error, failures, terminatedBy, calls: usage.llmCalls, subQuestions, supported: grounding.map((one) => one.supported) };
      }));
    }, EVERY_STEP.toString(), entry);
    const names = ["gate", "rewrite", "select", "expand", "decompose", "search", "rerank", "reason", "answer", "ground"];
    for (const outcome of [byRule, byModel]) {
      assert.deepEqual([outcome.ends, outcome.last, outcome.error, outcome.failures ?? []], [1, "done", null, []], entry);
      assert.deepEqual(outcome.stops.map(([step]) => step), names);
      assert.ok(outcome.supported.length > 0 && outcome.supported.every(Boolean), JSON.stringify(outcome));
    }
    assert.deepEqual([byRule.calls, byRule.answeredBy, byRule.stops.some(([, by]) => by === "llm")], [0, "rule", false]);
    assert.match(byRule.answer, /Cats purr.*Dogs wag/s);
    assert.deepEqual([byModel.answeredBy, byModel.calls >= 8], ["llm", true]);
  }
});

test("with adversarial replies in any order, a run ends with an answer, within its budget, and with one terminal event", async () => {
  const outcomes = await onPage(async ({ kb, Agent, testing, observe }, everyStep) => {
    const steps = eval(everyStep);
    const outcomes = [];
    for (let seed = 1; seed <= 6; seed++) {
      const llm = testing.adversarial(seed);
      const agent = new Agent(kb, { llm, budget: { ms: 6_000, llmCalls: 30 } });
      const started = performance.now();
      const { result, ends, last } = await observe(steps(agent.pipeline("When do cats purr?")).run());
      outcomes.push({
        ends, last, answer: typeof result.answer, error: result.error, played: llm.played.length, calls: result.usage.llmCalls,
        onTime: performance.now() - started < 12_000, end: ["completed", "budget"].includes(result.terminatedBy),
      });
    }
    return outcomes;
  }, EVERY_STEP.toString());
  for (const { played, calls, ...outcome } of outcomes) {
    assert.deepEqual(outcome, { ends: 1, last: "done", answer: "string", error: null, onTime: true, end: true });
    assert.ok(played >= 5 && calls <= 30, `${played} ${calls}`);
  }
});

test("with any bad reply at every step, a run ends with an answer, within its budget, and with one terminal event", { timeout: 120_000 }, async () => {
  const outcomes = await onPage(async ({ kb, Agent, testing, observe }, everyStep) => {
    const steps = eval(everyStep);
    const play = async (kind) => {
      const llm = testing.adversarial(1, { only: kind });
      const agent = new Agent(kb, { llm, budget: { ms: 3_000, llmCalls: 30 } });
      const started = performance.now();
      const { result, ends, last } = await observe(steps(agent.pipeline("When do cats purr?")).run());
      return {
        kind, ends, last, answer: typeof result.answer, error: result.error, terminatedBy: result.terminatedBy, calls: result.usage.llmCalls,
        played: llm.played, ms: performance.now() - started,
      };
    };
    // In parallel, because most of them wait, but in groups, because some keep the engine busy.
    const { kinds } = testing.adversarial();
    const outcomes = [];
    for (let at = 0; at < kinds.length; at += 6) outcomes.push(...(await Promise.all(kinds.slice(at, at + 6).map(play))));
    return outcomes;
  }, EVERY_STEP.toString());
  assert.equal(outcomes.length, 21);
  for (const { kind, terminatedBy, calls, played, ms, ...outcome } of outcomes) {
    assert.deepEqual(outcome, { ends: 1, last: "done", answer: "string", error: null }, kind);
    assert.ok(["completed", "budget"].includes(terminatedBy), `${kind}: ${terminatedBy}`);
    assert.ok(calls <= 30 && played.length > 0 && played.every((one) => one === kind), `${kind}: ${calls} calls, ${played}`);
    assert.ok(ms < 15_000, `${kind} took ${ms} ms`);
  }
});

test("a custom searcher, prompt, LLM and step take part, in a worker and on the calling thread", async () => {
  for (const entry of ENTRIES) {
    const outcome = await onPage(async ({ kb, Agent, testing, observe }) => {
      const told = {};
      const searcher = async (question, collection, { signal, ...limits }) => {
        told.searcher = [question, collection, limits, signal instanceof AbortSignal];
        return [{ id: "web-1", text: "The web says so.", title: "Web", extra: 1 }];
      };
      const prompt = async ({ question, chunks }, { signal }) => `${question} ${chunks.length} ${signal instanceof AbortSignal}`;
      const own = testing.scripted(["Own [1]."]);
      const general = testing.scripted(["General."]);
      const step = (context, { signal }) => {
        told.step = [context.question, context.results[0].chunks[0].id, signal instanceof AbortSignal];
        return { answer: `${context.answer}!`, note: { seen: true } };
      };
      const { result, events } = await observe(
        new Agent(kb, { llm: general }).pipeline("Who?", { limit: 3, collections: ["dogs"] }).search({ searcher }).answer({ prompt, llm: own }).step("emphasise", step).run(),
      );
      const { answer, answeredBy, citations, custom, toolCalls, reasoningTrace } = result;
      return {
        told, answer, answeredBy, cited: citations[0].docId, custom, asked: own.requests[0].request.messages.at(-1).content, general: general.requests.length,
        tools: toolCalls.map(({ step, tool }) => [step, tool]), told2: events.filter(({ type }) => type === "tool").length,
        thought: reasoningTrace.at(-1), starts: events.filter(({ type }) => type === "start").map(({ step }) => step),
      };
    }, null, entry);
    assert.deepEqual(outcome.told, { searcher: ["Who?", "dogs", { limit: 3, hops: 1 }, true], step: ["Who?", "web-1", true] });
    assert.deepEqual([outcome.answer, outcome.answeredBy, outcome.cited, outcome.custom], ["Own [1].!", "function", "web-1", { note: { seen: true } }]);
    assert.deepEqual([outcome.asked, outcome.general], ["Who? 1 true", 0]);
    assert.deepEqual(outcome.tools, [["search", "function"], ["search", "search"], ["answer", "function"], ["answer", "llm"], ["emphasise", "function"]]);
    assert.equal(outcome.told2, outcome.tools.length);
    assert.deepEqual(outcome.thought, { step: "emphasise", by: "function", text: "changed answer, note" });
    assert.deepEqual(outcome.starts, ["search", "answer", "emphasise"]);
  }
});

test("a function that fails or returns the wrong type ends the run with an error that names it", async () => {
  const outcomes = await onPage(async ({ kb, Agent }) => {
    const agent = new Agent(kb);
    const pipelines = {
      throws: agent.pipeline("q?").step("mine", () => { throw Object.assign(new RangeError("no way"), { code: "far" }); }),
      function: agent.pipeline("q?").step("mine", () => ({ open: () => {} })),
      number: agent.pipeline("q?").step("mine", () => 7),
      searcher: agent.pipeline("q?").search({ searcher: () => [{ id: "a" }] }).answer(),
      list: agent.pipeline("q?").step("mine", () => ({ subQuestions: "one" })),
    };
    const outcomes = {};
    for (const [name, pipeline] of Object.entries(pipelines)) {
      const { error, terminatedBy } = await pipeline.run().result;
      outcomes[name] = [terminatedBy, error.code, error.step, error.message, error.cause];
    }
    return outcomes;
  });
  /** @type {Record<string, [string, string, RegExp]>} */
  const expected = {
    throws: ["function_failed", "mine", /1\.custom\.function.*no way/],
    function: ["function_result", "mine", /its result\.open is a function/],
    number: ["function_result", "mine", /7/],
    searcher: ["function_result", "search", /`id` and `text`/],
    list: ["function_result", "mine", /subQuestions/],
  };
  for (const [name, [code, step, message]] of Object.entries(expected)) {
    const [terminatedBy, ...told] = outcomes[name];
    assert.deepEqual([terminatedBy, ...told.slice(0, 2)], ["error", code, step], name);
    assert.match(told[2], message, name);
    assert.deepEqual(told[3], name === "throws" ? { name: "RangeError", message: "no way", code: "far" } : undefined, name);
  }
});

test("an aborted run ends at once, reports it once, and stops reading", async () => {
  for (const entry of ENTRIES) {
    const outcomes = await onPage(async ({ kb, Agent, observe, rest }) => {
      const left = {};
      const delta = new TextEncoder().encode('data: {"choices":[{"delta":{"content":"on "}}]}\n\n');
      const endless = (name) => ({ next: async () => (await rest(1), { value: "on ", done: false }), return: async () => (left[name] = true), [Symbol.asyncIterator]() { return this; } });
      const forms = {
        response: () => new Response(new ReadableStream({ pull: (it) => rest(1).then(() => it.enqueue(delta)), cancel: () => { left.response = true; } })),
        stream: () => new ReadableStream({ pull: (it) => rest(1).then(() => it.enqueue("on ")), cancel: () => { left.stream = true; } }),
        iterable: () => endless("iterable"),
        generator: function* () { try { for (;;) yield "on "; } finally { left.generator = true; } },
        silent: (_, { signal }) => new Promise(() => signal.addEventListener("abort", () => (left.silent = true))),
      };
      const outcomes = {};
      for (const [name, llm] of Object.entries(forms)) {
        const abort = new AbortController();
        let called;
        const began = new Promise((resolve) => (called = resolve));
        const run = new Agent(kb, { llm: (...call) => (called(), llm(...call)) }).pipeline("When do cats purr?").search().answer().run({ signal: abort.signal });
        const observed = observe(run);
        await began;
        await rest(5);
        const started = performance.now();
        abort.abort();
        const { result, types, ends, last } = await observed;
        const ms = performance.now() - started;
        await rest(20);
        const { types: later } = await observe(run);
        outcomes[name] = { ms, rest: [result.terminatedBy, ends, last, later.length === types.length, left[name]] };
      }
      return outcomes;
    }, null, entry);
    for (const [form, { ms, rest }] of Object.entries(outcomes)) {
      assert.deepEqual(rest, ["aborted", 1, "done", true, true], `${entry}: ${form}`);
      assert.ok(ms < 1000, `${entry}: ${form} ended after ${ms} ms`);
    }
  }
});

test("a run that is stopped or out of time ends its pending search", async () => {
  for (const entry of ENTRIES) {
    const ends = await runOn(page, async ({ KnowledgeBase, Embedder, Agent }) => {
      let asked;
      const embed = (texts, { kind, signal }) => {
        if (kind === "document") return texts.map(() => [1, 0]);
        return new Promise((_, reject) => asked({ left: new Promise((resolve) => signal.addEventListener("abort", () => (reject(signal.reason), resolve(true)))) }));
      };
      const kb = await KnowledgeBase.memory({ embedder: Embedder.custom(embed) });
      await kb.add([{ id: "cats.txt", text: "Cats purr when they are content." }]);
      const ends = [];
      for (const how of ["stopped", "out of time"]) {
        const began = new Promise((resolve) => (asked = resolve));
        const abort = new AbortController();
        const budget = how === "stopped" ? {} : { ms: 1000 };
        const run = new Agent(kb, { budget }).pipeline("When do cats purr?").search().answer().run({ signal: abort.signal });
        const { left } = await began;
        if (how === "stopped") abort.abort();
        ends.push([how, (await run.result).terminatedBy, await left]);
      }
      await kb.close();
      return ends;
    }, null, entry);
    assert.deepEqual(ends, [["stopped", "aborted", true], ["out of time", "budget", true]], entry);
  }
});

test("a run that is out of time quotes, and abandons pending functions", async () => {
  for (const entry of ENTRIES) {
    const outcomes = await onPage(async ({ kb, Agent, observe, rest }) => {
      const forms = (leave) => ({
        stream: () => new ReadableStream({ pull: (it) => rest(5).then(() => it.enqueue("on ")), cancel: leave }),
        generator: async function* () { try { for (;;) { await rest(5); yield "on "; } } finally { leave(); } },
        silent: (_, { signal }) => new Promise(() => signal.addEventListener("abort", leave)),
      });
      const outcomes = {};
      for (const name of Object.keys(forms())) {
        let left = false;
        const llm = forms(() => { left = true; })[name];
        const started = performance.now();
        const agent = new Agent(kb, { llm, budget: { ms: 300 } });
        const { result, ends, last } = await observe(agent.pipeline("When do cats purr?").search().answer().run());
        const ms = performance.now() - started;
        for (let wait = 0; wait < 100 && !left; wait++) await rest(5);
        outcomes[name] = { ms, rest: [result.terminatedBy, result.budgetExhausted, result.answeredBy, result.answer, result.failures[0].code, ends, last, left] };
      }
      return outcomes;
    }, null, entry);
    for (const [form, { ms, rest }] of Object.entries(outcomes)) {
      assert.deepEqual(rest, ["budget", "ms", "rule", "Cats purr when they are content. [1]", "budget_exhausted", 1, "done", true], `${entry}: ${form}`);
      assert.ok(ms >= 250 && ms < 3000, `${entry}: ${form} took ${ms} ms`);
    }
  }
});

test("a busy server is retried when it asks to be, with a limit", async () => {
  const outcome = await onPage(async ({ kb, Agent, testing, observe }) => {
    const busy = () => new Response('{"error":{"message":"slow down"}}', { status: 429, headers: { "retry-after": "0.2" } });
    const run = async (replies, options) => {
      const llm = testing.scripted(replies);
      const started = performance.now();
      const { result } = await observe(new Agent(kb, { llm, ...options }).pipeline("When do cats purr?").search().answer().run());
      const failure = result.failures?.[0];
      return { ms: performance.now() - started, calls: llm.requests.length, counted: result.usage.llmCalls, by: result.answeredBy, failure };
    };
    return {
      once: await run([busy, "When content [1]."]),
      always: await run([busy, busy, busy, busy]),
      short: await run([busy, busy], { budget: { llmCalls: 1 } }),
      thrown: await run([Object.assign(new Error("slow down"), { status: 429, headers: { "retry-after": "0.2" } }), "When content [1]."]),
      refused: await run([() => new Response('{"error":"bad key"}', { status: 401 }), "never"]),
    };
  });
  const { once, always, short, thrown, refused } = outcome;
  assert.deepEqual([once.calls, once.counted, once.by, once.failure], [2, 2, "llm", undefined]);
  assert.ok(once.ms >= 200, `waited ${once.ms} ms`);
  assert.deepEqual([thrown.calls, thrown.counted, thrown.by, thrown.failure], [2, 2, "llm", undefined]);
  assert.deepEqual([always.calls, always.by, always.failure.code, always.failure.retryable], [3, "rule", "llm_http", true]);
  assert.deepEqual([short.calls, short.by], [1, "rule"]);
  assert.deepEqual([refused.calls, refused.failure.code, refused.failure.retryable], [1, "llm_http", false]);
});

test("a saved pipeline is restored and does the same", async () => {
  const [before, after, data] = await onPage(async ({ kb, Agent }) => {
    const agent = new Agent(kb);
    const pipeline = agent.pipeline("When do dogs wag?", { limit: 2, collections: ["default", "dogs"] })
      .search().step("count", ({ results }) => ({ count: results.length })).answer();
    const saved = JSON.stringify(pipeline);
    const read = agent.pipelineFrom(JSON.parse(saved), pipeline.functions);
    const told = async (one) => {
      const { answer, custom, citations } = await one.run().result;
      return { answer, custom, cited: citations.map(({ chunkId }) => chunkId) };
    };
    return [await told(pipeline), await told(read), JSON.parse(saved)];
  });
  assert.deepEqual(before, after);
  assert.deepEqual(before.custom, { count: 2 });
  assert.match(before.answer, /Dogs wag their tails/);
  assert.deepEqual(data.steps[1], { step: "custom", name: "count", function: "2.custom.function" });
});

test("a recorded run is replayed without its LLM", async () => {
  const { live, again, changed, bundle, same, differences } = await onPage(async ({ kb, Agent, testing }) => {
    const recording = testing.recorder(testing.heuristic());
    const run = (llm, question) => llm.watch(new Agent(kb, { llm }).pipeline(question).search().answer().run(), kb);
    const live = await run(recording, "When do cats purr?");
    const bundle = JSON.parse(JSON.stringify(recording.bundle()));
    const replayed = testing.replay(bundle);
    const again = await run(replayed, "When do cats purr?");
    const changed = await run(testing.replay(bundle), "When do cats sleep?");
    await kb.add([{ id: "lions.txt", text: "Lions purr, too." }]);
    const elsewhere = testing.replay(bundle);
    await run(elsewhere, "When do cats purr?");
    return {
      live: [live.answer, live.answeredBy], again: [again.answer, again.answeredBy], changed: changed.failures[0].message,
      bundle, same: replayed.differences(), differences: elsewhere.differences(),
    };
  });
  assert.deepEqual(live, ["Cats purr when they are content. [1]", "llm"]);
  assert.deepEqual(again, live);
  assert.match(changed, /no reply to this request of step `answer`/);
  assert.match(bundle.runs[0].index, /^[0-9a-f]{16}$/);
  assert.deepEqual(bundle.runs[0].searches.map(({ chunks }) => chunks), [["default/cats.txt#0"]]);
  assert.deepEqual(same, []);
  assert.deepEqual(differences.map(({ what }) => what), ["index", "search", "request"]);
  assert.deepEqual(differences[1].now.toSorted(), ["default/cats.txt#0", "default/lions.txt#0"]);
});

test("an agent over a closed knowledge base, or a run without steps or words, is refused", async () => {
  const codes = await onPage(async ({ kb, Agent }) => {
    const agent = new Agent(kb);
    const code = (pipeline) => pipeline.run().result.then(() => "none", (error) => error.code);
    const codes = [await code(agent.pipeline("q?")), await code(agent.pipeline(" ?").search()), await code(agent.pipeline("q?").search())];
    await kb.close();
    return [...codes, await code(agent.pipeline("q?").search())];
  });
  assert.deepEqual(codes, ["invalid_argument", "empty_question", "none", "closed"]);
});

test("no request left the origin", () => {
  assert.deepEqual(demo.origins(), [ORIGIN]);
});
