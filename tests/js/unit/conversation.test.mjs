// Conversations: the history that a question receives, the order of questions, and what is stored.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "../../../crates/web/js/agent.js";
import { Run } from "../../../crates/web/js/run.js";
import { Conversations } from "../../../crates/web/js/storage/conversations.js";
import { MemoryFiles } from "../../../crates/web/js/storage/memory.js";
import { heuristic } from "../../../crates/web/js/testing/heuristic.js";
import { Thread } from "../../../crates/web/js/thread.js";

/**
 * Returns a knowledge base that answers every question with itself, or with what `answer` returns. It records the questions, and stores
 * conversations in `files`.
 * @param {{ answer?: (question: string, more?: any) => any, files?: MemoryFiles }} [options]
 */
function knowledgeBase({ answer = (question) => ({ answer: `${question} Yes.` }), files = new MemoryFiles() } = {}) {
  const store = new Conversations(files);
  const threads = new Map();
  const asked = [];
  return {
    asked,
    store,
    async runPipeline(pipeline, { signal, onEvent }) {
      asked.push(pipeline);
      onEvent({ type: "start", step: "rewrite" });
      const aborted = signal?.aborted === true;
      const said = aborted ? { terminatedBy: "aborted" } : await answer(pipeline.question, { signal, pipeline });
      onEvent({ type: "done" });
      return { terminatedBy: "completed", error: null, answer: null, history: pipeline.history, contextUsed: [], citations: [], ...said };
    },
    thread(name, start) {
      const kept = { load: () => store.load(name), save: (state) => store.save(name, state) };
      if (!threads.has(name)) threads.set(name, new Thread(start, kept));
      return threads.get(name);
    },
  };
}

const gate = () => {
  /** @type {any} */ let open;
  const opened = new Promise((resolve) => (open = resolve));
  return { open, opened };
};
const plain = (value) => JSON.parse(JSON.stringify(value));
const questions = ({ turns }) => turns.map(({ question }) => question);

test("a later question sees earlier questions and answers", async () => {
  const kb = knowledgeBase();
  const chat = new Agent(kb).conversation({ options: { collections: ["plans"], limit: 3 }, tokens: 700 });
  await chat.ask("What does gold cost?").result;
  const result = await chat.ask("And silver?", { limit: 9 }).result;
  assert.equal(result.answer, "And silver? Yes.");
  const { history, historyTokens, collections, limit, steps } = kb.asked[1];
  assert.deepEqual(history, [{ question: "What does gold cost?", answer: "What does gold cost? Yes." }]);
  assert.deepEqual([historyTokens, collections, limit], [700, ["plans"], 9]);
  assert.deepEqual(steps.map(({ step }) => step), ["rewrite", "decompose", "search", "answer", "ground"]);
  assert.deepEqual(kb.asked[0].limit, 3);
  assert.deepEqual(questions(chat), ["What does gold cost?", "And silver?"]);
});

test("a turn contains its answer, its citations and the id of its run", async () => {
  const citations = [{ number: 1, docId: "d" }];
  const chat = new Agent(knowledgeBase({ answer: () => ({ answer: "Ten [1].", citations, rewrittenQuestion: "What is it?", answeredBy: "llm" }) })).conversation();
  const run = chat.ask("It?");
  const events = [];
  for await (const { type } of run) events.push(type);
  const [{ at, ...turn }] = chat.turns;
  assert.deepEqual(turn, { runId: run.id, question: "It?", answer: "Ten [1].", citations, rewrittenQuestion: "What is it?", answeredBy: "llm" });
  assert.ok(Math.abs(Date.now() - at) < 60_000);
  assert.match(run.id, /^[0-9a-f]{16}$/);
  assert.deepEqual(events, ["start", "done"]);
});

test("modifying the returned turns does not change the conversation", async () => {
  const chat = new Agent(knowledgeBase()).conversation();
  await chat.ask("one").result;
  for (const change of [() => (chat.turns[0].question = "other"), () => chat.history.pop(), () => chat.turns.pop()]) assert.throws(change, TypeError);
  const { turns } = chat.toJSON();
  turns.pop();
  assert.deepEqual([questions(chat), chat.history.length], [["one"], 1]);
});

