// The protocol between threads, on a real message channel.

import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, local } from "../../../crates/web/js/channel.js";
import { VademecumError } from "../../../crates/web/js/error.js";

function pair(handlers, mine = {}) {
  const { port1, port2 } = new MessageChannel();
  port1.start();
  port2.start();
  connect(port2, handlers);
  return { channel: connect(port1, mine), end: () => (port1.close(), port2.close()) };
}

const both = (name, handlers, body) => {
  test(`${name}, across a port`, async () => {
    const { channel, end } = pair(handlers);
    await body(channel).finally(end);
  });
  test(`${name}, in place`, () => body(local(handlers)));
};

both("a call receives its result after all emitted events", {
  count: async ({ to }, { emit }) => {
    for (let n = 1; n <= to; n++) emit(n);
    return "done";
  },
}, async (channel) => {
  const seen = [];
  assert.equal(await channel.call("count", { to: 3 }, { onEvent: (n) => seen.push(n) }), "done");
  assert.deepEqual(seen, [1, 2, 3]);
});

both("a foreign error is described on the other side", {
  type: () => { throw Object.assign(new TypeError("Too many.".repeat(100)), { code: 7, open: () => {} }); },
  text: () => { throw "no"; },
  none: () => { throw null; },
}, async (channel) => {
  const causes = await Promise.all(["type", "text", "none"].map((name) => channel.call(name, {}).catch(({ code, cause }) => ({ code, cause }))));
  assert.deepEqual(causes.map(({ cause }) => cause), [{ message: "Too many.".repeat(100), name: "TypeError", code: "7" }, { message: "no" }, { message: "null" }]);
  assert.deepEqual(causes.map(({ code }) => code), ["internal", "internal", "internal"]);
});

both("an error keeps its code, its message and whether it is retryable", {
  fail: () => { throw new VademecumError("No.", { code: "model_unavailable", retryable: true }); },
}, async (channel) => {
  await assert.rejects(channel.call("fail", {}), { name: "VademecumError", code: "model_unavailable", message: "No.", retryable: true });
});

both("anything else that is thrown becomes `internal`", { fail: () => { throw new TypeError("x is not a function"); } }, async (channel) => {
  await assert.rejects(channel.call("fail", {}), { code: "internal", message: "x is not a function" });
});

both("aborting reaches the handler, which ends the call", {
  wait: (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped"))),
}, async (channel) => {
  const abort = new AbortController();
  const call = channel.call("wait", {}, { signal: abort.signal });
  setTimeout(() => abort.abort(), 5);
  assert.equal(await call, "stopped");
});

let started = 0;
both("a signal that is already aborted prevents the call", { start: () => started++ }, async (channel) => {
  await assert.rejects(channel.call("start", {}, { signal: AbortSignal.abort() }), { code: "aborted" });
  assert.equal(started, 0);
});

both("an invalid signal is an error of the caller", { start: () => {} }, async (channel) => {
  await assert.rejects(channel.call("start", {}, { signal: {} }), { code: "invalid_argument", message: /signal/ });
  channel.close(new VademecumError("Gone.", { code: "closed" }));
});

both("a caller may have its handler called with an aborted signal", {
  end: (_, { signal }) => (signal.aborted ? "never began" : "went on"),
}, async (channel) => {
  const options = { signal: AbortSignal.abort(), evenAborted: true };
  assert.equal(await channel.call("end", {}, options), "never began");
});

both("a missing method is an error", {}, async (channel) => {
  await assert.rejects(channel.call("nothing", {}), VademecumError);
});

test("a result that cannot be cloned is an error", async () => {
  const { channel, end } = pair({ make: () => () => {} });
  await assert.rejects(channel.call("make", {}), VademecumError);
  end();
});

test("each side may call the other", async () => {
  const { channel, end } = pair({ double: ({ n }) => n * 2 }, {});
  assert.deepEqual(await Promise.all([1, 2, 3].map((n) => channel.call("double", { n }))), [2, 4, 6]);
  end();
});

test("a closed channel ends its waiting calls and refuses new ones", async () => {
  const { channel, end } = pair({ wait: () => new Promise(() => {}) });
  const waiting = channel.call("wait", {});
  channel.close(new VademecumError("Gone.", { code: "closed" }));
  await assert.rejects(waiting, { code: "closed" });
  await assert.rejects(channel.call("wait", {}), { code: "closed" });
  end();
});

test("parameters that cannot be cloned are an error of the caller", async () => {
  const { channel, end } = pair({ take: () => {} });
  await assert.rejects(channel.call("take", { value: () => {} }), { code: "invalid_argument" });
  end();
});

test("a message that does not fit into memory is an error of the device, not of the caller", async () => {
  for (const thrown of [new RangeError("Array buffer allocation failed"), new DOMException("Data cannot be cloned, out of memory.", "DataCloneError")]) {
    const port = { addEventListener() {}, postMessage: () => { throw thrown; } };
    const call = connect(port, {}).call("load", { contents: { model: new Uint8Array(3) } });
    await assert.rejects(call, { code: "worker_failed", retryable: true, message: /did not fit into memory/ });
  }
});
