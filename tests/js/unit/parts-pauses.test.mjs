import assert from "node:assert/strict";
import { test } from "node:test";
import { Pauses } from "../../../crates/web/js/parts/pauses.js";

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("before the first question, there is a pause at once", async () => {
  const began = performance.now();
  await new Pauses().next();
  assert.ok(performance.now() - began < 40);
});

test("there is no pause while a question is answered, nor for a while after it", async () => {
  const pauses = new Pauses();
  const told = [];
  let answer = (_) => {};
  const question = pauses.during(() => new Promise((resolve) => (answer = resolve)));
  const pause = pauses.next().then(() => told.push("pause"));
  await wait(120);
  assert.deepEqual(told, []);
  answer("found");
  assert.equal(await question, "found");
  const ended = performance.now();
  await pause;
  // Timers may be a millisecond early.
  assert.ok(performance.now() - ended >= 48);
});

test("a question that fails ends as well", async () => {
  const pauses = new Pauses();
  await assert.rejects(pauses.during(() => Promise.reject(new Error("damaged"))), /damaged/);
  await pauses.next();
});
