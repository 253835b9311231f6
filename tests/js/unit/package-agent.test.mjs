// The agent of the built package, in Node: permission of tools, streamed answers, users' own nodes, sources and summaries.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, test } from "node:test";

const FOLDER = new URL("../../../target/package/vademecum/", import.meta.url);
const skip = existsSync(new URL("package.json", FOLDER)) ? false : "there is no built package: `cargo xtask package` makes one";

const opened = [];
after(() => Promise.all(opened.map((kb) => kb.close())));

const QUESTION = "What is the notice period of the ACME contract?";
const DOCUMENTS = [
  { id: "acme.md", title: "ACME 2023", url: "https://a.example/acme", text: "# Notice\n\nThe notice period of the ACME contract is 90 days.", summary: "How the deal with the coyote ends." },
  { id: "globex.md", title: "Globex", text: "# Notice\n\nThe notice period of the Globex contract is 30 days." },
];

async function begun(options) {
  const { Agent, KnowledgeBase } = await import(new URL("lite/direct.js", FOLDER).href);
  const kb = await KnowledgeBase.memory();
  opened.push(kb);
  await kb.add(DOCUMENTS);
  return { kb, agent: new Agent(kb, options) };
}

const events = (chunks) => {
  const lines = chunks.map((delta) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
  const body = new ReadableStream({
    async start(controller) {
      for (const line of [...lines, "data: [DONE]\n\n"]) {
        controller.enqueue(new TextEncoder().encode(line));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
};
const calling = (name, args, preamble = null) => {
  const text = JSON.stringify(args);
  const head = { index: 0, id: "c1", type: "function", function: { name, arguments: "" } };
  const rest = text.match(/[^]{1,6}/g).map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] }));
  return events([...(preamble ? [{ content: preamble }] : []), { role: "assistant", content: null, tool_calls: [head] }, ...rest]);
};
const turn = ({ messages }) => messages.filter(({ role }) => role === "assistant").length;

test("a tool is denied once passages were shown, unless it is safe or the hook lets it run", { skip }, async () => {
  const tried = async (/** @type {{ safe?: boolean, before?: boolean, onBeforeTool?: Function }} */ { safe, onBeforeTool, before }) => {
    const executed = [];
    const told = [];
    const llm = (request) => {
      told.push(...request.messages.filter(({ role }) => role === "tool").slice(told.length).map(({ content }) => content));
      const at = turn(request);
      if (at === 0 && !before) return calling("search", { query: QUESTION });
      if (at === (before ? 0 : 1)) return calling("send_mail", { to: "a@b.example" });
      return "It is 90 days.";
    };
    const { agent } = await begun({ llm, ...(onBeforeTool && { onBeforeTool }) });
    agent.tool({ name: "send_mail", ...(safe && { safe }), execute: (args, { state }) => (executed.push({ args, state }), "sent") });
    const result = await agent.react(QUESTION).result;
    assert.equal(result.terminatedBy, "completed");
    assert.match(result.answer, /^It is 90 days\.( \[1\])?$/); // with its source, if a passage was shown
    const entry = result.ledger.find(({ tool }) => tool);
    const call = result.toolCalls.find(({ tool }) => tool === "send_mail");
    return { executed, told, entry, call, failures: result.failures ?? [] };
  };
  const denied = await tried({});
  assert.equal(denied.executed.length, 0);
  assert.deepEqual([denied.entry.sent, denied.entry.tainted, denied.entry.tool], [false, true, { name: "send_mail", args: { to: "a@b.example" } }]);
  assert.ok(denied.entry.sources.some(({ docId }) => docId === "acme.md"));
  assert.deepEqual([denied.call.error.code, denied.failures[0].code], ["tool_denied", "tool_denied"]);
  assert.match(denied.told.at(-1), /may not be called/);

  const early = await tried({ before: true });
  assert.deepEqual([early.executed.length, early.entry.sent, early.entry.tainted], [1, true, false]);
  assert.equal((await tried({ safe: true })).executed.length, 1);
  const allowed = await tried({ onBeforeTool: ({ name }, { tainted, sources }) => name === "send_mail" && tainted && sources.length > 0 });
  assert.deepEqual([allowed.executed.length, allowed.entry.sent], [1, true]);
  assert.equal(allowed.executed[0].state.question, QUESTION);
  assert.ok(allowed.executed[0].state.evidence.some(({ docId }) => docId === "acme.md") && Object.isFrozen(allowed.executed[0].state.searches));
  assert.equal((await tried({ onBeforeTool: () => { throw new Error("no"); }, before: true })).executed.length, 0);
});

test("react's answer is streamed in tokens, without text beside a call", { skip }, async () => {
  const answer = "The notice period is 90 days [1]. That of Globex is 30 days, and it is another contract.";
  for (const last of [() => events(answer.match(/\S+\s*/g).map((content) => ({ content }))), () => calling("final_answer", { answer }, "I know it. ")]) {
    const requests = [];
    const llm = (request) => (requests.push(request), turn(request) === 0 ? calling("search", { query: QUESTION }, "Let me search. ") : last());
    const { agent } = await begun({ llm });
    const run = agent.react(QUESTION);
    const tokens = [];
    for await (const event of run) if (event.type === "token") tokens.push({ text: event.text, at: event.at });
    const result = await run.result;
    assert.ok(requests.every(({ stream }) => stream === true));
    assert.equal(result.answer, `${answer} [2]`, "the source that the model forgot is added to the result");
    assert.equal(tokens.map(({ text }) => text).join(""), answer);
    assert.ok(tokens.length > 3 && tokens.at(-1).at - tokens[0].at > 10, JSON.stringify(tokens));
  }
});

test("custom nodes and edges run in the graph, and a single node can be run", { skip }, async () => {
  const { agent } = await begun();
  const run = agent.graph(QUESTION, { sources: true })
    .addNode("shout", ({ answer }) => ({ answer: answer.toUpperCase() }))
    .addEdge("synthesize", "shout")
    .addEdge("execute_tools", ({ results }) => (results.length > 0 ? "synthesize" : null));
  const { answer, stepsTaken, error } = await run.result;
  assert.equal(error, null);
  assert.deepEqual(stepsTaken, ["analyze_query", "execute_tools", "edge", "synthesize", "shout", "ground"]);
  assert.match(answer, /90 DAYS\. \[1\][^]*\*\*Sources\*\*\n\n- \[1\] ACME 2023: <https:\/\/a\.example\/acme>/);
  const analysed = await agent.graph(QUESTION).step("analyze_query").result;
  assert.deepEqual(analysed.stepsTaken, ["analyze_query"]);
  const found = await agent.graph(QUESTION).step("execute_tools", analysed.state).result;
  assert.ok(found.results[0].chunks.length > 0);
  assert.match((await agent.resume(found.state).result).answer, /90 days/);
  await assert.rejects(agent.graph(QUESTION).addEdge("synthesize", "nowhere").result, { code: "invalid_argument", message: /nowhere/ });
  await assert.rejects(agent.graph(QUESTION).step("nowhere").result, { code: "invalid_argument", message: /nowhere/ });
});

test("a searcher object and a reranker take part in every looping style", { skip }, async () => {
  const asked = [];
  const wiki = { prefix: "w", search(question, collection, { limit }) { asked.push([collection, limit]); return [1, 2].map((n) => ({ id: `${this.prefix}${n}`, text: `The notice period of the ACME contract is ${n} days.` })); } };
  for (const style of ["react", "investigate", "graph"]) {
    const { agent } = await begun();
    const result = await agent[style](QUESTION, { searcher: wiki, collections: ["wiki"], topK: 1, reranker: (_, chunks) => chunks.map(({ id }) => (id === "w2" ? 1 : 0)) }).result;
    assert.equal(result.error, null);
    assert.deepEqual(result.contextUsed.map(({ id }) => id), ["w2"], style);
  }
  assert.deepEqual(asked[0], ["wiki", 100]);
});

test("the tools of a style are those of its requests", { skip }, async () => {
  /** @type {any} */ let shown;
  const { agent } = await begun({ llm: (request) => ((shown ??= request.tools), "It is so.") });
  agent.tool({ name: "today", description: "The date of today.", execute: () => "2026-01-01" });
  await agent.react(QUESTION).result;
  assert.deepEqual(await agent.toolSchema("react"), shown);
  assert.deepEqual(shown.map(({ function: { name } }) => name), ["search", "refine_and_search", "today", "final_answer"]);
  const investigate = await agent.toolSchema("investigate");
  assert.ok(investigate.some(({ function: { name } }) => name === "search_summaries") && investigate.some(({ function: { name } }) => name === "today"));
});

test("a document is found by the words of its summary", { skip }, async () => {
  const { kb } = await begun();
  const { hits } = await kb.search("coyote", { mode: "keyword" });
  assert.deepEqual([hits[0].docId, hits[0].metadata.vademecumSummary], ["acme.md", DOCUMENTS[0].summary]);
  assert.doesNotMatch(hits[0].text, /coyote/);
  await assert.rejects(kb.add([{ id: "a", text: "t", summary: 7 }]), { code: "invalid_argument", message: /summary/ });
});
