// The knowledge bases that components of React share: when they are opened and closed.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { Opened, shared } from "../../../crates/web/js/react/opened.js";

let opened;
beforeEach(() => {
  opened = [];
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
});

/** Opens a knowledge base that records whether it was closed, and fails when told. */
async function open() {
  const listeners = {};
  const kb = { closed: 0, on: (type, listener) => (listeners[type] = listener), close: async () => void (kb.closed += 1), fail: (error) => listeners.failed({ error }) };
  opened.push(kb);
  return kb;
}
const settled = async () => {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
};

test("it is opened for the first user, and closed a moment after the last", async () => {
  const one = new Opened(open);
  assert.equal(opened.length, 0, "not before somebody uses it");
  const leave = one.subscribe(() => {});
  leave();
  const [first, second] = [one.subscribe(() => {}), one.subscribe(() => {})]; // as in strict mode
  await settled();
  assert.equal(opened.length, 1);
  assert.equal(one.state.status, "ready");
  first();
  first(); // left twice, it counts once
  mock.timers.tick(1000);
  assert.equal(opened[0].closed, 0);
  second();
  mock.timers.tick(1000);
  assert.equal(opened[0].closed, 1);
  one.subscribe(() => {});
  await settled();
  assert.deepEqual([opened.length, one.state.kb], [2, opened[1]], "a later user gets a new one");
});

test("one that is still being opened when its last user leaves is closed when it is there", async () => {
  /** @type {any} */ let arrive;
  const one = new Opened(() => new Promise((resolve) => (arrive = resolve)));
  one.subscribe(() => {})();
  mock.timers.tick(1000);
  const late = await open();
  arrive(late);
  await settled();
  assert.equal(late.closed, 1);
  assert.equal(one.state.kb, null);
});

test("an engine that fails for good is told to all users, and retry opens anew", async () => {
  const one = new Opened(open);
  let changes = 0;
  one.subscribe(() => (changes += 1));
  await settled();
  const error = new Error("It has crashed.");
  opened[0].fail(error);
  assert.deepEqual(one.state, { kb: null, status: "failed", error });
  assert.equal(opened[0].closed, 1);
  one.retry();
  await settled();
  assert.deepEqual([one.state.status, one.state.kb], ["ready", opened[1]]);
  assert.ok(changes >= 3);
  opened[0].fail(error);
  assert.equal(one.state.status, "ready", "the earlier one has no say any more");
});

test("a name stands for one, opened with the options of the first component, and after it was closed with those of the next", async () => {
  const other = () => Promise.reject(new Error("the options of another component"));
  const first = shared("notes", open);
  assert.equal(shared("notes", other), first);
  assert.notEqual(shared("other", open), first);
  const leave = first.subscribe(() => {});
  await settled();
  assert.equal(first.state.kb, opened[0]);
  leave();
  mock.timers.tick(1000);
  shared("notes", other);
  shared("notes", open);
  first.subscribe(() => {});
  await settled();
  assert.equal(first.state.status, "failed");
});
