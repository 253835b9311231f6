// Vectors of questions that the page sends to an engine in a worker, on a real message channel.

import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../../../crates/web/js/channel.js";
import { sendingVectors, takingVectors } from "../../../crates/web/js/embed-ahead.js";

const custom = { embedder: { type: "custom" } };
/** @type {(params: any, context: any) => Promise<any>} */
const vectorsOf = async ({ texts }) => texts.map((text) => text.length);

/**
 * Connects a page to an engine whose searches embed `texts(query)` one after the other, and return what they got. `asked` notes what the engine
 * asks the page for, and `embedded` what the page's embedder embeds.
 */
async function pair({ embed = vectorsOf, texts = (query) => [query], opened = custom, search = null, onPage = (_page) => {} } = {}) {
  const { port1, port2 } = new MessageChannel();
  port1.start();
  port2.start();
  const [asked, embedded] = [[], []];
  const handlersOf = (_, page) => (onPage(page), {
    open: async () => {},
    search: search ?? (async (request, { signal }) => {
      const began = performance.now();
      const found = [];
      for (const text of texts(request.query)) found.push(...(await page.call("embed", { texts: [text], kind: "query" }, { signal })));
      return { request, found, tookMs: performance.now() - began };
    }),
  });
  const page = { call: (method, params, how) => (asked.push(params.texts[0]), engine.call(method, params, how)) };
  const engine = connect(port2, takingVectors(handlersOf)(null, page));
  const own = (params, context) => (embedded.push({ ...params, ...context }), embed(params, context));
  const channel = sendingVectors((handlers) => connect(port1, handlers))({ embed: own }, undefined, () => {});
  await channel.call("open", opened);
  return { asked, embedded, search: (params, how = {}) => channel.call("search", params, how), end: () => (port1.close(), port2.close()) };
}

const withPair = (options, body) => async () => {
  const one = await pair(options);
  await Promise.resolve(body(one)).finally(one.end);
};

test("a question is embedded once, and the engine does not ask for its vector", withPair({}, async ({ asked, embedded, search }) => {
  const { found, request } = await search({ query: "owls", limit: 3 });
  assert.deepEqual(found, [4]);
  assert.deepEqual(request, { query: "owls", limit: 3 });
  assert.equal(embedded.length, 1);
  assert.equal(embedded[0].kind, "query");
  assert.deepEqual(asked, []);
}));

/** Returns an embedder whose vectors contain the number of the call. */
const counting = (embed = async () => {}) => {
  let calls = 0;
  return async ({ texts }) => {
    const number = ++calls;
    await embed();
    return texts.map((text) => `${text} ${number}`);
  };
};

test("equal questions at once have a vector each", withPair({ embed: counting() }, async ({ asked, embedded, search }) => {
  const all = await Promise.all(["owls", "owls", "cats!"].map((query) => search({ query, mode: "vector" })));
  assert.deepEqual(all.map(({ found }) => found).sort(), [["cats! 3"], ["owls 1"], ["owls 2"]]);
  assert.equal(embedded.length, 3);
  assert.deepEqual(asked, []);
}));

test("another text than the question is asked for, and the question's a second time as well", withPair({ texts: (query) => [query, "a correction", query] }, async ({ asked, search }) => {
  assert.deepEqual((await search({ query: "owls" })).found, [4, 12, 4]);
  assert.deepEqual(asked, ["a correction", "owls"]);
}));

const none = { texts: () => [] };
for (const [what, options, params, how] of /** @type {[string, any, any, any][]} */ ([
  ["a search by words", none, { query: "owls", mode: "keyword" }, {}],
  ["an empty question", none, { query: " \n" }, {}],
  ["an embedder that is no function", { ...none, opened: { embedder: { type: "onnx" } } }, { query: "owls" }, {}],
  ["no embedder", { ...none, opened: { embedder: null } }, { query: "owls" }, {}],
  ["a search that is aborted already", none, { query: "owls" }, { signal: AbortSignal.abort() }],
])) {
  test(`nothing is embedded for ${what}`, withPair(options, async ({ embedded, search }) => {
    await search(params, how).catch(({ code }) => assert.equal(code, "aborted"));
    assert.deepEqual(embedded, []);
  }));
}

