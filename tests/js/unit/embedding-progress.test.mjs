// The demo's progress of embedding: passages done, total and remaining time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EmbeddingProgress } from "../../../www/embedding-progress.js";
import { about } from "../../../www/format.js";

test("progress counts everything since nothing was pending", () => {
  const backlog = new EmbeddingProgress();
  assert.deepEqual(backlog.note(100, 0), { done: 0, total: 100, ms: null });
  assert.deepEqual(backlog.note(60, 1000), { done: 40, total: 100, ms: null }, "no time is told before there is a rate");
  const { done, total } = backlog.note(160, 2000);
  assert.deepEqual([done, total], [40, 200], "a hundred more came");
  assert.deepEqual(backlog.note(0, 3000), { done: 0, total: 0, ms: null });
  assert.deepEqual(backlog.note(5, 4000), { done: 0, total: 5, ms: null }, "what comes later is counted by itself");
});

test("the remaining time follows the rate of the last half minute", () => {
  const backlog = new EmbeddingProgress();
  backlog.note(1000, 0);
  assert.equal(backlog.note(960, 4000).ms, 96_000, "ten in a second");
  for (let at = 5; at <= 60; at++) backlog.note(960 - (at - 4), at * 1000);
  const { ms } = backlog.note(900, 64_000);
  assert.ok(ms > 800_000 && ms < 1_000_000, `one in a second now: ${ms}`);
  assert.equal(new EmbeddingProgress().note(10, 0).ms, null);
});

test("without progress no time is estimated", () => {
  const backlog = new EmbeddingProgress();
  backlog.note(10, 0);
  assert.equal(backlog.note(10, 60_000).ms, null);
  assert.equal(backlog.note(20, 61_000).ms, null);
});

test("times are rounded", () => {
  assert.deepEqual([200, 12_000, 47_000, 89_000, 95_000, 480_000, 7_200_000].map(about), ["about 5 s", "about 15 s", "about 50 s", "about 90 s", "about 2 min", "about 8 min", "about 2 h"]);
});
