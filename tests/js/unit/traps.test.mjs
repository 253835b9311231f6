// Traps of an engine that runs in place: every call rejects with an error code.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

const PACKAGE = new URL("../../../crates/web/js/", import.meta.url).href;

/** Runs a script in a separate process that survives uncaught errors, and returns the JSON that it prints. */
async function inProcess(body) {
  const program = `
    import { inPlace } from "${PACKAGE}hosts.js";
    import { Supervisor } from "${PACKAGE}supervisor.js";
    // (module (func (export "trap") unreachable))
    const bytes = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 116, 114, 97, 112, 0, 0, 10, 5, 1, 3, 0, 0, 11);
    const { trap } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
    const uncaught = [];
    process.on("uncaughtException", (error) => uncaught.push(error.name));
    const pending = () => new Promise(() => {});
    class Engine {
      add = pending;
      stats() { trap(); }
      search() { queueMicrotask(trap); return pending(); }
      facets() { queueMicrotask(() => { throw new TypeError("of somebody else"); }); return 1; }
      free() {}
    }
    const build = { start: async () => {}, Engine };
    const told = [];
    const open = async () => {
      const engine = new Supervisor(inPlace(build), {}, {}, (type, { error }) => told.push([type, error.code]));
      await engine.open({ options: {}, embedder: null, library: null });
      return engine;
    };
    const failure = (promise) => Promise.race([promise.then((value) => ({ value }), ({ code, retryable, message }) => ({ code, retryable, message })), new Promise((resolve) => setTimeout(resolve, 1000, "pending"))]);
    const said = await (async () => { ${body} })();
    console.log(JSON.stringify({ said, told, uncaught }));
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { timeout: 60_000 });
  return JSON.parse(stdout);
}

const NO_MORE = /^The engine failed: unreachable\. It runs in place here, and its module cannot be used again: reload the page/;

test("a trap after an await ends pending and later calls in every knowledge base", async () => {
  const { said, told, uncaught } = await inProcess(`
    const [one, other] = [await open(), await open()];
    const adding = failure(other.call("add", { collection: "a", documents: [] }));
    const first = await failure(one.call("search", {}));
    return [first, await adding, await failure(one.call("facets", {})), await failure(open())];`);
  for (const { code, retryable, message } of said) {
    assert.deepEqual([code, retryable], ["worker_failed", false]);
    assert.match(message, NO_MORE);
  }
  assert.equal(said.length, 4);
  assert.deepEqual(told, [["failed", "worker_failed"], ["failed", "worker_failed"]]);
  assert.deepEqual(uncaught, ["RuntimeError"], "it is still reported as uncaught");
});

test("a trap within a call ends the engine, not only that call", async () => {
  const { said } = await inProcess(`
    const engine = await open();
    const searching = failure(engine.call("add", { collection: "a", documents: [] }));
    return [await failure(engine.call("stats", {})), await searching];`);
  assert.deepEqual(said.map(({ code }) => code), ["worker_failed", "worker_failed"]);
});

test("other uncaught errors end nothing", async () => {
  const { said, told } = await inProcess(`
    const [engine, closed] = [await open(), await open()];
    await engine.call("facets", {});
    await new Promise((resolve) => setTimeout(resolve, 20));
    closed.terminate();
    return [await failure(engine.call("facets", {})), await failure(closed.call("facets", {}))];`);
  assert.deepEqual(said.map(({ value, code }) => value ?? code), [1, "closed"]);
  assert.deepEqual(told, []);
});

test("a trap of an encoder in place, after an await, ends its call and later ones", async () => {
  const { said } = await inProcess(`
    const { breaking } = await import("${PACKAGE}traps.js");
    const embed = breaking(() => { setTimeout(trap); return pending(); });
    const first = await failure(embed());
    return [first, await failure(embed())];`);
  for (const { code, message } of said) {
    assert.equal(code, "worker_failed");
    assert.match(message, /^The encoder failed: unreachable\. Memory may be full\./);
  }
  assert.equal(said.length, 2);
});