test("the conversation continues with the history that a run has summarised", async () => {
  const summary = { question: "", answer: "Gold was priced.", summary: true };
  const kb = knowledgeBase({ answer: (question) => (question === "two" ? { answer: "2", history: [summary] } : { answer: "x" }) });
  const chat = new Agent(kb).conversation();
  for (const question of ["one", "two", "three"]) await chat.ask(question).result;
  assert.deepEqual(kb.asked[2].history, [summary, { question: "two", answer: "2" }]);
  assert.deepEqual(questions(chat), ["one", "two", "three"]);
});

test("questions are answered one at a time, in the order they were asked", async () => {
  const { open, opened } = gate();
  const kb = knowledgeBase({ answer: async (question) => (question === "one" && (await opened), { answer: question }) });
  const chat = new Agent(kb).conversation();
  const runs = ["one", "two", "three"].map((question) => chat.ask(question));
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(kb.asked.length, 1);
  open();
  await Promise.all(runs.map(({ result }) => result));
  assert.deepEqual(kb.asked.map(({ question, history }) => [question, history.length]), [["one", 0], ["two", 1], ["three", 2]]);
});

test("a queued question can be aborted, and later ones keep their places", async () => {
  const { open, opened } = gate();
  const kb = knowledgeBase({ answer: async (question) => (question === "one" && (await opened), { answer: question }) });
  const chat = new Agent(kb).conversation();
  const abort = new AbortController();
  const [first, second, third] = [chat.ask("one"), chat.ask("two", { signal: abort.signal }), chat.ask("three")];
  await new Promise((resolve) => setTimeout(resolve, 5));
  abort.abort();
  assert.equal((await second.result).terminatedBy, "aborted");
  assert.ok(!kb.asked.some(({ question }) => question === "three"));
  open();
  await Promise.all([first.result, third.result]);
  assert.deepEqual(questions(chat), ["one", "three"]);
});

test("a run that fails, is aborted, refused, or asks the user adds no turn", async () => {
  const outcomes = {
    failed: { terminatedBy: "error", error: { code: "llm_failed" } },
    aborted: { terminatedBy: "aborted" },
    clarify: { terminatedBy: "clarify" },
  };
  const kb = knowledgeBase({
    answer: (question) => {
      if (question === "refused") throw new Error("misuse");
      return outcomes[question] ?? { answer: "a" };
    },
  });
  const chat = new Agent(kb).conversation();
  for (const question of Object.keys(outcomes)) assert.equal((await chat.ask(question).result).terminatedBy, outcomes[question].terminatedBy);
  await assert.rejects(chat.ask("refused").result, /misuse/);
  await assert.rejects(chat.ask("q", { limt: 3 }).result, { code: "invalid_argument", message: /limt/ });
  await chat.ask("fine").result;
  assert.deepEqual([questions(chat), chat.history], [["fine"], [{ question: "fine", answer: "a" }]]);
});

test("clearing deletes every turn, including that of a running question", async () => {
  const { open, opened } = gate();
  const kb = knowledgeBase({ answer: async (question) => (question === "two" && (await opened), { answer: question }) });
  const chat = new Agent(kb).conversation();
  await chat.ask("one").result;
  const second = chat.ask("two");
  await chat.clear();
  assert.deepEqual([chat.turns, chat.history], [[], []]);
  open();
  assert.equal((await second.result).answer, "two");
  await chat.ask("three").result;
  assert.deepEqual([questions(chat), kb.asked[2].history], [["three"], []]);
});

test("clearing before the stored turns are loaded deletes them", async () => {
  const files = new MemoryFiles();
  await new Agent(knowledgeBase({ files })).conversation({ keep: "a" }).ask("one").result;
  const chat = new Agent(knowledgeBase({ files })).conversation({ keep: "a" });
  await chat.clear();
  await chat.ready;
  assert.deepEqual([chat.turns, (await new Conversations(files).load("a")).turns], [[], []]);
});

test("a question asked while the conversation is being cleared sees none of it, and its turn stays", async () => {
  const written = gate();
  const files = new MemoryFiles();
  const kb = knowledgeBase({ files });
  const chat = new Agent(kb).conversation({ keep: "a" });
  await chat.ask("one").result;
  const write = files.write.bind(files);
  files.write = async (...file) => (await written.opened, write(...file));
  const cleared = chat.clear();
  const second = chat.ask("two");
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(kb.asked.length, 1);
  written.open();
  await Promise.all([cleared, second.result]);
  assert.deepEqual([kb.asked[1].history, questions(chat)], [[], ["two"]]);
  assert.deepEqual(questions(await new Conversations(files).load("a")), ["two"]);
});

