// Looping styles over a synthetic library of a company's documents, in a worker and in place; stopped runs are resumed in another
// tab.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { onPage as runOn } from "../support/on-page.mjs";

const ENTRIES = ["index.js", "direct.js"];
const corpus = (name) => readFileSync(new URL(`../../data/corpus/${name}`, import.meta.url), "utf8");
const COLLECTIONS = JSON.parse(corpus("collections.json")).map(({ name, ...options }) => ({
  name,
  options,
  documents: corpus(`${name}.jsonl`).trim().split("\n").map((line) => JSON.parse(line)),
}));

let demo;
let page;
before(async () => {
  demo = await startDemo();
  page = demo.page;
  await page.goto(`${ORIGIN}/icon.svg`);
});
after(() => demo?.close());

/** Runs `body({ kb, Agent, observe, … }, argument)` with the synthetic library. */
const onPage = (body, argument, entry, where = page) =>
  runOn(
    where,
    `async ({ KnowledgeBase, Agent, testing: { adversarial } }, _, { collections, argument }) => {
      const kb = await KnowledgeBase.memory();
      for (const { name, options, documents } of collections) {
        await kb.collection(name, options);
        await kb.add(name, documents);
      }
      const observe = async (run) => {
        const events = [];
        for await (const event of run) events.push(event);
        return { result: await run.result, types: events.map(({ type, step }) => [type, step].filter(Boolean).join(" ")) };
      };
      const call = (name, args) => ({ choices: [{ message: { content: null, tool_calls: [
        { id: "call-" + Math.random().toString(36).slice(2), type: "function", function: { name, arguments: JSON.stringify(args) } },
      ] } }] });
      try {
        return await (${body})({ kb, Agent, observe, call, adversarial }, argument);
      } finally {
        await kb.close();
      }
    }`,
    { collections: COLLECTIONS, argument },
    entry,
  );