const failing = async () => {
  throw Object.assign(new Error("no quota"), { code: "quota", retryable: true });
};

test("the embedder's error is the engine's", withPair({ embed: failing }, async ({ asked, search }) => {
  await assert.rejects(search({ query: "owls" }), ({ message, code, retryable }) => message === "no quota" && code === "quota" && retryable);
  assert.deepEqual(asked, []);
}));

const refusing = async () => {
  throw Object.assign(new Error("wrong"), { code: "invalid_argument" });
};

const aborting = (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(Object.assign(new Error("stopped"), { code: "aborted" }))));

test("a search that ends before its vector is there ends the embedder's call", withPair({ search: refusing, embed: () => new Promise(() => {}) }, async ({ embedded, search }) => {
  await assert.rejects(search({ query: "owls" }), { code: "invalid_argument" });
  assert.equal(embedded[0].signal.aborted, true);
}));

/** Longer than a search waits on the page. */
const slowly = async (params) => {
  await new Promise((resolve) => setTimeout(resolve, 50));
  return vectorsOf(params);
};

test("the vector of a slow embedder follows the search", withPair({ embed: slowly }, async ({ asked, search }) => {
  const all = await Promise.all(["owls", "owls", "cats!"].map((query) => search({ query })));
  assert.deepEqual(all.map(({ found }) => found), [[4], [4], [5]]);
  assert.deepEqual(asked, []);
}));

test("the error of a slow embedder is the engine's", withPair({ embed: async (params) => slowly(params).then(failing) }, async ({ search }) => {
  await assert.rejects(search({ query: "owls" }), { message: "no quota", code: "quota" });
}));

test("a vector that comes after the search has ended is ignored", withPair({ search: refusing, embed: slowly }, async ({ embedded, search }) => {
  await assert.rejects(search({ query: "owls" }), { code: "invalid_argument" });
  await assert.rejects(search({ query: "cats" }), { code: "invalid_argument" });
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(embedded.length, 2);
}));

test("a search that is aborted while its question is embedded ends at once", withPair({ embed: () => new Promise(() => {}), search: aborting }, async ({ embedded, search }) => {
  const ending = new AbortController();
  const searching = search({ query: "owls" }, { signal: ending.signal });
  ending.abort(); // before the search was sent
  await assert.rejects(searching, { code: "aborted" });
  await assert.rejects(search({ query: "owls" }, { signal: AbortSignal.timeout(20) }), { code: "aborted" });
  assert.deepEqual(embedded.map(({ signal }) => signal.aborted), [true, true]);
}));

test("an equal search that took the vector of an aborted one asks for its own", async () => {
  let page = /** @type {any} */ (null);
  let held = () => {};
  const holding = counting(() => new Promise((resolve) => (held = () => resolve(undefined))));
  const one = await pair({ embed: holding, search: aborting, onPage: (own) => (page = own) });
  try {
    const ending = new AbortController();
    const first = one.search({ query: "owls" }, { signal: ending.signal });
    await new Promise((resolve) => setTimeout(resolve, 30));
    const taking = page.call("embed", { texts: ["owls"], kind: "query" }, {}); // as a run does
    ending.abort();
    await assert.rejects(first, { code: "aborted" });
    await new Promise((resolve) => setTimeout(resolve, 30));
    held();
    assert.match((await Promise.race([taking, new Promise((resolve) => setTimeout(resolve, 2000, ["pending"]))]))[0], /^owls 2$/);
  } finally {
    one.end();
  }
});

test("a worker of the user's is sent no vectors", async () => {
  const called = [];
  const engine = sendingVectors(() => ({ call: async (...given) => void called.push(given) }))({ embed: () => assert.fail() }, "worker.js", () => {});
  await engine.call("open", custom, {});
  await engine.call("search", { query: "owls" }, {});
  assert.deepEqual(called[1], ["search", { query: "owls" }, {}]);
});

test("the time in the engine includes what a search waits for on the page", withPair({ embed: slowly, search: async () => ({ tookMs: 0 }) }, async ({ search }) => {
  const { tookMs } = await search({ query: "owls" });
  assert.ok(tookMs >= 4, String(tookMs));
}));
