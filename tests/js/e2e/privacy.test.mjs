// Privacy: the ledger of all requests, the veto before each, and documents that are never sent.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { onPage as runOn } from "../support/on-page.mjs";

const ENTRIES = ["index.js", "direct.js"];
const SECRET = "The kestrel contract ends with a notice of nine days.";
let demo;
let page;

before(async () => {
  demo = await startDemo();
  page = demo.page;
  await page.goto(`${ORIGIN}/icon.svg`);
});
after(() => demo?.close());

/** Runs `body({ kb, Agent, VademecumError, observe }, argument)` with a document that may be sent and one that may not. */
const onPage = (body, argument, entry) =>
  runOn(
    page,
    `async ({ KnowledgeBase, Agent, VademecumError }, _, argument) => {
      const kb = await KnowledgeBase.memory();
      await kb.add([
        { id: "acme.txt", text: "The ACME contract ends with a notice of 30 days." },
        { id: "kestrel.txt", title: "Kestrel", text: ${JSON.stringify(SECRET)}, neverSend: true },
      ]);
      const observe = async (run) => {
        const events = [];
        for await (const event of run) events.push(event);
        return { result: await run.result, events, sends: events.filter(({ type }) => type === "send"), last: events.at(-1).type };
      };
      try {
        return await (${body})({ kb, Agent, VademecumError, observe }, argument);
      } finally {
        kb.close();
      }
    }`,
    argument,
    entry,
  );

