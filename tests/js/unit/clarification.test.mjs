// Clarifications in conversations: whether the next question counts as the reply, and what is stored.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "../../../crates/web/js/agent.js";
import { Conversations } from "../../../crates/web/js/storage/conversations.js";
import { MemoryFiles } from "../../../crates/web/js/storage/memory.js";
import { Thread } from "../../../crates/web/js/thread.js";

const CLARIFICATION = { type: "no_results", question: "None from 2024. All years?", options: [{ id: "all", label: "All years" }] };
const plain = (value) => JSON.parse(JSON.stringify(value));
const said = ({ turns }) => turns.map(({ question, answer }) => [question, answer]);

/** Returns a knowledge base that asks for clarification if the question or the reply begins with "Vague", and otherwise answers with the round and the reply. */
function knowledgeBase(files = new MemoryFiles()) {
  const store = new Conversations(files);
  const threads = new Map();
  const asked = [];
  return {
    asked,
    store,
    async runPipeline(pipeline, { functions, onBeforeSend, signal }) {
      const { question, resume, history, budget } = pipeline;
      asked.push({ question, answer: resume?.answer, history, budget, functions: [...functions.keys()], onBeforeSend });
      const before = resume?.state.history ?? history;
      const result = { error: null, answer: null, history: before, contextUsed: [], citations: [], terminatedBy: "completed", toolCalls: [], stepsTaken: [] };
      if (signal?.aborted) return { ...result, terminatedBy: "aborted" };
      if (resume?.answer === "fail") return { ...result, terminatedBy: "error", error: { code: "llm_failed" } };
      if ((resume?.answer ?? question).startsWith("Vague")) {
        const { style } = resume?.state.pipeline ?? pipeline;
        const state = { version: 1, pipeline: { question, style }, history: before, round: (resume?.state.round ?? 0) + 1 };
        return { ...result, terminatedBy: "clarify", clarification: CLARIFICATION, state };
      }
      return { ...result, answer: resume ? `round ${resume.state.round}: ${resume.answer}` : "yes" };
    },
    thread(name, start) {
      const kept = { load: () => store.load(name), save: (state) => store.save(name, state) };
      if (!threads.has(name)) threads.set(name, new Thread(start, kept));
      return threads.get(name);
    },
  };
}

test("the reply to a clarification continues the run, and the turn has the original question", async () => {
  const kb = knowledgeBase();
  const chat = new Agent(kb).conversation({ style: "investigate" });
  await chat.ask("one").result;
  assert.equal(chat.pending, null);
  const asked = await chat.ask("Vague contracts").result;
  assert.deepEqual([asked.terminatedBy, chat.pending, chat.turns.length, chat.history.length], ["clarify", CLARIFICATION, 1, 1]);
  const run = chat.ask("All years");
  assert.equal((await run.result).answer, "round 1: All years");
  assert.deepEqual(said(chat), [["one", "yes"], ["Vague contracts", "round 1: All years"]]);
  assert.deepEqual([chat.turns[1].runId, chat.pending], [run.id, null]);
  await chat.ask("three").result;
  assert.deepEqual(kb.asked[3].history.map(({ question }) => question), ["one", "Vague contracts"]);
  assert.deepEqual(kb.asked.map(({ answer }) => answer), [undefined, undefined, "All years", undefined]);
});

test("the user may be asked again, and a reply that fails or is aborted can be repeated", async () => {
  const chat = new Agent(knowledgeBase()).conversation({ style: "investigate" });
  await chat.ask("Vague contracts").result;
  await chat.ask("Vague, too").result;
  assert.deepEqual([chat.pending, chat.turns], [CLARIFICATION, []]);
  await chat.ask("fail").result;
  await chat.ask("All years", { signal: AbortSignal.abort() }).result;
  await assert.rejects(chat.ask(" ").result, { code: "invalid_argument", message: /answer/ });
  assert.deepEqual(chat.pending, CLARIFICATION);
  await chat.ask("All years").result;
  assert.deepEqual([said(chat), chat.pending], [[["Vague contracts", "round 2: All years"]], null]);
});

