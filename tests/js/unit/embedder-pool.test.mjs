// The queue of the embedding workers: questions first, and failures reported to all pending calls.

import assert from "node:assert/strict";
import { test } from "node:test";
import { attach } from "../../../crates/web/js/attach.js";
import { EmbedderPool } from "../../../crates/web/js/embedder-pool.js";
import { VademecumError } from "../../../crates/web/js/error.js";

/** Files without URLs, so that nothing is fetched. */
const FILES = { options: { pooling: "mean" } };

/** Workers whose calls the test resolves. */
function workers({ load = async (/** @type {any[]} */ ..._) => {} } = {}) {
  const started = [];
  const spawn = () => {
    const worker = {
      jobs: [],
      terminated: false,
      call(method, params, options) {
        if (method === "load") return load(params, options);
        return new Promise((resolve, reject) => worker.jobs.push({ ...params, resolve: () => resolve(params.texts), reject }));
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
        if (method === "load") queueMicrotask(() => thread.dispatchEvent(Object.assign(new Event("message"), { data: { kind: "result", id } })));
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