for (const entry of ENTRIES) {
  test(`${entry}: a model with tools searches, uses a tool of the user's, and answers with sources`, async () => {
    const { result, types, told } = await onPage(async ({ kb, Agent, observe, call }) => {
      const told = [];
      const llm = (request) => {
        const results = request.messages.filter(({ role }) => role === "tool");
        told.push(...results.slice(told.length).map(({ content }) => content));
        if (results.length === 0) return call("search", { query: "ACME support contract notice period" });
        if (results.length === 1) return call("today", { zone: "UTC" });
        return call("final_answer", { answer: "90 days to the end of a contract year [1]." });
      };
      const agent = new Agent(kb, { llm }).tool({
        name: "today",
        description: "The date of today.",
        parameters: { type: "object", properties: { zone: { type: "string" } } },
        safe: true,
        execute: async ({ zone }) => `2026-01-02 ${zone}`,
      });
      return { told, ...(await observe(agent.react("With what notice does the ACME support contract end?", { citations: true }))) };
    }, null, entry);
    assert.deepEqual(types.filter((type) => /^(start|done)/.test(type)), ["start think", "start act", "start think", "start act", "start think", "start ground", "done"]);
    assert.match(told[1], /2026-01-02 UTC/);
    assert.equal(result.answer, "90 days to the end of a contract year [1].");
    assert.deepEqual([result.searchCount, result.iterations, result.sources.length, result.terminatedBy], [1, 3, 1, "completed"]);
    assert.deepEqual(Object.keys(result.sources[0]).sort(), ["page", "path", "score", "title"]);
    assert.ok(result.reasoningSteps.length > 2 && result.ledger.filter(({ tool }) => !tool).length === 3);
  });

  test(`${entry}: the state of a graph run is its result`, async () => {
    const { result } = await onPage(async ({ kb, Agent, observe }) => {
      const llm = (_, { step }) =>
        ({
          analyze_query: '{"intent": "compare", "concepts": ["GenServer", "Agent"], "calls": [{"tool": "keyword_search", "args": {"query": "GenServer"}}, {"tool": "vector_search", "args": {"query": "Agent state"}}]}',
          grade_results: '{"status": "enough", "reason": "both are there"}',
          synthesize: "A GenServer answers calls [1], an Agent keeps state [2].",
        })[step];
      return observe(new Agent(kb, { llm }).graph("How do GenServer and Agent differ?"));
    }, null, entry);
    assert.deepEqual([result.query, result.iteration, result.maxIterations, result.needsMoreInfo], ["How do GenServer and Agent differ?", 1, 3, false]);
    assert.deepEqual(result.queryAnalysis, { intent: "compare", concepts: ["GenServer", "Agent"] });
    assert.deepEqual(result.toolCallsMade.map(({ tool }) => tool), ["keyword_search", "vector_search"]);
    assert.deepEqual(result.retrievalPlan.map(({ tool }) => tool), ["keyword_search", "vector_search"]);
    assert.deepEqual(result.messages.map(({ role }) => role), ["user", "assistant"]);
    assert.ok(result.documents.length > 1 && result.citations.length === 2);
    assert.deepEqual(result.coverage.map(({ kind }) => kind), ["subQuestion", "subQuestion"]);
  });

  test(`${entry}: an investigation that has to ask goes on in another tab, on another day`, async () => {
    const asked = await onPage(async ({ kb, Agent, observe }) => observe(new Agent(kb).investigate("Find contracts from 2024")), null, entry);
    assert.equal(asked.result.terminatedBy, "clarify");
    assert.ok(asked.types.includes("clarify review"));
    const { clarification, state } = asked.result;
    assert.deepEqual([clarification.type, clarification.options[0].id], ["no_results", "without:year"]);
    const other = await page.context().newPage();
    await other.goto(`${ORIGIN}/icon.svg`);
    const saved = JSON.parse(JSON.stringify(state));
    const { answered, exact, refused } = await onPage(async ({ kb, Agent }, saved) => {
      const agent = new Agent(kb);
      const refused = await agent.resume({ ...saved, version: 7 }).result.catch(({ code }) => code);
      return { answered: await agent.resume(saved, "Yes, search all years").result, exact: await agent.resume(saved, "without:year").result, refused };
    }, saved, entry, other);
    await other.close();
    assert.deepEqual([answered.terminatedBy, answered.indexChanged], ["completed", undefined]);
    assert.ok(answered.answer && answered.output.rows.length > 10);
    assert.equal(exact.answer, answered.answer);
    assert.equal(refused, "invalid_state");
  });

  test(`${entry}: a conversation goes on from what the user is asked, also where it was read back, and later questions know of it`, async () => {
    const { first, pending, turns, history } = await onPage(async ({ kb, Agent }) => {
      const agent = new Agent(kb);
      const chat = agent.conversation({ style: "investigate", keep: "papers" });
      const first = await chat.ask("Find contracts from 2024").result;
      const again = agent.conversationFrom(JSON.parse(JSON.stringify(chat)));
      await again.ask("Yes, search all years").result;
      await chat.ask("Yes, search all years").result;
      const { history } = await chat.ask("Which of them are leases?").result;
      return { first, pending: again.pending, turns: [again.turns[0], chat.turns[0]], history };
    }, null, entry);
    assert.equal(first.terminatedBy, "clarify");
    for (const { question, answer } of turns) assert.ok(question === "Find contracts from 2024" && answer);
    assert.deepEqual([pending, history.map(({ question }) => question)], [null, ["Find contracts from 2024"]]);
  });

  test(`${entry}: a run whose tab was closed goes on from its last checkpoint`, async () => {
    const { states, whole } = await onPage(async ({ kb, Agent }) => {
      const states = [];
      const stop = new AbortController();
      const llm = (request, { step }) => {
        if (step === "synthesize") stop.abort();
        return step === "analyze_query" ? '{"calls": [{"tool": "keyword_search", "args": {"query": "acetone flash point"}}]}' : '{"status": "enough"}';
      };
      const run = new Agent(kb, { llm }).graph("When does acetone burn?", { signal: stop.signal, onCheckpoint: (state) => states.push(state) });
      return { whole: await run.result, states };
    }, null, entry);
    assert.deepEqual([whole.terminatedBy, states.length], ["aborted", 3]);
    const result = await onPage(
      async ({ kb, Agent }, saved) => new Agent(kb, { llm: () => "At -20 °C [1]." }).resume(saved).result,
      JSON.parse(JSON.stringify(states.at(-1))),
      entry,
    );
    assert.deepEqual([result.answer, result.terminatedBy, result.citations.length], ["At -20 °C [1].", "completed", 1]);
    assert.deepEqual(result.stepsTaken, ["analyze_query", "execute_tools", "grade_results", "synthesize", "ground"]);
    assert.equal(result.usage.llmCalls, 3, "what was spent before counts");
  });

  test(`${entry}: no reply, however bad, keeps a style from ending once, within its budget`, async () => {
    const bad = await onPage(async ({ kb, Agent, adversarial }) => {
      const wrong = [];
      for (const kind of adversarial().kinds) {
        for (const style of ["react", "investigate", "graph"]) {
          const llm = adversarial(1, { only: kind });
          const agent = new Agent(kb, { llm, budget: { llmCalls: 6, ms: 1500 } });
          const run = agent[style]("Find ACME contracts regarding termination", { topK: 3 });
          const events = [];
          for await (const event of run) events.push(event.type);
          const result = await run.result;
          const done = events.filter((type) => type === "done").length;
          const fits = done === 1 && events.at(-1) === "done" && result.usage.llmCalls <= 6 && (result.answer || result.abstained || result.clarification || result.error?.code);
          if (!fits) wrong.push([kind, style, done, result.usage.llmCalls, result.terminatedBy, result.answer]);
        }
      }
      return wrong;
    }, null, entry);
    assert.deepEqual(bad, []);
  });
}

