// Searches of a Chroma server by the engine's worker: which of them it makes, and what becomes of those that it may not send.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Chroma } from "../../../crates/web/js/chroma.js";
import { Remotes } from "../../../crates/web/js/remote.js";
import { remotes } from "../../../crates/web/js/remote-engine.js";
import { searchers } from "../../../crates/web/js/searcher.js";
import { ASKED, chroma } from "../support/chroma-answers.mjs";
import { startScripted } from "../support/scripted-server.mjs";

const Searcher = searchers(() => import("../../../crates/web/js/chroma.js"));
const never = new AbortController().signal;
const platform = globalThis.fetch;
/** A function as a browser's, whose source is not shown. */
const native = platform.bind(globalThis);
const sourceOf = Function.prototype.toString;
Function.prototype.toString = function () {
  return this === native ? "function fetch() {\n    [native code]\n}" : sourceOf.call(this);
};
const servers = [];
after(() => servers.forEach((server) => server.close()));

/** Runs with a `fetch` in place of the platform's. */
async function withFetch(other, run) {
  globalThis.fetch = other;
  try {
    return await run();
  } finally {
    globalThis.fetch = platform;
  }
}

/** Attaches a collection of a server to a page, with this `fetch`, and its worker. `search` is what the engine calls; `byPage` has the questions that the page was asked. */
async function attached({ answer = chroma(), make = (searcher) => searcher, options = {}, own = {}, fetch: ofPage = native } = {}) {
  const server = await startScripted(answer);
  servers.push(server);
  const byPage = [];
  const runs = { ledger: { admitSearch: async () => {} } };
  const page = new Remotes([]);
  const call = async (_, asked, { signal }) => {
    byPage.push(asked.request.query);
    return withFetch(ofPage, () => page.answer(asked, { signal }, asked.request.run && runs));
  };
  let port;
  const worker = remotes(Chroma)(() => ({ attach: (_, one) => (port = one) }), { call });
  await page.attach((method, params) => worker.handlers[method](params), "notes", make(Searcher.chroma({ url: server.url, collection: "notes", retries: 0, ...own })), options);
  const search = (own = {}, signal = never) => {
    const { vector, ...request } = { ...ASKED, ...own };
    return port.search(JSON.stringify(request), vector, signal);
  };
  return { server, byPage, search };
}

test("after its first answer, the worker searches the server itself, and replies as the page does", async () => {
  const { server, byPage, search } = await attached();
  const replies = [await search({ query: "first" }), await search({ query: "second" }), await search({ query: "third" })];
  assert.deepEqual(byPage, ["first"]);
  assert.equal(new Set(replies).size, 1);
  assert.equal(JSON.parse(replies[0]).hits.length, 2);
  assert.equal(server.requests.filter(({ path }) => path.endsWith("/query")).length, 3);
});

test("a search of a run is left to the page, which keeps the run's ledger", async () => {
  const { byPage, search } = await attached();
  for (const [query, run] of [["first", undefined], ["of a run", 3], ["second", undefined]]) await search({ query, run });
  assert.deepEqual(byPage, ["first", "of a run"]);
});

test("if the worker may send nothing, the page makes that search and all later ones", async () => {
  const { byPage, search } = await attached();
  await search({ query: "first" });
  let tries = 0;
  const refused = async () => {
    tries++;
    throw new TypeError("Refused to connect because it violates the Content Security Policy.");
  };
  for (const query of ["second", "third"]) {
    const reply = await withFetch(refused, () => search({ query }));
    assert.equal(JSON.parse(reply).hits.length, 2);
  }
  assert.equal(tries, 1);
  assert.deepEqual(byPage, ["first", "second", "third"]);
});

test("what the page may not send is not sent by the worker", async () => {
  const { server, byPage, search } = await attached();
  server.close();
  await assert.rejects(search({ query: "first" }), { code: "remote_unavailable" });
  await assert.rejects(search({ query: "second" }), { code: "remote_unavailable" });
  assert.deepEqual(byPage, ["first", "second"]);
});

test("once the worker was answered, it reports a server that is gone, as one that refuses", async () => {
  let isRefusing = false;
  const refusal = () => (isRefusing ? { status: 403, json: { message: "no key" } } : undefined);
  const { server, byPage, search } = await attached({ answer: chroma(refusal) });
  for (const query of ["first", "second"]) await search({ query });
  isRefusing = true;
  await assert.rejects(search(), { code: "remote_refused" });
  server.close();
  await assert.rejects(search(), { code: "remote_unavailable", retryable: true });
  assert.deepEqual(byPage, ["first"]);
});

test("a search that is aborted while the worker waits is not tried by the page", async () => {
  let isSilent = false;
  const { server, byPage, search } = await attached({ answer: (request) => (isSilent ? null : chroma()(request)) });
  await search({ query: "first" });
  isSilent = true;
  const ending = new AbortController();
  const searching = search({ query: "second" }, ending.signal);
  ending.abort();
  await assert.rejects(searching, { code: "aborted" });
  assert.deepEqual(byPage, ["first"]);
  server.close();
});

test("functions of the page that have a part in a search keep it on the page", async () => {
  const wrapped = (searcher) => ({ ...searcher, search: (...given) => searcher.search(...given) });
  const ways = [{ own: { fetch: (address, init) => platform(address, init) } }, { options: { onBeforeSend: (payload) => payload } }, { make: wrapped }];
  for (const way of ways) {
    const { byPage, search } = await attached(way);
    for (const query of ["first", "second"]) await search({ query });
    assert.deepEqual(byPage, ["first", "second"], Object.keys(way)[0]);
  }
});

test("a `fetch` that the page has put in place of the browser's sends all searches", async () => {
  const noted = [];
  const noting = (address, init) => (noted.push(address), platform(address, init));
  for (const own of [noting, noting.bind(null), new Proxy(noting, {})]) {
    noted.length = 0;
    const { byPage, search } = await attached({ fetch: own });
    for (const query of ["first", "second"]) await search({ query });
    assert.deepEqual(byPage, ["first", "second"]);
    assert.equal(noted.filter((address) => address.endsWith("/query")).length, 2);
  }
});

test("a collection of the user's is searched on a page without `fetch`", async () => {
  const { search } = await attached({ make: () => ({ search: async () => ({ hits: [] }), leaves: null }), fetch: /** @type {any} */ (undefined) });
  assert.equal(await search(), '{"hits":[]}');
});

test("if the server refuses what the worker sends first, the page makes that search and all later ones", async () => {
  let asked = 0;
  const keyless = ({ path }) => (path.endsWith("/query") && ++asked === 2 ? { status: 401, json: { message: "no key" } } : undefined);
  const { byPage, search } = await attached({ answer: chroma(keyless) });
  for (const query of ["first", "second", "third"]) assert.equal(JSON.parse(await search({ query })).hits.length, 2);
  assert.deepEqual(byPage, ["first", "second", "third"]);
});