test("a question queued before a clarification is a new question", async () => {
  const kb = knowledgeBase();
  const chat = new Agent(kb).conversation({ style: "investigate" });
  await Promise.all([chat.ask("Vague contracts").result, chat.ask("two").result]);
  assert.deepEqual([said(chat), chat.pending], [[["two", "yes"]], null]);
});

test("a dismissed or cleared clarification is not pending, and questions asked meanwhile are new; a fork still has it", async () => {
  const kb = knowledgeBase();
  const chat = new Agent(kb).conversation({ style: "investigate" });
  await chat.ask("Vague contracts").result;
  const fork = chat.fork();
  const dismissed = chat.dismiss();
  await Promise.all([dismissed, chat.ask("two").result]);
  assert.deepEqual([said(chat), chat.pending, fork.pending], [[["two", "yes"]], null, CLARIFICATION]);
  await fork.ask("All").result;
  assert.deepEqual(said(fork), [["Vague contracts", "round 1: All"]]);
  await chat.ask("Vague again").result;
  await chat.clear();
  assert.equal(chat.pending, null);
  await chat.ask("new").result;
  assert.deepEqual(said(chat), [["new", "yes"]]);
  await chat.dismiss(); // nothing is pending
});

test("the run continues with the functions, the veto and the budget of its question, and with those of the reply", async () => {
  const kb = knowledgeBase();
  const [llm, onBeforeSend, mine] = [async () => "", (payload) => payload, async () => ""];
  const chat = new Agent(kb).conversation({ style: "investigate", options: { onBeforeSend, topK: 4 } });
  await chat.ask("Vague contracts", { llm, budget: { llmCalls: 3 } }).result;
  await chat.ask("Vague", { topK: 3 }).result;
  await chat.ask("All", { budget: { llmCalls: 9 }, functions: { "1.rewrite.llm": mine } }).result;
  const [, again, last] = kb.asked;
  assert.deepEqual([again.functions, again.budget, again.onBeforeSend], [["style.llm"], { llmCalls: 3 }, onBeforeSend]);
  assert.deepEqual([last.functions, last.budget, last.onBeforeSend], [["style.llm", "1.rewrite.llm"], { llmCalls: 9 }, onBeforeSend]);
});

test("the clarification is part of the conversation's data, and can be answered after it is restored", async () => {
  const kb = knowledgeBase();
  const chat = new Agent(kb).conversation({ style: "investigate" });
  assert.ok(!("pending" in plain(chat)));
  await chat.ask("Vague contracts").result;
  const again = new Agent(kb).conversationFrom(plain(chat));
  assert.deepEqual([again.pending, plain(again)], [CLARIFICATION, plain(chat)]);
  await again.ask("All").result;
  assert.deepEqual(said(again), [["Vague contracts", "round 1: All"]]);
  for (const pending of [3, [], {}, { question: "q", clarification: CLARIFICATION }, { question: 1, clarification: {}, state: {} }]) {
    const broken = { ...plain(chat), pending };
    assert.throws(() => new Agent(kb).conversationFrom(broken), { code: "invalid_argument", message: /pending/ });
  }
});

test("the clarification is stored with the library, even without turns", async () => {
  const files = new MemoryFiles();
  const open = () => new Agent(knowledgeBase(files)).conversation({ keep: "a", style: "investigate" });
  await open().ask("Vague contracts").result;
  const chat = open();
  await chat.ready;
  assert.deepEqual([chat.pending, chat.turns], [CLARIFICATION, []]);
  await open().ask("All").result; // without waiting for `ready`
  const later = open();
  await later.ready;
  assert.deepEqual([said(later), later.pending], [[["Vague contracts", "round 1: All"]], null]);
  await later.ask("Vague again").result;
  await later.dismiss();
  const last = open();
  await last.ready;
  assert.deepEqual([last.pending, last.turns.length], [null, 1]);
  files.readOnly = true;
  const reader = open();
  await reader.ready;
  await assert.rejects(reader.ask("All").result, { code: "read_only" });
});

test("a clarification by a custom style without a state is not pending", async () => {
  const style = () => ({ result: Promise.resolve({ terminatedBy: "clarify", clarification: CLARIFICATION, error: null }) });
  const chat = new Agent(knowledgeBase()).conversation({ style });
  await chat.ask("one").result;
  assert.deepEqual([chat.pending, chat.turns], [null, []]);
});
