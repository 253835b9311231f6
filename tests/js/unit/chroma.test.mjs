// The client of Chroma: what it sends, how it reads answers, and what becomes of bad ones. The real server is in `e2e/chroma.test.mjs`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Chroma } from "../../../crates/web/js/chroma.js";
import { where } from "../../../crates/web/js/chroma-where.js";
import { ASKED, chroma, COLLECTION, FOUND, HOME } from "../support/chroma-answers.mjs";
import { startScripted } from "../support/scripted-server.mjs";

const never = { signal: new AbortController().signal };

async function with_(answer, use, options = {}) {
  const server = await startScripted(answer);
  try {
    return await use(new Chroma({ url: server.url, collection: "notes", ...options }), server.requests, server);
  } finally {
    server.close();
  }
}

const rejected = async (promise, code, said) => {
  await assert.rejects(promise, (error) => {
    const { code: got, message, name } = /** @type {any} */ (error);
    assert.equal(name, "VademecumError", message);
    assert.equal(got, code, message);
    assert.match(message, said);
    return true;
  });
};

test("a search is one request, and the collection is looked up once", async () => {
  await with_(chroma(), async (client, requests) => {
    const reply = await client.search(ASKED, never);
    assert.deepEqual(reply.hits.map(({ vector, ...hit }) => [hit, Math.round(vector * 10)]), [
      [{ id: "notes/a#0", docId: "a", ordinal: 0, text: "The tide.", title: null, url: null, headings: [], page: null, metadata: { year: 2023 } }, 9],
      [{ id: "notes/b#1", docId: "b", ordinal: 1, text: "The moon.", title: null, url: null, headings: ["Sky"], page: null, metadata: { at: { place: 1 } } }, 6],
    ]);
    await client.search(ASKED, never);
    assert.deepEqual(requests.map(({ path }) => path.slice(HOME.length)), ["/notes", "/c-1/query", "/c-1/query"]);
    assert.deepEqual(requests[1].body, { query_embeddings: [[1, 0]], n_results: 2, include: ["documents", "metadatas", "distances"] });
  });
});

test("names, tenant, database and headers are sent", async () => {
  const answer = ({ path }) => (path.includes("/query") ? { json: FOUND } : { json: { ...COLLECTION, name: "my notes" } });
  await with_(answer, async (client, requests) => {
    await client.search(ASKED, never);
    assert.equal(requests[0].path, "/api/v2/tenants/t%2F1/databases/d/collections/my%20notes");
    assert.equal(requests[0].headers["x-chroma-token"], "secret");
  }, { collection: "my notes", tenant: "t/1", database: "d", headers: { "x-chroma-token": "secret" } });
});

test("a collection that was made again is looked up again", async () => {
  let id = "c-1";
  const answer = chroma(({ path }) => {
    if (path === `${HOME}/notes`) return { json: { ...COLLECTION, id } };
    if (path.endsWith("/query")) return path.includes(id) ? { json: FOUND } : { status: 404, json: { error: "NotFoundError", message: "gone" } };
  });
  await with_(answer, async (client, requests) => {
    await client.search(ASKED, never);
    id = "c-2";
    assert.equal((await client.search(ASKED, never)).hits.length, 2);
    assert.equal(requests.at(-1).path, `${HOME}/c-2/query`);
  });
});

test("distances become cosines by the collection's space", async () => {
  for (const [configuration, distance, cosine] of [[{ hnsw: { space: "cosine" } }, 0.25, 0.75], [{ hnsw: { space: "l2" } }, 0.5, 0.75], [{ spann: { space: "ip" } }, 0.25, 0.75], [{}, 0.5, 0.75]]) {
    const answer = chroma(({ path }) => {
      if (path === `${HOME}/notes`) return { json: { ...COLLECTION, configuration_json: configuration } };
      if (path.endsWith("/query")) return { json: { ...FOUND, distances: [[distance, distance]] } };
    });
    await with_(answer, async (client) => assert.equal((await client.search(ASKED, never)).hits[0].vector, cosine));
  }
});

