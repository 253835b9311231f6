// The queue of the embedding workers: questions first, and failures reported to all pending calls.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { getEventListeners } from "node:events";
import http from "node:http";
import { test } from "node:test";
import { attach } from "../../../crates/web/js/attach.js";
import { EmbedderPool } from "../../../crates/web/js/embedder-pool.js";
import { VademecumError } from "../../../crates/web/js/error.js";
import { listen } from "../support/listen.mjs";

/** Files within their addresses, so that nothing is fetched over a network. */
const FILES = { model: "data:,model", tokenizer: "data:,tokenizer", options: { pooling: "mean" } };

/**
 * Workers whose calls the test resolves.
 * @param {{ load?: (...given: any[]) => Promise<any> }} [how]
 */
function workers({ load = async () => {} } = {}) {
  const started = [];
  const spawn = () => {
    const worker = {
      jobs: [],
      terminated: false,
      call(method, params, options) {
        if (method === "prepare") return Promise.resolve();
        if (method === "load") return load(params, options);
        return new Promise((resolve, reject) => worker.jobs.push({ ...params, resolve: (vectors = params.texts) => resolve(vectors), reject }));
      },
      terminate: () => (worker.terminated = true),
    };
    started.push(worker);
    return worker;
  };
  return { spawn, started };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

test("a question takes precedence over queued documents", async () => {
  const { spawn, started } = workers();
  const pool = new EmbedderPool({ id: "toy", files: FILES, workers: 1, threshold: 0.5 }, spawn);
  await pool.load();
  const calls = [pool.embed(["one"], "document"), pool.embed(["two"], "document"), pool.embed(["asked"], "query")];
  const [worker] = started;
  for (let n = 0; n < 3; n++) {
    worker.jobs.at(-1).resolve();
    await turn();
  }
  assert.deepEqual(worker.jobs.map(({ texts }) => texts[0]), ["one", "asked", "two"]);
  await Promise.all(calls);
});

test("a signal of many calls keeps nothing of those that have ended", async () => {
  const { spawn, started } = workers();
  const pool = new EmbedderPool({ id: "toy", files: FILES, workers: 1, threshold: 0.5 }, spawn);
  await pool.load();
  const { signal } = new AbortController();
  const calls = Array.from({ length: 12 }, (_, at) => pool.embed([`${at}`], "document", signal));
  for (let n = 0; n < calls.length; n++) {
    started[0].jobs.at(-1).resolve();
    await turn();
  }
  await Promise.all(calls);
  assert.deepEqual(getEventListeners(signal, "abort"), []);
});

test("sentences of an answer are compared before queued documents are embedded", async () => {
  const { spawn, started } = workers();
  const pool = new EmbedderPool({ id: "toy", files: FILES, workers: 1, threshold: 0.5 }, spawn);
  await pool.load();
  const documents = [pool.embed(["one"], "document"), pool.embed(["two"], "document")];
  const words = new Uint32Array([4, 7]);
  const aligned = pool.align(["a sentence"], "Two cars?", words);
  const [worker] = started;
  worker.jobs[0].resolve();
  await turn();
  const { texts, question, words: sent } = worker.jobs[1];
  assert.deepEqual([texts, question, sent], [["a sentence"], "Two cars?", words]);
  worker.jobs[1].resolve({}); // its back end has no vectors of tokens
  assert.deepEqual(await aligned, {});
  await turn();
  worker.jobs[2].resolve();
  await Promise.all(documents);
});

test("an idle worker continues immediately with the queued batch: the pool requests one more than it has workers", async () => {
  const { spawn, started } = workers();
  const pool = new EmbedderPool({ id: "toy", files: FILES, workers: 2, threshold: 0.5 }, spawn);
  await pool.load();
  assert.equal(started.length, 2);
  assert.equal(pool.concurrency, 3);
  const seen = [];
  const calls = ["one", "two", "three"].map((text) => pool.embed([text], "document").then(() => seen.push(text)));
  const quick = started.find((worker) => worker.jobs[0].texts[0] === "one");
  quick.jobs[0].resolve();
  await turn();
  assert.deepEqual(quick.jobs.map(({ texts }) => texts[0]), ["one", "three"]);
  assert.deepEqual(seen, ["one"]);
  for (const worker of started) worker.jobs.at(-1).resolve();
  await Promise.all(calls);
});

test("the first worker answers while the others load the model, and one that cannot is ended with a warning", async (context) => {
  const warnings = context.mock.method(console, "warn", () => {});
  const loads = [];
  const { spawn, started } = workers({ load: (params) => new Promise((resolve, reject) => loads.push({ params, resolve, reject })) });
  const pool = new EmbedderPool({ id: "toy", files: FILES, workers: 3, threshold: 0.5 }, spawn);
  const loading = pool.load();
  while (loads.length === 0) await turn();
  assert.equal(loads.length, 1, "the first one has the processor to itself");
  loads[0].resolve({});
  await loading;
  const [first, second, third] = started;
  const calls = ["one", "two", "three"].map((text) => pool.embed([text], "query"));
  await turn();
  assert.deepEqual([first, second, third].map(({ jobs }) => jobs.length), [1, 0, 0]);
  loads[1].reject(new VademecumError("out of memory", { code: "worker_failed" }));
  loads[2].resolve({});
  await turn();
  assert.deepEqual([first, second, third].map(({ jobs, terminated }) => [jobs.length, terminated]), [[1, false], [0, true], [1, false]]);
  assert.match(warnings.mock.calls[0].arguments[0], /one of 3 workers could not load the model.*out of memory/);
  first.jobs[0].resolve();
  third.jobs[0].resolve();
  await turn();
  [...first.jobs, ...third.jobs].forEach((job) => job.resolve());
  assert.equal((await Promise.all(calls)).length, 3);
});

test("a model that fails ends all waiting calls, and loading can be repeated", async () => {
  let fails = true;
  const { spawn, started } = workers({
    load: async () => {
      await turn();
      if (fails) throw new VademecumError("HTTP 404", { code: "model_unavailable", retryable: true });
    },
  });
  const pool = new EmbedderPool({ id: "toy", files: FILES, workers: 2, threshold: 0.5 }, spawn);
  const waiting = pool.embed(["text"], "document");
  assert.equal(pool.isReady(), false);
  await assert.rejects(waiting, { code: "model_unavailable" });
  await assert.rejects(pool.embed(["text"], "query"), { code: "model_unavailable" });
  assert.ok(started.every((worker) => worker.terminated));
  fails = false;
  await pool.load();
  const call = pool.embed(["text"], "query");
  started.at(-1).jobs.concat(started.at(-2).jobs).forEach((job) => job.resolve());
  assert.deepEqual(await call, ["text"]);
});

test("a crashed worker does not take the next job", async () => {
  const { spawn, started } = workers();
  const pool = new EmbedderPool({ id: "toy", files: FILES, workers: 1, threshold: 0.5 }, spawn);
  await pool.load();
  const first = pool.embed(["one"], "document");
  const second = pool.embed(["two"], "document");
  started[0].jobs[0].reject(new VademecumError("out of memory", { code: "worker_failed" }));
  await assert.rejects(first, { code: "worker_failed" });
  await assert.rejects(second, { code: "worker_failed" });
  assert.equal(started[0].jobs.length, 1);
  await pool.load();
  assert.equal(started.length, 2);
});

/** Threads that load at once and do not reply to other calls, behind channels as in a browser. */
function threads() {
  const started = [];
  const start = () => {
    const thread = Object.assign(new EventTarget(), {
      terminate() {},
      postMessage({ id, method }) {
        if (method === "prepare" || method === "load") queueMicrotask(() => thread.dispatchEvent(Object.assign(new Event("message"), { data: { kind: "result", id } })));
      },
      crash: () => thread.dispatchEvent(Object.assign(new Event("error"), { message: "out of memory" })),
    });
    started.push(thread);
    return thread;
  };
  return { spawn: () => attach(start, "embedding", {}), started };
}

test("a crashed worker ends the jobs of the others with the same message, and does not affect a new loading", async () => {
  const { spawn, started } = threads();
  const pool = new EmbedderPool({ id: "toy", files: FILES, workers: 3, threshold: 0.5 }, spawn);
  await pool.load();
  const jobs = [1, 2, 3, 4].map((n) => pool.embed([`${n}`], "document"));
  const again = jobs[2].catch(() => pool.load());
  started[0].crash();
  for (const job of jobs) await assert.rejects(job, { code: "worker_failed", message: /out of memory/ });
  await again;
  await turn();
  assert.equal(pool.isReady(), true);
  assert.equal(started.length, 6);
  const next = pool.embed(["next"], "document");
  pool.close();
  await assert.rejects(next, { code: "closed" });
});

test("a signal ends the wait for a model and not the loading", async () => {
  let loaded = false;
  const { spawn } = workers({ load: async () => { await turn(); await turn(); loaded = true; } });
  const pool = new EmbedderPool({ id: "toy", files: FILES, workers: 1, threshold: 0.5 }, spawn);
  const abort = new AbortController();
  const waiting = pool.load(abort.signal);
  abort.abort();
  await assert.rejects(waiting, { code: "aborted" });
  await pool.load();
  assert.equal(loaded, true);
});

test("closing ends all waiting calls", async () => {
  const { spawn, started } = workers();
  const pool = new EmbedderPool({ id: "toy", files: FILES, workers: 1, threshold: 0.5 }, spawn);
  await pool.load();
  pool.embed(["one"], "document").catch(() => {});
  const waiting = pool.embed(["two"], "document");
  pool.close();
  await assert.rejects(waiting, { code: "closed" });
  await assert.rejects(pool.embed(["three"], "query"), { code: "closed" });
  await assert.rejects(pool.load(), { code: "closed" });
  assert.equal(started[0].terminated, true);
});

/** A server of files that counts requests; `slow` ones never end. */
async function serving(t, files) {
  const asked = [];
  const server = http.createServer(({ url }, response) => {
    asked.push(url);
    if (!(url in files)) return response.writeHead(404).end();
    response.writeHead(200);
    if (files[url] === null) response.write("beginning");
    else response.end(files[url]);
  });
  const address = await listen(server);
  t.after(() => (server.closeAllConnections(), server.close()));
  return { asked, at: (name) => `${address}/${name}` };
}

test("a model is fetched once for all workers, and the last one is given the bytes themselves", async (t) => {
  const { asked, at } = await serving(t, { "/model": "all of it", "/tokenizer": "words" });
  const loads = [];
  const { spawn } = workers({ load: async (params, options) => void loads.push({ ...params, transfer: options.transfer }) });
  const pool = new EmbedderPool({ id: "toy", files: { ...FILES, model: at("model"), tokenizer: at("tokenizer") }, workers: 3, threshold: 0.5 }, spawn);
  const seen = [];
  await pool.load(undefined, ({ phase, loaded }) => seen.push([phase, loaded]));
  assert.deepEqual(asked.sort(), ["/model", "/tokenizer"]);
  assert.deepEqual(seen.at(-1), ["model", 9]);
  const text = (bytes) => new TextDecoder().decode(bytes);
  assert.deepEqual(loads.map(({ contents, transfer }) => [text(contents.model), text(contents.tokenizer), transfer.length]), [
    ["all of it", "words", 0],
    ["all of it", "words", 0],
    ["all of it", "words", 1],
  ]);
  assert.equal(loads[2].transfer[0], loads[2].contents.model.buffer);
  assert.equal(pool.loaded.stored, false, "Node stores nothing");
});

test("a model with another hash than the option says is refused with both hashes, and reaches no worker", async (t) => {
  const { at } = await serving(t, { "/model": "all of it" });
  const integrity = (text) => `sha384-${createHash("sha384").update(text).digest("base64")}`;
  const loads = [];
  const { spawn } = workers({ load: async (params) => void loads.push(params) });
  const poolWith = (text) => new EmbedderPool({ id: "toy", files: { ...FILES, model: at("model"), integrity: integrity(text) }, workers: 1, threshold: 0.5 }, spawn);
  await assert.rejects(poolWith("another").load(), ({ code, message }) => {
    assert.equal(code, "model_corrupt");
    return message.includes(`expected ${integrity("another")}, found ${integrity("all of it")}`);
  });
  assert.equal(loads.length, 0);
  await poolWith("all of it").load();
  assert.equal(loads.length, 1);
});

test("a missing model, one that is a web page, and a missing tokenizer are told apart by address and reason", async (t) => {
  const { at } = await serving(t, { "/page": "\n<!doctype html><p>Not found", "/model": "all of it" });
  const failure = (files) => new EmbedderPool({ id: "toy", files: { ...FILES, ...files }, workers: 1, threshold: 0.5 }, workers().spawn).load().catch((error) => error);
  for (const [files, message] of /** @type {[object, RegExp][]} */ ([
    [{ model: at("missing") }, /^The model could not be loaded from http\S+\/missing: HTTP 404\. Check that the file is served there\.$/],
    [{ model: at("page") }, /^The model could not be loaded from http\S+\/page: the server sent a web page instead of the file\./],
    [{ tokenizer: at("missing") }, /^The tokenizer could not be loaded from http\S+\/missing: HTTP 404\./],
  ])) {
    const error = await failure(files);
    assert.deepEqual([error.code, error.retryable], ["model_unavailable", true]);
    assert.match(error.message, message);
  }
});

test("closing ends a download, and the calls that wait for it", async (t) => {
  const { asked, at } = await serving(t, { "/model": null });
  const pool = new EmbedderPool({ id: "toy", files: { ...FILES, model: at("model") }, workers: 1, threshold: 0.5 }, workers().spawn);
  const loading = pool.load();
  const waiting = pool.embed(["one"], "document");
  waiting.catch(() => {});
  while (asked.length === 0) await turn();
  pool.close();
  await assert.rejects(loading, { code: "closed" });
  await assert.rejects(waiting, { code: "closed" });
});

test("a worker whose instructions are not exact any more repeats the job by the plain build, with the model fetched again", async (t) => {
  const { asked, at } = await serving(t, { "/model": "all of it" });
  const loads = [];
  const { spawn, started } = workers({ load: async ({ build, contents }) => void loads.push([build?.name, contents.model.length]) });
  const modules = { build: async () => ({ name: "relaxed" }) };
  const pool = new EmbedderPool({ id: "toy", files: { ...FILES, model: at("model") }, workers: 1, threshold: 0.5 }, spawn, modules);
  await pool.load();
  const call = pool.embed(["one"], "document");
  await turn();
  started[0].jobs[0].resolve(null); // the vectors may be wrong
  while (started[0].jobs.length < 2) await turn();
  started[0].jobs[1].resolve();
  assert.deepEqual(await call, ["one"]);
  assert.deepEqual(loads, [["relaxed", 9], ["plain", 9]]);
  assert.deepEqual(asked, ["/model", "/model"]);
});

test("while it is paused, questions are embedded and documents wait", async () => {
  const { spawn, started } = workers();
  const pool = new EmbedderPool({ id: "toy", files: FILES, workers: 1, threshold: 0.5 }, spawn);
  await pool.load();
  pool.pause(true);
  const document = pool.embed(["text"], "document");
  const question = pool.embed(["asked"], "query");
  started[0].jobs[0].resolve();
  assert.deepEqual(await question, ["asked"]);
  await turn();
  assert.equal(started[0].jobs.length, 1);
  pool.pause(false);
  started[0].jobs[1].resolve();
  assert.deepEqual(await document, ["text"]);
});

test("that a model's pooling is assumed is said once, and not if it is named or known", async (t) => {
  const warned = t.mock.method(console, "warn", () => {});
  const load = async (pooling, options, model = "data:,assumed") => {
    const { spawn } = workers({ load: async () => ({ pooling }) });
    const pool = new EmbedderPool({ id: "toy", files: { ...FILES, model, options }, workers: 2, threshold: 0.5 }, spawn);
    await pool.load();
    pool.close();
  };
  await load("mean", { pooling: "mean" });
  await load("model", {});
  assert.equal(warned.mock.callCount(), 0);
  await load("mean", {});
  await load("mean", {});
  assert.equal(warned.mock.callCount(), 1);
  assert.match(warned.mock.calls[0].arguments[0], /^vademecum: nothing beside data:,assumed says how it is pooled.*`pooling`/);
});

test("a job of a shared worker that crashed is repeated once, with the model loaded again", async () => {
  const { spawn, started } = workers();
  const shared = () => Object.assign(spawn(), { isShared: async () => true, loaded: async () => null });
  const pool = new EmbedderPool({ id: "toy", files: FILES, workers: 1, threshold: 0.5 }, shared);
  await pool.load();
  const crash = new VademecumError("it crashed", { code: "worker_failed", retryable: true });
  const [first, second] = [pool.embed(["one"], "document"), pool.embed(["two"], "document")];
  started[0].jobs[0].reject(crash);
  await pool.load();
  await turn();
  assert.deepEqual([started.length, started[0].terminated], [2, true]);
  assert.deepEqual(started[1].jobs.map(({ texts }) => texts), [["one"]]);
  started[1].jobs[0].resolve();
  assert.deepEqual(await first, ["one"]);
  await turn();
  started[1].jobs[1].reject(crash); // of the second, for the first time
  await pool.load();
  await turn();
  started[2].jobs[0].reject(crash);
  await assert.rejects(second, { code: "worker_failed" });
});