test("a failure to clear is reported, and the conversation keeps its turns", async () => {
  const files = new CutFiles();
  const kb = knowledgeBase({ files });
  const chat = new Agent(kb).conversation({ keep: "a" });
  await chat.ask("one").result;
  files.left = 0;
  await assert.rejects(chat.clear(), /the tab is gone/);
  files.left = Infinity;
  await chat.ask("two").result;
  assert.deepEqual(questions(chat), ["one", "two"]);
});

test("the heuristic LLM summarises by the questions that were asked", async () => {
  const content = "=== passages 1 ===\nQ: What is gold?\nA: A metal.\nQ: And silver?\nA: Another.\n=== passages 1 ===\n\nSum up this conversation.";
  assert.equal(await heuristic()({ messages: [{ role: "user", content }] }, { step: "summarize" }), "What is gold? And silver?");
});

test("a fork starts with the same turns and is then independent", async () => {
  const chat = new Agent(knowledgeBase()).conversation();
  await chat.ask("one").result;
  const fork = chat.fork();
  await Promise.all([chat.ask("two").result, fork.ask("other").result]);
  assert.deepEqual([questions(chat), questions(fork)], [["one", "two"], ["one", "other"]]);
});

test("a conversation may start with turns from elsewhere", async () => {
  const kb = knowledgeBase();
  const summary = { question: "", answer: "Much was said.", summary: true };
  const chat = new Agent(kb).conversation({ turns: [summary, { question: "one", answer: "1" }, { question: "two" }] });
  await chat.ask("three").result;
  assert.deepEqual(kb.asked[0].history, [summary, { question: "one", answer: "1" }, { question: "two", answer: "" }]);
  assert.deepEqual(questions(chat), ["one", "two", "three"]);
});

test("a style may be a function, which receives the history and the signal", async () => {
  const told = [];
  const style = (agent, question, options, { signal }) => {
    told.push([agent instanceof Agent, question, options.history.length, signal?.aborted, options.limit]);
    return agent.pipeline(question, options).search().answer().run({ signal });
  };
  const kb = knowledgeBase();
  const chat = new Agent(kb).conversation({ style, options: { limit: 2 } });
  await chat.ask("one").result;
  await chat.ask("two", { signal: new AbortController().signal }).result;
  assert.deepEqual(told, [[true, "one", 0, undefined, 2], [true, "two", 1, false, 2]]);
  assert.deepEqual(kb.asked[1].steps.map(({ step }) => step), ["search", "answer"]);
  const none = new Agent(kb).conversation({ style: () => "no run" });
  await assert.rejects(none.ask("q").result, { code: "function_result", message: /must return a run/ });
});

test("a style is called by its name with the history, and an unknown name is an error", async () => {
  const agent = new Agent(knowledgeBase());
  const told = [];
  agent.react = (question, options) => {
    told.push([question, options]);
    return new Run(async () => ({ answer: "a", terminatedBy: "completed", error: null }));
  };
  const chat = agent.conversation({ style: "react", options: { maxIterations: 2 } });
  await chat.ask("one").result;
  await chat.ask("two").result;
  assert.deepEqual(told[1], ["two", { historyTokens: 1500, maxIterations: 2, history: [{ question: "one", answer: "a" }] }]);
  const lacking = Object.assign(new Agent(knowledgeBase()), { graph: undefined });
  assert.throws(() => lacking.conversation({ style: "graph" }), { code: "invalid_argument", message: /"pipeline".*or a function, but was "graph"/ });
});