test("a distance that no vectors of length 1 have is an error", async () => {
  const answer = chroma(({ path }) => (path.endsWith("/query") ? { json: { ...FOUND, distances: [[0.1, -9]] } } : undefined));
  await with_(answer, (client) => rejected(client.search(ASKED, never), "remote_reply", /distances\[0\]\[1\]/));
});

const NOWHERE = "http://127.0.0.1:9";

test("a server that is down is retried, and reported as such", async () => {
  let calls = 0;
  const counted = (url, init) => (calls++, fetch(url, init));
  const client = new Chroma({ url: NOWHERE, collection: "notes", fetch: counted, retries: 1 });
  await rejected(client.search(ASKED, never), "remote_unavailable", /cannot be reached.*CORS/);
  assert.equal(calls, 2);
});

test("a slow server is given up after the time-out", async () => {
  await with_(() => null, (client) => rejected(client.search(ASKED, never), "remote_timeout", /within 30 ms/), { timeoutMs: 30, retries: 0 });
});

test("a server of another version is told apart", async () => {
  for (const answer of [() => ({ status: 410, json: { error: "Unimplemented", message: "The v1 API is deprecated" } }), () => ({ status: 404, text: "<h1>Not found</h1>" })]) {
    await with_(answer, (client) => rejected(client.search(ASKED, never), "remote_version", /no HTTP API v2/));
  }
});

test("an unknown collection is reported with the known ones", async () => {
  const answer = chroma(({ path }) => (path === `${HOME}/notes` ? { status: 404, json: { error: "NotFoundError", message: "Collection [notes] does not exist" } } : undefined));
  await with_(answer, (client) => rejected(client.search(ASKED, never), "remote_collection", /no collection `notes`; there are: letters, minutes/));
});

test("a wrong dimension is reported with both numbers, by the collection and by the server", async () => {
  const three = { ...ASKED, vector: new Float32Array(3) };
  await with_(chroma(), (client) => rejected(client.search(three, never), "remote_dimensions", /2 dimensions.*has 3/));
  const answer = chroma(({ path }) => {
    if (path === `${HOME}/notes`) return { json: { ...COLLECTION, dimension: null } };
    if (path.endsWith("/query")) return { status: 400, json: { error: "InvalidArgumentError", message: "Collection expecting embedding with dimension of 384, got 3" } };
  });
  await with_(answer, (client) => rejected(client.search(three, never), "remote_dimensions", /384 dimensions.*has 3/));
});

test("vectors of another embedder are not compared", async () => {
  await with_(chroma(), (client) => rejected(client.search({ ...ASKED, embedder: "maxi" }, never), "embedder_mismatch", /`mini`.*`maxi`/));
});

test("a busy server is waited for as long as it says, and then reported", async () => {
  let left = 1;
  const answer = chroma(({ path }) => (path.endsWith("/query") && left-- > 0 ? { status: 429, headers: { "retry-after": "0.2" } } : undefined));
  await with_(answer, async (client) => assert.equal((await client.search(ASKED, never)).hits.length, 2));
  let asked = 0;
  const always = chroma(({ path }) => (path.endsWith("/query") ? (asked++, { status: 429, headers: { "retry-after": "1" } }) : undefined));
  await with_(always, async (client, requests) => {
    await rejected(client.search(ASKED, never), "remote_busy", /HTTP 429/);
    const [first, second] = requests.filter(({ path }) => path.endsWith("/query"));
    assert.ok(second.at - first.at >= 990, `${second.at - first.at}`);
    assert.equal(asked, 2);
  }, { retries: 1 });
  const long = chroma(({ path }) => (path.endsWith("/query") ? { status: 503, headers: { "retry-after": "3600" } } : undefined));
  await with_(long, async (client, requests) => {
    await rejected(client.search(ASKED, never), "remote_unavailable", /HTTP 503/);
    assert.equal(requests.length, 2, "nobody waits an hour");
  });
});

