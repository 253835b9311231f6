// Permission of users' tools after a model has read documents: checked on the page, next to the tool, and recorded in the ledger.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "../../../crates/web/js/agent.js";
import { Ledger } from "../../../crates/web/js/ledger.js";

const SOURCES = [{ chunkId: "c", docId: "a.md", collection: "default" }];
const STATE = { question: "q", evidence: [{ id: "c" }] };
const { signal } = new AbortController();

/**
 * Returns the outcome of a run in which a model calls `send_mail` once.
 * @param {{ safe?: boolean, tainted?: boolean, agent?: object, run?: object, arguments?: object }} call
 */
async function called({ safe, tainted, agent = {}, run = {}, arguments: args = { to: "a@b.example" } }) {
  const executed = [];
  /** @type {any} */ let outcome;
  const kb = {
    async runPipeline(pipeline, { functions, onBeforeSend, onBeforeTool, onEvent }) {
      const ledger = new Ledger(onBeforeSend, (entry) => onEvent({ type: "send", entry }), onBeforeTool);
      const use = { step: "act", name: "send_mail", arguments: args, ...(tainted !== undefined && { tainted }), sources: SOURCES, state: structuredClone(STATE) };
      outcome = await functions.get("tool.send_mail")(use, { signal }, ledger).catch((error) => error);
      return { reasoningTrace: [], citations: [], contextUsed: [], ledger: ledger.entries };
    },
  };
  const mail = { name: "send_mail", ...(safe !== undefined && { safe }), execute: (...given) => (executed.push(given), "sent") };
  const begun = new Agent(kb, agent).tool(mail).react("q", run);
  const told = [];
  for await (const event of begun) told.push(event.entry);
  return { outcome, executed, told, ledger: (await begun.result).ledger };
}

test("without a hook a tool runs until the model has read passages, and after that only if it is safe", async () => {
  for (const [safe, tainted, runs] of [[undefined, false, true], [undefined, true, false], [false, true, false], [true, true, true], [true, false, true], [undefined, undefined, false]]) {
    const { outcome, executed, ledger, told } = await called({ safe, tainted });
    assert.equal(executed.length, runs ? 1 : 0, `${safe} ${tainted}`);
    if (!runs) assert.deepEqual([outcome.code, outcome.name], ["tool_denied", "VademecumError"]);
    const [{ at, reason, bytes, ...entry }] = ledger;
    assert.deepEqual(entry, { step: "act", sent: runs, tool: { name: "send_mail", args: { to: "a@b.example" } }, tainted: tainted !== false, sources: SOURCES });
    assert.equal(typeof reason, runs ? "undefined" : "string");
    assert.deepEqual(told, ledger);
  }
});

test("the hook receives the call, whether it is tainted and its sources, and only true lets the tool run", async () => {
  for (const returned of [true, false, null, undefined, 1, "true", {}, [true], Promise.resolve(true), Promise.resolve("yes")]) {
    let seen;
    const onBeforeTool = (call, { signal: _, ...context }) => ((seen = { call, ...context }), returned);
    const { executed, ledger } = await called({ safe: true, tainted: true, agent: { onBeforeTool } });
    assert.deepEqual(seen, { call: { name: "send_mail", args: { to: "a@b.example" } }, tainted: true, sources: SOURCES });
    const allowed = (await returned) === true;
    assert.deepEqual([executed.length, ledger[0].sent], [allowed ? 1 : 0, allowed], String(returned));
  }
});

test("a hook that throws denies the call, even before anything is tainted", async () => {
  for (const onBeforeTool of [() => { throw new Error("away"); }, () => Promise.reject(null)]) {
    const { outcome, executed, ledger } = await called({ tainted: false, agent: { onBeforeTool } });
    assert.deepEqual([outcome.code, executed.length, ledger[0].sent], ["tool_denied", 0, false]);
    assert.match(ledger[0].reason, /onBeforeTool.*failed/);
  }
});

test("the hook of a run overrides the agent's", async () => {
  const { executed } = await called({ tainted: true, agent: { onBeforeTool: () => true }, run: { onBeforeTool: () => false } });
  assert.equal(executed.length, 0);
});

test("changes by a hook affect neither the call nor the ledger", async () => {
  const onBeforeTool = (call, { sources }) => ((call.args.to = "evil@b.example"), sources.pop(), true);
  const { executed, ledger } = await called({ tainted: true, agent: { onBeforeTool } });
  assert.deepEqual([executed[0][0], ledger[0].tool.args, ledger[0].sources], [{ to: "a@b.example" }, { to: "a@b.example" }, SOURCES]);
});

test("a tool receives the state of the run, frozen, and a signal", async () => {
  const { executed } = await called({ tainted: false });
  const [, { state, ...rest }] = executed[0];
  assert.deepEqual([state, Object.keys(rest)], [STATE, ["signal"]]);
  assert.throws(() => { state.evidence[0].id = "other"; }, TypeError);
  assert.throws(() => { state.more = 1; }, TypeError);
});

test("a decision after the wait has ended denies the call", async () => {
  const abort = new AbortController();
  const ledger = new Ledger(undefined, () => assert.fail("no event after the end"), () => new Promise(() => {}));
  const waiting = ledger.admitTool({ step: "act", name: "send_mail", arguments: {}, tainted: true, sources: [] }, { safe: true, signal: abort.signal });
  abort.abort();
  await assert.rejects(waiting, { code: "aborted" });
  assert.equal(ledger.entries[0].sent, false);
});

test("`safe` must be a boolean, and the hook a function", () => {
  const agent = new Agent({ runPipeline() {} });
  assert.throws(() => agent.tool({ name: "a", safe: "yes", execute: () => 1 }), { code: "invalid_argument", message: /tool\.safe/ });
  assert.throws(() => new Agent({ runPipeline() {} }, { onBeforeTool: true }), { code: "invalid_argument", message: /onBeforeTool/ });
  assert.throws(() => agent.react("q", { onBeforeTool: "ask" }), { code: "invalid_argument" });
});
