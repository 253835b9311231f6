import assert from "node:assert/strict";
import { test } from "node:test";
import { Pauses } from "../../../crates/web/js/parts/pauses.js";

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("before the first question, there is a pause at once", async () => {
  // Timers end in the order of their due times, however busy the machine is.
  const later = wait(50).then(() => "later");
  assert.equal(await Promise.race([new Pauses().next().then(() => "pause"), later]), "pause");
});

test("there is no pause while a question is answered, nor for a while after it", async () => {
  const pauses = new Pauses();
  const told = [];
  let answer = (_) => {};
  const question = pauses.during(() => new Promise((resolve) => (answer = resolve)));
  const pause = pauses.next().then(() => told.push("pause"));
  await wait(120);
  assert.deepEqual(told, []);
  const before = performance.now();
  answer("found");
  assert.equal(await question, "found");
  await pause;
  assert.ok(performance.now() - before >= 50);
});

test("a question that fails ends as well", async () => {
  const pauses = new Pauses();
  await assert.rejects(pauses.during(() => Promise.reject(new Error("damaged"))), /damaged/);
  const later = wait(1000).then(() => "later");
  assert.equal(await Promise.race([pauses.next().then(() => "pause"), later]), "pause");
});