test("a key that is refused is not retried", async () => {
  await with_(() => ({ status: 401, json: { error: "Unauthorized", message: "Unauthorized" } }), async (client, requests) => {
    await rejected(client.search(ASKED, never), "remote_refused", /HTTP 401: Unauthorized. Check `headers`/);
    assert.equal(requests.length, 1);
  });
});

test("half an answer is an error that names what is missing", async () => {
  const but = (change) => chroma(({ path }) => (path.endsWith("/query") ? { json: { ...FOUND, ...change } } : undefined));
  for (const [change, said] of [
    [{ ids: undefined }, /`ids`/], [{ ids: [] }, /`ids`/], [{ distances: null }, /`distances`/], [{ distances: [[0.1]] }, /`distances\[0\]` must be as long as `ids\[0\]`, 2, and has 1/],
    [{ documents: [["a", null]] }, /`documents\[0\]\[1\]`/], [{ metadatas: [[{}, []]] }, /`metadatas\[0\]\[1\]`/], [{ ids: [["a", 7]] }, /`ids\[0\]\[1\]`/],
    [{ metadatas: [[{ "vademecum:docId": "a", "vademecum:json": "{" }, {}]] }, /vademecum:json/], [{ distances: [[0.1, "x"]] }, /`distances\[0\]\[1\]`/],
  ]) {
    await with_(but(change), (client) => rejected(client.search(ASKED, never), "remote_reply", /** @type {RegExp} */ (said)));
  }
  const text = (said) => chroma(({ path }) => (path.endsWith("/query") ? said : undefined));
  await with_(text({ text: "{\"ids\":[[\"a\"" }), (client) => rejected(client.search(ASKED, never), "remote_reply", /cut off/));
  await with_(text({ text: "<!doctype html><title>Welcome</title>" }), (client) => rejected(client.search(ASKED, never), "remote_reply", /page of HTML/));
  await with_(text({ json: FOUND, cut: true }), (client) => rejected(client.search(ASKED, never), "remote_unavailable", /cannot be reached/), { retries: 0 });
});

test("an aborted search ends its request", async () => {
  const ending = new AbortController();
  const aborts = with_(chroma(({ path }) => (path.endsWith("/query") ? null : undefined)), async (client) => {
    setTimeout(() => ending.abort(), 50);
    await rejected(client.search(ASKED, { signal: ending.signal }), "aborted", /aborted/);
  });
  await aborts;
});

test("a document is fetched page by page, in order", async () => {
  const rows = [3, 0, 2, 1].map((ordinal) => [`notes/a#${ordinal}`, `Part ${ordinal}`, { "vademecum:docId": "a", "vademecum:ordinal": ordinal, "vademecum:title": "A" }]);
  const answer = chroma(({ path, body }) => {
    if (!path.endsWith("/get")) return undefined;
    const page = rows.slice(body.offset, body.offset + body.limit);
    return { json: { ids: page.map(([id]) => id), documents: page.map(([, text]) => text), metadatas: page.map(([, , metadata]) => metadata) } };
  });
  await with_(answer, async (client, requests) => {
    const [document] = await client.get(["a"], never);
    assert.deepEqual([document.id, document.title, document.passages.map(({ text }) => text)], ["a", "A", ["Part 0", "Part 1", "Part 2", "Part 3"]]);
    const asked = requests.filter(({ path }) => path.endsWith("/get")).map(({ body }) => [body.where, body.limit, body.offset]);
    const condition = { "vademecum:docId": "a" };
    assert.deepEqual(asked, [[condition, 2, 0], [condition, 2, 2], [condition, 2, 4]]);
  });
  await with_(chroma(({ path }) => (path.endsWith("/get") ? { json: { ids: [], documents: [], metadatas: [] } } : undefined)), async (client) => assert.deepEqual(await client.get(["none"], never), []));
});

