// Loading of a language model on the demo page: one load of a card at a time, and what is said of it.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load } from "../../../www/model/loading.js";

const NAMES = { outcome: "outcome", progress: "progress", cancel: "cancel", others: ["other"] };
let nodes;
beforeEach(() => {
  nodes = Object.fromEntries(["outcome", "progress", "cancel", "other"].map((id) => [id, { hidden: false, textContent: "", dataset: {}, focus() {}, removeAttribute() {} }]));
  Object.assign(globalThis, { document: { getElementById: (id) => nodes[id] } });
});

/** Returns a model that counts how often it was closed, and a load of it that a test ends. */
function slow() {
  const model = { closed: 0, close: () => void (model.closed += 1) };
  /** @type {any} */ const held = { model, signal: null, arrive: null };
  const work = ({ signal }) => new Promise((resolve) => Object.assign(held, { signal, arrive: () => resolve(model) }));
  return { held, work };
}

test("a later load of a card ends the one before, whose model is closed if it still comes", async () => {
  const [first, second] = [slow(), slow()];
  const outcomes = [load(NAMES, first.work), load(NAMES, second.work)];
  assert.deepEqual([first.held.signal.aborted, second.held.signal.aborted], [true, false]);
  first.held.arrive();
  assert.equal(await outcomes[0], null);
  assert.equal(first.held.model.closed, 1);
  assert.equal(nodes.cancel.hidden, false, "the later one can still be cancelled");
  assert.equal(nodes.outcome.textContent, "", "and nothing is said of the earlier one");
  second.held.arrive();
  assert.equal(await outcomes[1], second.held.model);
  assert.deepEqual([second.held.model.closed, nodes.cancel.hidden, nodes.other.hidden], [0, true, false]);
});

test("a load ends by the signal of what it belongs to", async () => {
  const { held, work } = slow();
  const abort = new AbortController();
  const outcome = load({ ...NAMES, within: abort.signal }, work);
  abort.abort();
  held.arrive();
  assert.equal(await outcome, null);
  assert.equal(held.model.closed, 1);
});

test("a failure that is said during a successful load stays", async () => {
  const work = async ({ say }) => (say("busy", "Loading"), say("bad", "There is no room."), {});
  await load(NAMES, work);
  assert.deepEqual([nodes.outcome.hidden, nodes.outcome.textContent], [false, "There is no room."]);
  await load(NAMES, async ({ say }) => (say("busy", "Loading"), {}));
  assert.equal(nodes.outcome.hidden, true);
});
