// Failures to start: an invalid wasm module, and an environment without workers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { attach } from "../../../crates/web/js/attach.js";
import { compile, starter } from "../../../crates/web/js/start.js";

test("a browser's text in a message ends with one full stop", async () => {
  for (const words of ["Incorrect response MIME type. Expected 'application/wasm'.", "Failed to fetch", "cut off…  "]) {
    const start = starter(async () => {
      throw new TypeError(words);
    }, new URL("http://a.test/b.wasm"));
    // A compiled module avoids a fetch.
    await assert.rejects(start({}), ({ code, message }) => {
      assert.equal(code, "module_unavailable");
      assert.ok(message.startsWith(`The wasm module could not be loaded from http://a.test/b.wasm: ${words.trim().replace(/\.$/, "")}. Check`), message);
      return true;
    });
  }
});

test("without SIMD instructions, the error says so and names browsers that have them", async (t) => {
  t.mock.method(WebAssembly, "validate", () => false);
  const start = starter(async () => {
    throw new WebAssembly.CompileError("invalid opcode 0xfd");
  }, new URL("http://a.test/b.wasm"));
  await assert.rejects(start({}), { code: "unsupported", message: /no SIMD instructions of WebAssembly.*Firefox 114/ });
});

test("a module that the browser never compiles is an error after 20 seconds, and one that it compiles is not", async (t) => {
  const bytes = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]); // an empty module
  t.mock.method(globalThis, "fetch", async () => new Response(bytes, { headers: { "content-type": "application/wasm" } }));
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const waited = async () => {
    for (let n = 0; n < 20; n++) await new Promise(setImmediate);
    t.mock.timers.tick(20_000);
  };
  const address = new URL("http://a.test/b.wasm");
  const streaming = t.mock.method(WebAssembly, "compileStreaming", async () => new WebAssembly.Module(bytes));
  assert.ok((await compile(address)) instanceof WebAssembly.Module);
  await waited();
  streaming.mock.mockImplementation(() => new Promise(() => {}));
  const never = assert.rejects(compile(address), /^Error: the browser has not compiled it in 20 seconds; .*restart the browser$/);
  await waited();
  await never;
  streaming.mock.mockImplementation(async () => Promise.reject(new WebAssembly.CompileError("invalid opcode")));
  await assert.rejects(compile(address), WebAssembly.CompileError);
});

test("a worker whose message cannot be read ends with an error, and so do its calls", async () => {
  const listeners = {};
  const worker = { postMessage() {}, addEventListener: (type, listener) => (listeners[type] = listener), terminate() {} };
  const channel = attach(null, "embedder", {}, () => worker);
  const call = channel.call("load", {});
  listeners.messageerror({});
  await assert.rejects(call, { code: "worker_failed", retryable: true, message: /could not be read; memory may be full/ });
});

test("without workers, the error says which entry to import", () => {
  assert.equal(typeof Worker, "undefined");
  const start = () => new Worker("a.js");
  for (const own of [undefined, "http://a.test/worker.js"]) {
    assert.throws(() => attach(start, "engine", {}, own), { code: "unsupported", message: /no workers here, as in Node.*`vademecum\/direct`/ });
  }
});

test("a worker that does not start fails after a minute with its address, and a started one stays", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const made = () => {
    const listeners = {};
    return { ended: false, postMessage() {}, addEventListener: (type, listener) => (listeners[type] = listener), terminate() { this.ended = true; }, say: (data) => listeners.message?.({ data }) };
  };
  const silent = made();
  const crashes = [];
  const channel = attach(null, "engine", {}, () => silent, (/** @type {any} */ error) => crashes.push(error.code));
  const call = channel.call("open", {});
  t.mock.timers.tick(60_000);
  await assert.rejects(call, { code: "worker_failed", retryable: true, message: /^The engine worker failed: nothing came from it in 60 seconds\. .*static-sites\.md/ });
  assert.deepEqual([silent.ended, crashes], [true, ["worker_failed"]]);
  const there = made();
  attach(null, "engine", {}, () => there);
  there.say({ kind: "here" });
  t.mock.timers.tick(120_000);
  assert.equal(there.ended, false);
});