test("phrases in quotes are asked for in the text, if the question may be sent", async () => {
  await with_(chroma(), async (client, requests) => {
    await client.search({ ...ASKED, query: "the \"Spring tide\" of \"May\"" }, never);
    assert.deepEqual(requests[1].body.where_document, { $and: [{ $contains: "Spring tide" }, { $contains: "May" }] });
  });
});

test("documents restrict a search together with conditions", async () => {
  await with_(chroma(), async (client, requests) => {
    await client.search({ ...ASKED, documents: ["a"], filters: { field: "year", operator: ">", value: 2020 } }, never);
    assert.deepEqual(requests[1].body.where, { $and: [{ year: { $gt: 2020 } }, { "vademecum:docId": { $in: ["a"] } }] });
  });
  await with_(chroma(({ path }) => (path === `${HOME}/notes` ? { json: { ...COLLECTION, metadata: null } } : undefined)), async (client, requests) => {
    await client.search({ ...ASKED, documents: ["a"] }, never);
    assert.deepEqual(requests[1].body.ids, ["a"]);
  });
});

test("what Chroma cannot express is left to be checked on the device, among more hits", async () => {
  await with_(chroma(), async (client, requests) => {
    const reply = await client.search({ ...ASKED, filters: { field: "title", operator: "like", value: "A%" } }, never);
    assert.equal(reply.unfiltered, true);
    assert.deepEqual([requests[1].body.where, requests[1].body.n_results], [undefined, 400]);
  });
});

test("conditions are translated, widened where needed, and never narrowed", () => {
  const indirect = new Set(["amounts"]);
  const is = (field, operator, value) => ({ field, operator, value });
  const equal = (field, value) => ({ $or: [{ [field]: { $eq: value } }, { [field]: { $contains: value } }] });
  const unequal = (field, value) => ({ $and: [{ [field]: { $ne: value } }, { [field]: { $not_contains: value } }] });
  for (const [filters, condition, exact] of [
    [null, null, true],
    [{ and: [] }, null, true],
    [is("a", "=", "x"), equal("a", "x"), true],
    [is("a", "!=", 3), unequal("a", 3), true],
    [is("a", "=", "2023-05"), null, false],
    [is("a", "=", "17"), null, false],
    [is("a", "in", ["x", "y"]), { $or: [equal("a", "x"), equal("a", "y")] }, true],
    [is("a", "in", []), { $or: [] }, true],
    [is("a", "not_in", ["x", "y"]), { $and: [unequal("a", "x"), unequal("a", "y")] }, true],
    [is("a", "not_in", []), null, true],
    [is("a", ">", 3), { a: { $gt: 3 } }, true],
    [is("a", ">", "b"), null, false],
    [is("a", "between", [1, 2]), { $and: [{ a: { $gte: 1 } }, { a: { $lte: 2 } }] }, true],
    [is("a", "contains", "x"), null, false],
    [is("a", "like", "x%"), null, false],
    [is("a", "exists", true), null, false],
    [is("author.name", "=", "Ada"), null, false],
    [is("amounts", "=", 3), null, false],
    [{ not: is("a", "=", "x") }, unequal("a", "x"), true],
    [{ not: is("a", ">", 3) }, null, false],
    [{ not: { or: [is("a", "=", "x"), is("b", "=", "y")] } }, { $and: [unequal("a", "x"), unequal("b", "y")] }, true],
    [{ not: { and: [is("a", "=", "x"), is("b", "like", "y")] } }, null, false],
    [{ and: [is("a", "=", "x"), is("b", "like", "y")] }, equal("a", "x"), false],
    [{ or: [is("a", "=", "x"), is("b", "like", "y")] }, null, false],
    [{ or: [] }, { $or: [] }, true],
    [{ or: [{ and: [] }, is("a", "like", "x")] }, null, true],
  ]) {
    assert.deepEqual(where(filters, { indirect }), { where: condition, exact }, JSON.stringify(filters));
  }
});