test("misuse is reported before anything runs", () => {
  const agent = new Agent(knowledgeBase());
  const refused = [
    [() => agent.conversation({ stile: "react" }), /stile/],
    [() => agent.conversation({ style: "pipe" }), /conversation\.style/],
    [() => agent.conversation({ tokens: 0 }), /conversation\.tokens.*from 1/],
    [() => agent.conversation({ options: [] }), /conversation\.options/],
    [() => agent.conversation({ turns: [{ answer: 3 }] }), /turns\[0\]/],
    [() => agent.conversation({ turns: [{ question: "" }] }), /turns\[0\]\.question/],
    [() => agent.conversation({ keep: "" }), /conversation\.keep/],
    [() => agent.conversation({ keep: "x".repeat(201) }), /1 to 200 characters/],
    [() => agent.conversation({ keep: "\ud800" }), /Unicode/],
    [() => agent.conversation().ask(7), /question/],
    [() => agent.conversation().ask("q", "now"), /ask/],
    [() => agent.conversationFrom(null), /the data of a conversation/],
    [() => agent.conversationFrom({ version: 2, turns: [], history: [] }), /conversation\.version/],
    [() => agent.conversationFrom({ version: 1, turns: [{}], history: [] }), /turns/],
    [() => agent.conversationFrom({ version: 1, style: "style", turns: [], history: [] }), /the function `style`/],
  ];
  for (const [misuse, message] of /** @type {[() => unknown, RegExp][]} */ (refused)) assert.throws(misuse, { name: "VademecumError", code: "invalid_argument", message });
});

test("a conversation is restored from its data, with the functions that it refers to", async () => {
  const style = (agent, question, { history, prompt }) => agent.pipeline(question, { history }).search().answer({ prompt }).run();
  const chat = new Agent(knowledgeBase()).conversation({ style, options: { prompt: () => "p", topK: 3 }, tokens: 90 });
  await chat.ask("one").result;
  const data = plain(chat);
  assert.deepEqual([data.version, data.style, data.options, data.tokens], [1, "style", { prompt: "options.prompt", topK: 3 }, 90]);
  const kb = knowledgeBase();
  const again = new Agent(kb).conversationFrom(data, chat.functions);
  assert.deepEqual(plain(again), data);
  await again.ask("two").result;
  assert.deepEqual(kb.asked[0].history, [{ question: "one", answer: "one Yes." }]);
  assert.deepEqual(questions(again), ["one", "two"]);
  assert.deepEqual(plain(new Agent(kb).conversationFrom(plain(new Agent(kb).conversation()))).style, "pipeline");
});

// Stored conversations ------------------------------------------------------------------------------------------------

test("a stored conversation can be opened again by name", async () => {
  const files = new MemoryFiles();
  const names = ["my chat", "My chat", "..", "a/b\\c", "名前 🙂", "x".repeat(200), "}"];
  for (const name of names) await new Agent(knowledgeBase({ files })).conversation({ keep: name }).ask(`of ${name}`).result;
  const later = knowledgeBase({ files });
  assert.deepEqual(await later.store.names(), [...names].sort());
  for (const name of names) {
    const chat = new Agent(later).conversation({ keep: name });
    await chat.ready;
    assert.deepEqual(questions(chat), [`of ${name}`]);
  }
  await new Agent(later).conversation({ keep: names[0] }).ask("more").result;
  assert.deepEqual(later.asked[0].history, [{ question: "of my chat", answer: "of my chat Yes." }]);
});

test("file names are valid for a library's storage", async () => {
  const files = new MemoryFiles();
  await new Conversations(files).save("🙂".repeat(200), { turns: [], history: [], pending: null });
  for (const { name } of await files.list()) assert.match(name, /^chat-[0-9a-f]{32}-(0\.json|1\.json|name)$/);
});

test("a stored conversation of one library is shared by all its users", async () => {
  const kb = knowledgeBase();
  const [one, other] = [new Agent(kb).conversation({ keep: "a" }), new Agent(kb).conversation({ keep: "a" })];
  await Promise.all([one.ask("first").result, other.ask("second").result]);
  assert.deepEqual([questions(one), questions(other)], [["first", "second"], ["first", "second"]]);
});

test("initial turns apply only to a new stored conversation", async () => {
  const files = new MemoryFiles();
  const begin = (first) => new Agent(knowledgeBase({ files })).conversation({ keep: "a", turns: [{ question: first }] });
  await begin("one").ask("two").result;
  const again = begin("other");
  await again.ready;
  assert.deepEqual(questions(again), ["one", "two"]);
});

