// Proxies of reactive frameworks, of data and of the package's own objects.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "../../../crates/web/js/index.js";
import { connect } from "../../../crates/web/js/channel.js";
import { atOnce } from "../../../crates/web/js/at-once.js";
import { knowledgeBaseClass } from "../../../crates/web/js/knowledge-base.js";

const TAGS = ["[object Object]", "[object Array]", "[object Map]"];
const isWrapped = (value) => typeof value === "object" && value !== null && Object.isExtensible(value) && TAGS.includes(Object.prototype.toString.call(value));

/** Returns a deep proxy, like Vue's `reactive`: values read through it are proxies as well. */
const reactive = (object) => new Proxy(object, { get: (target, key, receiver) => wrap(Reflect.get(target, key, receiver)) });
const wrap = (value) => (isWrapped(value) ? reactive(value) : value);

/** Opens a knowledge base over a real port, which clones messages; `calls` contains the received calls. */
async function opened(t) {
  const calls = [];
  const result = { answer: "A.", citations: [], contextUsed: [], evidence: [], results: [], toolCalls: [], stepsTaken: [], reasoningTrace: [], terminatedBy: "completed", history: [] };
  const replies = { search: { hits: [] }, stats: { collections: [], pending: 0 }, run: result, conversation: { turns: [], history: [] } };
  const handler = (method) => async (params) => (calls.push({ method, params }), replies[method]);
  const methods = ["open", "close", "add", "search", "documents", "collection", "expectRun", "run", "stats", "conversation", "saveConversation"];
  const KnowledgeBase = knowledgeBaseClass((handlers) => {
    const { port1, port2 } = new MessageChannel();
    const channel = connect(port1, handlers);
    connect(port2, Object.fromEntries(methods.map((method) => [method, handler(method)])));
    for (const port of [port1, port2]) port.start();
    return { ...channel, terminate: () => (port1.close(), port2.close()) };
  }, atOnce);
  const kb = await KnowledgeBase.memory();
  t.after(() => kb.close());
  const last = (method) => calls.filter((call) => call.method === method).at(-1).params;
  return { kb, last };
}

test("documents, metadata, filters and options that are proxies arrive as plain data", async (t) => {
  const { kb, last } = await opened(t);
  const document = { id: "a", text: "t", metadata: { tags: ["x", { y: 1 }], none: null } };
  await kb.add(reactive([document, { id: "b", pages: ["p", "q"] }]));
  assert.deepEqual(last("add").documents, [document, { id: "b", pages: ["p", "q"] }]);
  await kb.add("other", [reactive({ id: "c", bytes: new Uint8Array([1, 2]) })]);
  assert.deepEqual(last("add"), { collection: "other", documents: [{ id: "c", bytes: new Uint8Array([1, 2]) }] });
  await kb.search("q", reactive({ collections: ["a"], filters: { or: [{ year: { ">=": 2022 } }, { tags: ["x"] }] }, weights: { keyword: 1, vector: 2 } }));
  assert.deepEqual(last("search"), { query: "q", collections: ["a"], filters: { or: [{ year: { ">=": 2022 } }, { tags: ["x"] }] }, weights: { keyword: 1, vector: 2 } });
  await kb.documents({ filters: reactive([{ field: "a", operator: "=", value: 1 }]) });
  assert.deepEqual(last("documents").filters, [{ field: "a", operator: "=", value: 1 }]);
  await kb.collection("c", reactive({ schema: { year: "number" } }));
  assert.deepEqual(last("collection").options.schema, { year: "number" });
});

test("a knowledge base, an agent, a pipeline, a run and a conversation work through a proxy", async (t) => {
  const { kb, last } = await opened(t);
  const proxy = reactive(kb);
  await proxy.search("q");
  assert.equal(last("search").query, "q");
  const agent = reactive(new Agent(proxy));
  const run = reactive(reactive(agent.pipeline("q", reactive({ filters: { year: 2023 } }))).search(reactive({ collections: ["a"] })).answer()).run();
  assert.equal((await reactive(run).result).answer, "A.");
  for await (const _ of reactive(run)) assert.fail("no event was sent");
  assert.deepEqual(last("run").pipeline.filters, { year: 2023 });
  const chat = reactive(agent.conversation(reactive({ turns: [{ question: "one?", answer: "One." }] })));
  assert.equal((await chat.ask("two?").result).answer, "A.");
  assert.deepEqual(chat.turns.map(({ question }) => question), ["one?", "two?"]);
  assert.equal(JSON.parse(JSON.stringify(chat)).turns.length, 2);
  const again = agent.conversationFrom(reactive(chat.toJSON()));
  assert.equal(again.turns.length, 2);
  assert.equal((await agent.resume(reactive({ version: 1, pipeline: { question: "q", steps: [] }, context: { evidence: [{ id: "a" }] } })).result).answer, "A.");
  assert.deepEqual(last("run").pipeline.resume.state.context, { evidence: [{ id: "a" }] });
});

test("a value that cannot become plain data is refused with its path, and not with a worker's message", async (t) => {
  const { kb } = await opened(t);
  const refused = (metadata) => kb.add([{ id: "a", text: "t", metadata }]).then(() => "added", ({ code, message }) => [code, message]);
  const circle = {};
  circle.circle = circle;
  for (const [metadata, expected] of /** @type {[object, RegExp][]} */ ([[{ a: [() => {}] }, /metadata\.a\[0\].* but was a function\.$/], [circle, /metadata\.circle.*64 levels deep/]])) {
    const [code, message] = await refused(metadata);
    assert.equal(code, "invalid_argument");
    assert.match(message, expected);
  }
});
