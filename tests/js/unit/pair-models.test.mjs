// Rerankers and readers beside their workers: failures that pass, and models that are closed while they start.

import assert from "node:assert/strict";
import { test } from "node:test";
import { VademecumError } from "../../../crates/web/js/error.js";
import { pairModels } from "../../../crates/web/js/pair-models.js";
import { rerankedSearch } from "../../../crates/web/js/pair-pool.js";

/** Files within their addresses, so that nothing is fetched over a network. */
const FILES = { model: "data:,model", tokenizer: "data:,tokenizer" };

/** Models whose workers answer at once, or by `call`; `load` may fail. */
function models(/** @type {() => any} */ load = () => {}, /** @type {(params: any) => any} */ call = ({ passages }) => passages.map((text) => text.length), most = undefined) {
  const started = [];
  const spawn = () => {
    const worker = {
      terminated: false,
      async call(method, params) {
        if (method === "load") return (await load()) ?? {};
        return params?.passages && call(params);
      },
      terminate: () => (worker.terminated = true),
    };
    started.push(worker);
    return worker;
  };
  return { ...pairModels(() => import("../../../crates/web/js/pair-pool.js"), spawn, most), started };
}

for (const kind of /** @type {("Reader" | "Reranker")[]} */ (["Reader", "Reranker"])) {
  test(`a ${kind} whose loading has failed is loaded again by the next call`, async () => {
    let fails = true;
    const { [kind]: made } = models(() => {
      if (fails) throw new VademecumError("HTTP 503", { code: "model_unavailable", retryable: true });
    });
    const model = made.onnx(FILES);
    await assert.rejects(model("Who?", ["Ada."]), { code: "model_unavailable" });
    fails = false;
    assert.deepEqual(await model("Who?", ["Ada."]), [4]);
    model.close();
  });

  test(`closing a ${kind} ends its workers, whenever they start, and the calls that wait, in its own words`, async () => {
    const { [kind]: made, started } = models();
    const model = made.onnx(FILES);
    const loading = model.load();
    model.close();
    await assert.rejects(loading, ({ code, message }) => code === "closed" && !message.includes("KnowledgeBase"));
    assert.ok(started.every((worker) => worker.terminated));
    assert.deepEqual(await model("Who?", ["Ada."]), [4], "a later call starts others");
    model.close();
    await new Promise((resolve) => setTimeout(resolve, 0));
    assert.ok(started.length > 0 && started.every((worker) => worker.terminated));
  });

  test(`without passages, a ${kind} starts no worker`, async () => {
    const { [kind]: made, started } = models();
    assert.deepEqual(await made.onnx(FILES)("Who?", []), []);
    assert.equal(started.length, 0);
  });
}

const never = () => new Promise(() => {});

test("a deadline ends the rating although a worker computes on", async () => {
  const { Reranker } = models(undefined, ({ passages }) => (passages.includes("slow") ? never() : passages.map(() => 0.5)));
  const model = Reranker.onnx(FILES);
  await model.load();
  const passages = ["one", "two", "three", "four", "slow"];
  assert.deepEqual(await model.rate("Who?", passages, { deadlineMs: 50 }), [0.5, 0.5, 0.5, 0.5, null]);
  model.close();
});

test("a deadline loses the passages that are not rated by then, and no other", async (context) => {
  context.mock.method(performance, "now", () => 0); // the timer alone ends the calls, once nothing else is left to do
  for (const slow of [0, 2, 5]) {
    const { Reranker } = models(undefined, ({ passages }) => (passages.includes("slow") ? never() : passages.map(() => 0.5)));
    const model = Reranker.onnx(FILES);
    await model.load();
    const passages = Array.from({ length: 6 }, (_, at) => (at === slow ? "slow" : "quick"));
    assert.deepEqual(await model.rate("Who?", passages, { deadlineMs: 50 }), passages.map((_, at) => (at < slow ? 0.5 : null)));
    model.close();
  }
});

test("a deadline is kept although the model computes on the calling thread, where no timer fires meanwhile", async (context) => {
  let now = 0;
  context.mock.method(performance, "now", () => now);
  const { Reranker } = models(undefined, ({ passages }) => {
    now += 3_000 * passages.length;
    return passages.map(() => 0.5);
  });
  const model = Reranker.onnx(FILES);
  await model.load();
  const passages = Array.from({ length: 10 }, () => "one");
  const ratings = await model.rate("Who?", passages, { deadlineMs: 10_000 });
  assert.deepEqual(ratings, passages.map((_, at) => (at < 4 ? 0.5 : null)), "the fourth begins in time");
  assert.deepEqual(await model.rate("Who?", passages), passages.map(() => 0.5));
  model.close();
});

