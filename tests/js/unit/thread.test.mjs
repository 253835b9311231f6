// Turns of a conversation release what they no longer need.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Thread } from "../../../crates/web/js/thread.js";

test("the thread does not retain the result of a question", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const thread = new Thread();
  const results = [];
  for (let asked = 0; asked < 3; asked += 1) {
    results.push(new WeakRef(await thread.next(undefined, async () => ({ contextUsed: new Array(1000).fill("passage") }))));
  }
  await thread.next(undefined, async () => "short");
  await new Promise((resolve) => setTimeout(resolve)); // a WeakRef keeps its target alive until the current job ends
  collect();
  assert.deepEqual(results.map((result) => result.deref()), [undefined, undefined, undefined]);
});