for (const entry of ENTRIES) {
  test(`${entry}: the ledger holds each request as the function was given it, and what of the documents stood in it`, async () => {
    const { given, result, sends, last } = await onPage(async ({ kb, Agent, observe }) => {
      const given = [];
      const llm = (request, { step }) => {
        given.push({ step, request: structuredClone(request) });
        request.messages.length = 0; // changes by the function must not affect the ledger
        return step === "expand" ? '{"terms": ["cancellation"]}' : "The notice is 30 days [1].";
      };
      const run = new Agent(kb, { llm }).pipeline("With what notice does the ACME contract end?").expand().search().answer().run();
      return { given, ...(await observe(run)) };
    }, null, entry);
    assert.deepEqual(result.ledger.map(({ step, request }) => ({ step, request })), given);
    assert.deepEqual(result.ledger.map(({ sent, changed }) => [sent, changed]), [[true, false], [true, false]]);
    assert.deepEqual(sends.map((event) => event.entry), result.ledger);
    const [expand, answer] = result.ledger;
    assert.deepEqual(expand.sources, []);
    assert.deepEqual(answer.sources, [{ chunkId: "default/acme.txt#0", docId: "acme.txt", collection: "default" }]);
    assert.equal(answer.bytes, new TextEncoder().encode(JSON.stringify(answer.request)).length);
    assert.ok(expand.at >= 0 && answer.at >= expand.at);
    assert.equal(last, "done");
  });

  test(`${entry}: a document that is never sent is found, quoted and cited, and stands in no request`, async () => {
    const { requests, mixed, alone, hit } = await onPage(async ({ kb, Agent, observe }) => {
      const requests = [];
      const llm = (request) => (requests.push(JSON.stringify(request)), "The notice is 30 days [1].");
      const agent = new Agent(kb, { llm });
      const mixed = await observe(agent.pipeline("With what notice do contracts end?").search().rerank().reason().answer().ground({ correct: true }).run());
      const count = requests.length;
      await kb.remove(["acme.txt"]);
      const alone = await observe(agent.pipeline("With what notice does the kestrel contract end?").search().answer().run());
      const { hits } = await kb.search("kestrel");
      return { requests, mixed, alone: { ...alone, asked: requests.length - count }, hit: hits[0] };
    }, null, entry);
    assert.ok(requests.length > 0 && mixed.result.withheld.some(({ docId }) => docId === "kestrel.txt"));
    for (const request of requests) assert.ok(!/kestrel/i.test(request), request);
    assert.deepEqual(mixed.result.contextUsed.map(({ docId }) => docId), ["acme.txt"]);
    assert.deepEqual([alone.asked, alone.result.answer, alone.result.citations[0].docId], [0, `${SECRET} [1]`, "kestrel.txt"]);
    assert.deepEqual(alone.result.failures.map(({ code, step }) => [code, step]), [["never_sent", "answer"]]);
    assert.deepEqual(alone.result.ledger, []);
    assert.equal(hit.metadata.neverSend, true);
  });

  test(`${entry}: a prompt that a user wrote with such a document in it is not sent either`, async () => {
    const { asked, result } = await onPage(async ({ kb, Agent, observe }, secret) => {
      let asked = 0;
      const llm = () => (asked++, "x");
      const prompt = ({ chunks }) => JSON.stringify({ chunks, note: secret.toUpperCase().replaceAll(" ", "\n") });
      const { result } = await observe(new Agent(kb, { llm }).pipeline("With what notice do contracts end?").search().answer({ prompt }).run());
      return { asked, result };
    }, SECRET, entry);
    assert.deepEqual([asked, result.failures[0].code, result.answeredBy, result.ledger], [0, "never_sent", "rule", []]);
  });

  test(`${entry}: what onBeforeSend returns is what is sent, and whatever else it does denies it`, async () => {
    const outcomes = await onPage(async ({ kb, Agent, VademecumError, observe }) => {
      const vetoes = {
        masks: (payload) => ({ ...payload, messages: payload.messages.map((one) => ({ ...one, content: one.content.replaceAll("ACME", "X") })) }),
        later: async (payload) => (await new Promise((resolve) => setTimeout(resolve, 5)), payload),
        nothing: () => {},
        null: () => null,
        false: async () => false,
        throws: () => { throw new RangeError("too private"); },
        rejects: () => Promise.reject(new VademecumError("asked and refused", { code: "mine" })),
      };
      const outcomes = {};
      for (const [name, onBeforeSend] of Object.entries(vetoes)) {
        const given = [];
        const llm = (request) => (given.push(request), "The notice is 30 days [1].");
        const run = new Agent(kb, { llm }).pipeline("With what notice does the ACME contract end?").search().answer().run({ onBeforeSend });
        const { result, sends } = await observe(run);
        outcomes[name] = { given, result, sent: sends.map((event) => event.entry.sent) };
      }
      return outcomes;
    }, null, entry);
    const { masks, later, ...denied } = outcomes;
    for (const { given, result, sent } of [masks, later]) {
      assert.deepEqual([given, sent, result.answeredBy], [result.ledger.map(({ request }) => request), [true], "llm"]);
    }
    assert.equal(masks.result.ledger[0].changed, true);
    assert.ok(!JSON.stringify(masks.given).includes("With what notice does the ACME"));
    for (const [name, { given, result, sent }] of Object.entries(denied)) {
      assert.deepEqual([given, sent, result.answeredBy, result.usage.llmCalls], [[], [false], "rule", 0], name);
      assert.deepEqual(result.failures.map(({ code, retryable }) => [code, retryable]), [["send_denied", false]], name);
      assert.match(result.answer, /30 days/);
    }
    assert.deepEqual(denied.throws.result.failures[0].cause, { name: "RangeError", message: "too private" });
    assert.deepEqual(denied.rejects.result.failures[0].cause, { name: "VademecumError", message: "asked and refused", code: "mine" });
    assert.match(denied.nothing.result.ledger[0].reason, /returned undefined/);
  });

  test(`${entry}: denying does not make an LLM count as failing, and is asked of each request once`, async () => {
    const { asked, result } = await onPage(async ({ kb, Agent, observe }) => {
      let asked = 0;
      const onBeforeSend = (payload, { step }) => (asked++, step === "answer" ? payload : null);
      const run = new Agent(kb, { llm: () => "The notice is 30 days [1].", onBeforeSend }).pipeline("With what notice does the ACME contract end?").gate().rewrite().expand().decompose().search().answer().run();
      const { result } = await observe(run);
      return { asked, result };
    }, null, entry);
    assert.deepEqual([asked, result.answeredBy], [5, "llm"]);
    assert.deepEqual(result.ledger.map(({ step, sent }) => [step, sent]), [
      ["gate", false], ["rewrite", false], ["expand", false], ["decompose", false], ["answer", true],
    ]);
  });

  test(`${entry}: a run that is stopped, or out of time, while somebody thinks about a request sends nothing`, async () => {
    const outcomes = await onPage(async ({ kb, Agent, observe }) => {
      const outcomes = {};
      for (const how of ["aborted", "budget"]) {
        const abort = new AbortController();
        let asked = 0;
        /** @type {any} */ let signal;
        const onBeforeSend = (_, context) => {
          signal = context.signal;
          if (how === "aborted") setTimeout(() => abort.abort(), 5);
          return new Promise(() => {});
        };
        const agent = new Agent(kb, { llm: () => (asked++, "x"), onBeforeSend, budget: how === "budget" ? { ms: 60 } : {} });
        const { result, last } = await observe(agent.pipeline("With what notice does the ACME contract end?").search().answer().run({ signal: abort.signal }));
        outcomes[how] = { asked, last, terminatedBy: result.terminatedBy, sent: result.ledger.map(({ sent }) => sent), aborted: signal.aborted };
      }
      return outcomes;
    }, null, entry);
    for (const [how, outcome] of Object.entries(outcomes)) {
      assert.deepEqual(outcome, { asked: 0, last: "done", terminatedBy: how, sent: [false], aborted: true }, how);
    }
  });
}

test("a withheld turn of a conversation is not shown to the LLM", async () => {
  const { requests, history } = await onPage(async ({ kb, Agent, observe }, secret) => {
    const requests = [];
    const llm = (request) => (requests.push(JSON.stringify(request)), '{"question": "With what notice does the contract end?"}');
    const history = [{ question: "Which contract is short?", answer: secret, withheld: true }];
    const { result } = await observe(new Agent(kb, { llm }).pipeline("And when does it end?", { history }).rewrite().run());
    return { requests, history: result.history };
  }, SECRET);
  assert.equal(requests.length, 1);
  assert.ok(!/kestrel/i.test(requests[0]) && requests[0].includes("Which contract is short?"));
  assert.deepEqual(history, [{ question: "Which contract is short?", answer: SECRET, withheld: true }]);
});

test("a mark that is neither true nor false is refused, at the top and in the metadata", async () => {
  const codes = await onPage(async ({ kb }) => {
    const codeOf = (document) => kb.add([{ id: "x", text: "Some text.", ...document }]).then(() => "added", ({ code }) => code);
    return Promise.all([{ neverSend: "true" }, { neverSend: 1 }, { metadata: { neverSend: "yes" } }, { neverSend: false }].map(codeOf));
  });
  assert.deepEqual(codes, ["invalid_argument", "invalid_argument", "invalid_argument", "added"]);
});
