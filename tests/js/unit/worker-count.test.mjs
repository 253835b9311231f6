// How many encoders are started by default.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { workerCount } from "../../../crates/web/js/worker-count.js";

const own = Object.getOwnPropertyDescriptor(globalThis, "navigator");
afterEach(() => {
  if (own) Object.defineProperty(globalThis, "navigator", own);
  else Reflect.deleteProperty(globalThis, "navigator");
});

/** Returns the number on a device. */
function on(device, asked = /** @type {"auto" | number} */ ("auto")) {
  Object.defineProperty(globalThis, "navigator", { value: device, configurable: true });
  return workerCount(asked);
}
const battery = (charging, level) => ({ getBattery: async () => ({ charging, level }) });

test("by default there is one encoder per core, up to four", async () => {
  for (const [hardwareConcurrency, expected] of [[1, 1], [2, 2], [3, 3], [4, 4], [16, 4]]) assert.equal(await on({ hardwareConcurrency }), expected);
  assert.equal(await on({}), 1, "where the number of cores is unknown");
  assert.equal(await on(undefined), 1);
});

test("a number that is asked for is used", async () => {
  assert.equal(await on({ hardwareConcurrency: 2, ...battery(false, 0.05) }, 6), 6);
});

test("on battery there are half as many, and one with a low battery, a data saver or little memory", async () => {
  const cores = { hardwareConcurrency: 8 };
  assert.equal(await on({ ...cores, ...battery(true, 0.05) }), 4);
  assert.equal(await on({ ...cores, ...battery(false, 0.9) }), 2);
  assert.equal(await on({ hardwareConcurrency: 1, ...battery(false, 0.9) }), 1);
  assert.equal(await on({ ...cores, ...battery(false, 0.1) }), 1);
  assert.equal(await on({ ...cores, connection: { saveData: true } }), 1);
  assert.equal(await on({ ...cores, connection: { saveData: false } }), 4);
  assert.equal(await on({ ...cores, deviceMemory: 2 }), 1);
  assert.equal(await on({ ...cores, deviceMemory: 8 }), 4);
});

test("a battery that a policy hides counts as none", async () => {
  assert.equal(await on({ hardwareConcurrency: 4, getBattery: () => Promise.reject(new DOMException("denied", "NotAllowedError")) }), 4);
});