test("a cleared or deleted conversation is gone, and can be started again", async () => {
  const files = new MemoryFiles();
  const chat = new Agent(knowledgeBase({ files })).conversation({ keep: "a" });
  await chat.ask("one").result;
  await chat.clear();
  const store = new Conversations(files);
  assert.deepEqual(await store.load("a"), { turns: [], history: [], readOnly: false });
  await chat.ask("two").result;
  assert.deepEqual(questions(await store.load("a")), ["two"]);
  await store.delete("a");
  await store.delete("never there");
  assert.deepEqual([await store.names(), await files.list()], [[], []]);
});

/** Files whose writes stop after a number of bytes, as if the tab were closed. */
class CutFiles extends MemoryFiles {
  left = Infinity;
  wrote = 0;

  async write(name, bytes) {
    this.#spend(0);
    const fits = Math.min(bytes.byteLength, this.left);
    await super.write(name, bytes.slice(0, fits));
    this.#spend(bytes.byteLength);
  }

  async remove(name) {
    this.#spend(1);
    await super.remove(name);
  }

  #spend(size) {
    this.wrote += size;
    this.left -= size;
    if (this.left < 0) {
      this.left = -1;
      throw new Error("the tab is gone");
    }
  }
}

test("a save interrupted at any byte leaves the previous or the new state", async () => {
  const states = ["", "one", "two", "three"].map((question) => ({ turns: question ? [{ question, answer: "a".repeat(9) }] : [], history: [], pending: null }));
  const upTo = async (files, last) => {
    for (const state of states.slice(1, last)) await new Conversations(files).save("a}", state);
  };
  for (let last = 2; last <= states.length; last += 1) {
    const whole = new CutFiles();
    await upTo(whole, last - 1);
    const before = whole.wrote;
    await upTo(whole, last); // writes the earlier states again, as another generation
    for (let left = 0; left <= whole.wrote - before + 8; left += 1) {
      const files = new CutFiles();
      await upTo(files, last - 1);
      files.left = left;
      await new Conversations(files).save("a}", states[last - 1]).catch(() => {});
      const { turns } = await new Conversations(files).load("a}");
      assert.ok([last - 2, last - 1].some((at) => JSON.stringify(turns) === JSON.stringify(states[at].turns)), `${last} cut at ${left}: ${JSON.stringify(turns)}`);
      files.left = Infinity;
      await new Conversations(files).save("a}", states[3]);
      assert.deepEqual((await new Conversations(files).load("a}")).turns, states[3].turns);
      assert.deepEqual(await new Conversations(files).names(), ["a}"]);
    }
  }
});

test("a damaged conversation is reported with a remedy, and affects neither others nor the list", async () => {
  const save = async () => {
    const files = new MemoryFiles();
    for (const name of ["bad", "good"]) await new Agent(knowledgeBase({ files })).conversation({ keep: name }).ask("q").result;
    return files;
  };
  const damages = [() => "", () => "{", (text) => text.slice(0, -9), (text) => text.replace('"turns":[', '"turns":[3,'), () => "null", (text) => text.replace('"version":1', '"version":2')];
  for (const damage of damages) {
    const files = await save();
    for (const { name } of await files.list()) {
      const text = new TextDecoder().decode(await files.read(name));
      if (name.endsWith("json") && JSON.parse(text).name === "bad") await files.write(name, new TextEncoder().encode(damage(text)));
    }
    const kb = knowledgeBase({ files });
    const chat = new Agent(kb).conversation({ keep: "bad" });
    const told = { code: "conversation_corrupt", message: /“bad” cannot be read: .*clear\(\).*deleteConversation/ };
    await assert.rejects(chat.ready, told);
    await assert.rejects(chat.ask("q").result, told);
    assert.equal(kb.asked.length, 0);
    assert.deepEqual(await kb.store.names(), ["bad", "good"]);
    assert.equal((await kb.store.load("good")).turns.length, 1);
    await chat.clear();
    await chat.ask("anew").result;
    assert.deepEqual(questions(await kb.store.load("bad")), ["anew"]);
  }
});