test("errors in a style, a tool or a reply are reported before anything runs", async () => {
  const told = await onPage(async ({ kb, Agent }) => {
    const agent = new Agent(kb);
    const code = (work) => {
      try {
        return work()?.result?.then(() => "none", (error) => error.code) ?? "none";
      } catch (error) {
        return `${error.code}: ${error.message}`;
      }
    };
    return Promise.all([
      code(() => agent.react(7)),
      code(() => agent.react("q", { maxIterations: 11 })),
      code(() => agent.graph("q", { maxItrations: 2 })),
      code(() => agent.tool({ name: "bad name", execute: () => 1 })),
      code(() => agent.tool({ name: "ok" })),
      code(() => agent.resume(null)),
      code(() => agent.resume("text", "yes")),
      code(() => agent.react("   ")),
    ]);
  }, null, "index.js");
  const start = told.map((one) => one.split(":")[0]);
  assert.deepEqual(start, ["invalid_argument", "invalid_argument", "invalid_argument", "invalid_argument", "invalid_argument", "invalid_state", "invalid_state", "empty_question"]);
  assert.match(told[2], /maxIterations/, "the nearest name is named");
});

test("documents can be listed by a filter, and searched individually", async () => {
  const { listing, hits } = await onPage(async ({ kb }) => ({
    listing: await kb.documents({ collections: ["invoices"], filters: { vendor_name: "Acme", total_amount: { ">": 1000 } }, limit: 3 }),
    hits: (await kb.search("notice", { collections: ["contracts"], documents: ["acme-supply-2022"] })).hits,
  }), null, "index.js");
  assert.equal(listing.documents.length, 3);
  assert.ok(listing.total > 3 && listing.documents.every(({ metadata }) => metadata.total_amount > 1000 && metadata.vendor_name === "Acme"));
  assert.ok(hits.length > 0 && hits.every(({ docId }) => docId === "acme-supply-2022"));
});
