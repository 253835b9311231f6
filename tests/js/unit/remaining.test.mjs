// The seconds left in events of progress.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Remaining, timed } from "../../../crates/web/js/remaining.js";

test("the rest is estimated by the rate so far, once a second has been seen", () => {
  const remaining = new Remaining();
  assert.equal(remaining.note(0, 1000, 0), null);
  assert.equal(remaining.note(100, 1000, 900), null);
  assert.equal(remaining.note(200, 1000, 2000), 8);
  assert.equal(remaining.note(500, 1000, 5000), 5);
  assert.equal(remaining.note(999, 1000, 9999), 1, "a rest is never 0");
  assert.equal(remaining.note(1000, 1000, 10_000), 0);
});

test("a change of the rate is followed within a window", () => {
  const remaining = new Remaining();
  for (let at = 0; at <= 10; at++) remaining.note(at * 100, 10_000, at * 1000);
  let seconds = null;
  for (let at = 11; at <= 60; at++) seconds = remaining.note(1000 + (at - 10) * 10, 10_000, at * 1000);
  assert.ok(seconds > 800 && seconds < 900, `${seconds}`); // 8,500 at 10 a second
});

test("nothing is estimated without a total or without progress, and a new start forgets the old rate", () => {
  const remaining = new Remaining();
  remaining.note(0, 0, 0);
  assert.equal(remaining.note(500, 0, 5000), null);
  assert.equal(remaining.note(500, 1000, 9000), 9);
  assert.equal(remaining.note(10, 1000, 9100), null);
  assert.equal(remaining.note(10, 1000, 20_000), null);
});

test("each phase has a rate of its own, and events keep their fields", () => {
  const events = [];
  const tell = timed((event) => events.push(event));
  tell({ phase: "model", loaded: 23, total: 23 });
  tell({ phase: "embed", loaded: 0, total: 10 });
  assert.deepEqual(events, [
    { phase: "model", loaded: 23, total: 23, secondsLeft: 0 },
    { phase: "embed", loaded: 0, total: 10, secondsLeft: null },
  ]);
});