test("while another tab writes, a stored conversation can be read and forked, and asking is refused before it costs anything", async () => {
  const files = new MemoryFiles();
  await new Agent(knowledgeBase({ files })).conversation({ keep: "a" }).ask("one").result;
  files.readOnly = true;
  const kb = knowledgeBase({ files });
  const chat = new Agent(kb).conversation({ keep: "a" });
  await chat.ready;
  assert.deepEqual(questions(chat), ["one"]);
  await assert.rejects(chat.ask("two").result, { code: "read_only", retryable: true });
  assert.equal(kb.asked.length, 0);
  const fork = chat.fork();
  await fork.ask("two").result;
  assert.deepEqual(questions(fork), ["one", "two"]);
  // The other tab continues the conversation, and closes.
  await new Conversations(files).save("a", { turns: [{ question: "later", answer: "" }], history: [{ question: "later", answer: "" }], pending: null });
  files.readOnly = false;
  await chat.ask("three").result;
  assert.deepEqual([questions(chat), kb.asked[1].history], [["later", "three"], [{ question: "later", answer: "" }]]);
});

test("an answer that could not be stored stays in memory, and is stored with the next", async () => {
  const files = new CutFiles();
  const chat = new Agent(knowledgeBase({ files })).conversation({ keep: "a" });
  files.left = 0;
  const { answer, failures } = await chat.ask("one").result;
  assert.deepEqual([answer, failures[0].step, questions(chat)], ["one Yes.", "conversation", ["one"]]);
  files.left = Infinity;
  await chat.ask("two").result;
  assert.deepEqual(questions(await new Conversations(files).load("a")), ["one", "two"]);
});

test("with `keepPartial` a stopped answer is a partial turn, and the next question sees it", async () => {
  for (const keepPartial of [true, false]) {
    const kb = knowledgeBase({ answer: (question) => (question === "Stop." ? { terminatedBy: "aborted", partial: "Ten grams" } : { answer: "Yes." }) });
    const chat = new Agent(kb).conversation({ keepPartial, keep: "chat" });
    const { partial } = await chat.ask("Stop.").result;
    assert.equal(partial, "Ten grams");
    const turns = chat.turns.map(({ question, answer, partial }) => ({ question, answer, partial }));
    assert.deepEqual(turns, keepPartial ? [{ question: "Stop.", answer: "Ten grams", partial: true }] : []);
    await chat.ask("And?").result;
    assert.deepEqual(kb.asked[1].history, keepPartial ? [{ question: "Stop.", answer: "Ten grams" }] : []);
    const kept = (await kb.store.load("chat")).turns;
    assert.deepEqual(kept.map(({ partial }) => partial ?? false), keepPartial ? [true, false] : [false]);
    assert.equal(new Agent(kb).conversationFrom(plain(chat.toJSON())).toJSON().keepPartial, keepPartial || undefined);
  }
});

test("a stopped answer is withheld from LLMs if a document that is never sent was found, because its author is unknown", async () => {
  const secret = { id: "default/a#0", text: "The code is 1234.", metadata: { neverSend: true } };
  const chat = new Agent(knowledgeBase({ answer: () => ({ terminatedBy: "aborted", partial: "12", contextUsed: [secret] }) })).conversation({ keepPartial: true });
  await chat.ask("Which code?").result;
  assert.equal(chat.history[0].withheld, true);
});

test("turns, history and the clarification are the same values until they change, and listeners are called then", async () => {
  const clarification = { question: "Which?", options: [] };
  const kb = knowledgeBase({ answer: (question) => (question === "It?" ? { terminatedBy: "clarify", clarification, state: {} } : { answer: "Yes." }) });
  const chat = new Agent(kb).conversation();
  let told = 0;
  const { subscribe } = chat; // as React calls it
  const end = subscribe(() => (told += 1));
  const before = chat.turns;
  assert.equal(chat.turns, before);
  await chat.ask("One?").result;
  await Promise.resolve();
  assert.equal(told, 1);
  assert.notEqual(chat.turns, before);
  assert.deepEqual([before.length, chat.turns.length], [0, 1]);
  const [turns, history] = [chat.turns, chat.history];
  assert.ok(chat.turns === turns && chat.history === history, "the same list, as long as nothing is asked");
  await chat.ask("It?").result;
  assert.equal(chat.pending.question, "Which?");
  assert.equal(chat.pending, chat.pending);
  await chat.dismiss();
  await chat.clear();
  assert.deepEqual([told, chat.turns], [4, []]);
  end();
  await chat.ask("Two?").result;
  assert.equal(told, 4);
  assert.throws(() => chat.turns.push({}), TypeError);
  assert.throws(() => chat.subscribe(), { code: "invalid_argument" });
});