test("a search with a deadline puts the hits that were rated before those that were not", async (context) => {
  let now = 0;
  context.mock.method(performance, "now", () => now);
  const { Reranker } = models(undefined, ({ passages }) => {
    now += 4_000 * passages.length;
    return passages.map((text) => Number(text) / 10);
  });
  const reranker = Reranker.onnx(FILES);
  await reranker.load();
  const search = async () => ({ hits: ["1", "2", "3", "4", "5"].map((text) => ({ text })) });
  const { hits, reranked } = await rerankedSearch(search, "Who?", { top: 5, deadlineMs: 10_000, reranker }, 5);
  assert.deepEqual(hits.map(({ text }) => text), ["3", "2", "1", "4", "5"]);
  assert.deepEqual([reranked.rated, reranked.from], [3, [3, 2, 1, 4, 5]]);
  reranker.close();
});

test("an error of one of several workers ends the call", async () => {
  const { Reranker } = models(undefined, ({ passages }) => {
    if (passages.includes("bad")) throw new VademecumError("it broke", { code: "embedder_failed" });
    return passages.map(() => 0.5);
  });
  const model = Reranker.onnx({ ...FILES, workers: 2 });
  await assert.rejects(model.rate("Who?", [...Array(9).fill("one"), "bad"]), { code: "embedder_failed" });
  await assert.rejects(model.rate("Who?", [...Array(9).fill("one"), "bad"], { deadlineMs: 60_000 }), { code: "embedder_failed" });
  model.close();
});

test("a reranker that fails for good is loaded once, until it is asked to load again", async () => {
  let loads = 0;
  const { Reranker } = models(() => {
    loads++;
    throw new VademecumError("no model", { code: "model_corrupt" });
  });
  const model = Reranker.onnx(FILES);
  for (let n = 0; n < 3; n++) await assert.rejects(model("Who?", ["Ada."]), { code: "model_corrupt" });
  assert.equal(loads, 1);
  await assert.rejects(model.load(), { code: "model_corrupt" });
  assert.equal(loads, 2);
});

test("a reranker that fails more slowly than the deadline says so at the next call", async () => {
  const { Reranker } = models(async () => {
    await new Promise((resolve) => setTimeout(resolve, 40));
    throw new VademecumError("HTTP 503", { code: "model_unavailable", retryable: true });
  });
  const model = Reranker.onnx(FILES);
  assert.deepEqual(await model.rate("Who?", ["Ada."], { deadlineMs: 5 }), [null]);
  await new Promise((resolve) => setTimeout(resolve, 80));
  await assert.rejects(model.rate("Who?", ["Ada."], { deadlineMs: 5 }), { code: "model_unavailable" });
});

test("a text in place of a list, and options that are none, are refused", async () => {
  const { Reranker, Reader } = models();
  const [reranker, reader] = [Reranker.onnx(FILES), Reader.onnx(FILES)];
  for (const given of /** @type {any[]} */ (["Ada.", undefined, 3, {}])) {
    await assert.rejects(reranker.rate("Who?", given), { code: "invalid_argument" });
    await assert.rejects(reader.read("Who?", given), { code: "invalid_argument" });
  }
  for (const how of /** @type {any[]} */ ([{ deadlineMs: Number.NaN }, { deadlineMs: -1 }, { deadlineMs: 3e9 }, { deadline: 5 }])) {
    await assert.rejects(reranker.rate("Who?", ["Ada."], how), { code: "invalid_argument" });
  }
});

test("where models run in place, there is one", async () => {
  const { Reranker, started } = models(undefined, undefined, 1);
  const model = Reranker.onnx({ ...FILES, workers: 4 });
  await model("Who?", ["Ada."]);
  assert.equal(started.length, 1);
  model.close();
});

test("progress of loading says how many seconds are left", async () => {
  const { Reranker } = models();
  const told = [];
  const model = Reranker.onnx(FILES);
  await model.load({ onProgress: (progress) => told.push(progress) });
  assert.ok(told.length > 0 && told.every(({ secondsLeft }) => secondsLeft === 0 || secondsLeft === null), JSON.stringify(told));
  model.close();
});
