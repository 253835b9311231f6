// The demo page after a crash of the engine: reports it, and continues.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startEngine } from "../../../www/engine.js";
import { sentenceOf } from "../../../www/sentences.js";

/** A knowledge base that reports the events of a test, and a page that records them. */
function page(list = []) {
  const listeners = {};
  const told = [];
  const kb = { on: (type, listener) => (listeners[type] = listener) };
  const changed = { set value(what) { told.push(["changed", what]); } };
  const understanding = {
    understand: async (work) => told.push(["understand", await work]),
    embedPending: async () => "what was left",
    halted: () => told.push(["halted"]),
  };
  const record = (kind) => (error) => told.push([kind, sentenceOf(error)]);
  startEngine({ kb, complain: record("complain"), complainOfCrash: record("crash"), changed, runs: { list: { value: list } } }, understanding);
  return { told, happen: (type, what) => listeners[type](what) };
}

test("a restarted engine is reported in one message, and embedding continues", async () => {
  const { told, happen } = page();
  happen("restarted", { reason: "The engine worker failed: Uncaught RuntimeError: unreachable" });
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(told, [
    ["crash", "The page’s search engine crashed and was restarted with your saved library. If you were adding files, add them again."],
    ["changed", {}],
    ["understand", "what was left"],
  ]);
});

test("an engine that is not restarted is reported with the remaining action", () => {
  const { told, happen } = page();
  const message = "The engine worker failed: unreachable. It failed 3 times within a minute and is not started again.";
  happen("failed", { error: Object.assign(new Error(message), { code: "worker_failed" }) });
  assert.deepEqual(told, [["crash", "The page’s search engine crashed repeatedly, and has stopped. Saved data is kept. Reload the page to start it."], ["halted"]]);
});

test("a question that cannot be asked again after a crash is not waited for without end", async () => {
  let asked = 0;
  const nodes = { question: { value: "Why?" }, "ask-form": { requestSubmit: () => (asked += 1) }, "ask-button": { hidden: false } };
  Object.assign(globalThis, { document: { getElementById: (id) => nodes[id] } });
  const pause = globalThis.setTimeout;
  let looks = 0;
  globalThis.setTimeout = /** @type {any} */ ((then) => pause(then, looks++ < 1000 ? 0 : 1_000_000));
  try {
    const { happen } = page([{ question: "Why?", state: "failed", error: { code: "worker_failed" } }]);
    happen("restarted", { reason: "The engine worker failed." });
    await new Promise((resolve) => pause(resolve, 500));
    const { length } = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout");
    assert.deepEqual([asked, length], [1, 0], "nothing waits any more");
    assert.ok(looks < 100);
  } finally {
    globalThis.setTimeout = pause;
  }
});
