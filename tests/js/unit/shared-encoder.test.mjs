// One encoder that several tabs call.

import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedEncoder } from "../../../crates/web/js/shared-encoder.js";

/** An encoder whose loadings and calls the test ends. */
function encoder() {
  const [loads, calls, lost] = [[], [], []];
  const waiting = (list) => (given) => new Promise((resolve, reject) => list.push({ given, resolve, reject }));
  /** @type {any} */
  const handlers = sharedEncoder({ load: waiting(loads), embed: waiting(calls) }, (error) => lost.push(error));
  return { ...handlers, loads, calls, lost };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

test("tabs that load at the same time get the outcome of one loading", async () => {
  const { load, loaded, loads } = encoder();
  assert.equal(await loaded(), null);
  const both = [load({}), load({})];
  const third = loaded();
  await turn();
  assert.equal(loads.length, 1);
  loads[0].resolve({ backend: "kernel" });
  assert.deepEqual(await Promise.all([...both, third]), Array(3).fill({ backend: "kernel" }));
});

test("after a loading that failed, the next one starts anew", async () => {
  const { load, loaded, loads, lost } = encoder();
  const failed = [load({}), load({})];
  await turn();
  loads[0].reject(new Error("cut"));
  for (const one of failed) await assert.rejects(one, /cut/);
  assert.equal(await loaded(), null);
  const again = load({});
  await turn();
  loads[1].resolve("model");
  assert.equal(await again, "model");
  assert.deepEqual(lost, []);
});

test("another build is loaded when no call runs, and calls wait for it", async () => {
  const { load, embed, loads, calls } = encoder();
  const first = load({});
  await turn();
  loads[0].resolve("relaxed");
  await first;
  const running = embed("one");
  await turn();
  const plain = load({ build: { name: "plain" } });
  const same = load({ build: { name: "plain" } });
  const waiting = embed("two");
  await turn();
  assert.deepEqual([loads.length, calls.map(({ given }) => given)], [1, ["one"]]);
  calls[0].resolve("vector of one");
  assert.equal(await running, "vector of one");
  await turn();
  assert.deepEqual([loads.length, calls.length], [2, 1]);
  loads[1].resolve("plain");
  assert.deepEqual(await Promise.all([plain, same]), ["plain", "plain"]);
  await turn();
  calls[1].resolve("vector of two");
  assert.equal(await waiting, "vector of two");
});

test("a model that is lost while another build is loaded is reported for all tabs", async () => {
  const { load, embed, loads, lost } = encoder();
  const first = load({});
  await turn();
  loads[0].resolve("relaxed");
  await first;
  const plain = load({ build: { name: "plain" } });
  const waiting = embed("one");
  await turn();
  loads[1].reject(new Error("no network"));
  await assert.rejects(plain, /no network/);
  await assert.rejects(waiting, /no network/);
  assert.deepEqual(lost.map(({ message }) => message), ["no network"]);
});
