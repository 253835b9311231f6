// Conversations with the real engine: follow-up questions, a reload, two tabs, and files that were damaged or left half written.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { onPage } from "../support/on-page.mjs";

let demo;
before(async () => {
  demo = await startDemo();
  await demo.page.goto(`${ORIGIN}/icon.svg`);
});
after(() => demo?.close());

const DOCUMENTS = [
  { id: "basic.md", title: "Basic plan", text: "# Basic plan\n\nThe basic plan costs 10 euros a month." },
  { id: "gold.md", title: "Gold plan", text: "# Gold plan\n\nThe gold plan costs 90 euros a month." },
  { id: "secret.md", title: "Silver plan", text: "# Silver plan\n\nThe silver plan costs 55 euros a month.", metadata: { neverSend: true } },
];
const BASIC = "What does the basic plan cost?";
const GOLD = "And the gold plan?";

async function newTab() {
  const page = await demo.page.context().newPage();
  await page.goto(`${ORIGIN}/icon.svg`);
  return page;
}

for (const entry of ["index.js", "direct.js"]) {
  test(`a follow-up question is answered by what the one before was about, without a model (${entry})`, async () => {
    const seen = await onPage(
      demo.page,
      async ({ KnowledgeBase, Agent }, _, { documents, questions }) => {
        const kb = await KnowledgeBase.memory();
        await kb.add(documents);
        const chat = new Agent(kb).conversation({ keep: "as long as this" });
        const results = await Promise.all(questions.map((question) => chat.ask(question).result));
        const { turns, history } = new Agent(kb).conversation({ keep: "as long as this" });
        const names = await kb.conversations();
        await kb.close();
        return { names, answers: results.map(({ answer }) => answer), rewritten: results[1].rewrittenQuestion, turns, history };
      },
      { documents: DOCUMENTS, questions: [BASIC, GOLD, "And the silver plan?"] },
      entry,
    );
    assert.deepEqual(seen.names, ["as long as this"]);
    assert.equal(seen.rewritten, "What does the gold plan cost?");
    assert.match(seen.answers[1], /90 euros/);
    assert.match(seen.answers[2], /55 euros/);
    assert.deepEqual(seen.turns[1].citations.map(({ docId }) => docId), ["gold.md"]);
    assert.deepEqual(seen.history.map(({ withheld }) => withheld), [undefined, undefined, true]);
  });
}

test("a long conversation is summarised by the model in one call, and continues from there", async () => {
  const seen = await onPage(
    demo.page,
    async ({ KnowledgeBase, Agent, testing }, _, { documents }) => {
      const kb = await KnowledgeBase.memory();
      await kb.add(documents);
      const llm = testing.scripted(["Plans 1 to 30 were priced in euros.", "The gold plan costs 90 euros [1].", "The basic plan costs 10 euros [1]."]);
      const turns = Array.from({ length: 40 }, (_, n) => ({ question: `What does plan ${n} cost?`, answer: `Plan ${n} costs ${n} euros.` }));
      const style = (agent, question, given) => agent.pipeline(question, given).search().answer().run();
      const chat = new Agent(kb, { llm }).conversation({ style, tokens: 200, turns });
      const run = chat.ask("What does the gold plan cost?");
      const events = [];
      for await (const { type, step } of run) events.push(`${type} ${step}`);
      await chat.ask("What does the basic plan cost?").result;
      const { usage } = await run.result;
      const { history } = chat;
      await kb.close();
      return { steps: llm.requests.map(({ step }) => step), events, usage, history, turns: chat.turns.length };
    },
    { documents: DOCUMENTS },
  );
  assert.deepEqual(seen.steps, ["summarize", "answer", "answer"]);
  assert.deepEqual(seen.events.slice(0, 4), ["start summarize", "send summarize", "tool summarize", "stop summarize"]);
  assert.deepEqual([seen.usage.llmCalls, seen.turns], [2, 42]);
  assert.deepEqual(seen.history[0], { question: "", answer: "Plans 1 to 30 were priced in euros.", summary: true });
  assert.equal(seen.history.at(-1).answer, "The basic plan costs 10 euros [1].");
});

for (const storage of ["opfs", "indexeddb"]) {
  test(`a kept conversation is there after a reload, and saving documents leaves it alone (${storage})`, async () => {
    const name = `chats-${storage}`;
    await onPage(
      demo.page,
      async ({ KnowledgeBase, Agent }, _, { name, storage, documents, question }) => {
        const kb = await KnowledgeBase.open(name, { storage });
        // Saved before the first document, so that a later save could wrongly remove it.
        const chat = new Agent(kb).conversation({ keep: "Prices & plans?" });
        await chat.ask("Hello?").result;
        await kb.add(documents.slice(0, 1));
        await chat.ask(question).result;
        await kb.add(documents.slice(1));
        await kb.remove(["secret.md"]);
        await new Agent(kb).conversation({ keep: "other" }).ask(question).result;
      },
      { name, storage, documents: DOCUMENTS, question: BASIC },
    );
    await demo.page.reload(); // without closing
    const seen = await onPage(
      demo.page,
      async ({ KnowledgeBase, Agent }, _, { name, storage, question }) => {
        const kb = await KnowledgeBase.open(name, { storage });
        const names = await kb.conversations();
        const chat = new Agent(kb).conversation({ keep: "Prices & plans?" });
        await chat.ready;
        const before = chat.turns;
        const { rewrittenQuestion, answer } = await chat.ask(question).result;
        await kb.deleteConversation("other");
        await kb.deleteConversation("never there");
        const left = await kb.conversations();
        await chat.clear();
        await kb.close();
        const again = await KnowledgeBase.open(name, { storage });
        const cleared = new Agent(again).conversation({ keep: "Prices & plans?" });
        await cleared.ready;
        await again.close();
        await KnowledgeBase.delete(name);
        const anew = await KnowledgeBase.open(name, { storage });
        const gone = await anew.conversations();
        await anew.close();
        await KnowledgeBase.delete(name);
        return { names, before, rewrittenQuestion, answer, left, cleared: cleared.turns, gone };
      },
      { name, storage, question: GOLD },
    );
    assert.deepEqual(seen.names, ["Prices & plans?", "other"]);
    assert.deepEqual(seen.before.map(({ question }) => question), ["Hello?", BASIC]);
    assert.match(seen.before[1].answer, /10 euros/);
    assert.equal(seen.rewrittenQuestion, "What does the gold plan cost?");
    assert.match(seen.answer, /90 euros/);
    assert.deepEqual([seen.left, seen.cleared, seen.gone], [["Prices & plans?"], [], []]);
  });

  test(`a second tab reads a conversation, and goes on with it once the first has closed (${storage})`, async () => {
    const name = `tabs-${storage}`;
    const given = { name, storage, documents: DOCUMENTS, first: BASIC, second: GOLD };
    await onPage(
      demo.page,
      async ({ KnowledgeBase, Agent }, _, { name, storage, documents, first }) => {
        window.kb = await KnowledgeBase.open(name, { storage });
        await kb.add(documents);
        window.chat = new Agent(kb).conversation({ keep: "shared" });
        await chat.ask(first).result;
      },
      given,
    );
    const tab = await newTab();
    const reader = await onPage(
      tab,
      async ({ KnowledgeBase, Agent }, _, { name, storage, second }) => {
        window.kb = await KnowledgeBase.open(name, { storage });
        window.chat = new Agent(kb).conversation({ keep: "shared" });
        await chat.ready;
        const refused = (work) => work.then(() => null, ({ code, message }) => ({ code, message }));
        const turns = chat.turns.map(({ question }) => question);
        const calls = { ask: await refused(chat.ask(second).result), clear: await refused(chat.clear()), delete: await refused(kb.deleteConversation("shared")) };
        const fork = chat.fork();
        const { answer } = await fork.ask(second).result;
        return { turns, calls, names: await kb.conversations(), answer, left: chat.turns.length };
      },
      given,
    );
    assert.deepEqual([reader.turns, reader.names, reader.left], [[BASIC], ["shared"], 1]);
    assert.deepEqual(Object.values(reader.calls).map(({ code }) => code), ["read_only", "read_only", "read_only"]);
    assert.match(reader.calls.ask.message, /fork\(\)/);
    assert.match(reader.answer, /90 euros/);
    await onPage(demo.page, async (_, __, { second }) => {
      await chat.ask(second).result;
      await kb.close();
    }, given);
    const questions = await onPage(
      tab,
      async ({ KnowledgeBase }, _, { name }) => {
        while ((await kb.stats()).library.readOnly) await new Promise((resolve) => setTimeout(resolve, 20));
        await chat.ask("And the basic plan?").result;
        const questions = chat.turns.map(({ question }) => question);
        await kb.close();
        await KnowledgeBase.delete(name);
        return questions;
      },
      given,
    );
    assert.deepEqual(questions, [BASIC, GOLD, "And the basic plan?"]);
    await tab.close();
  });
}

test("a damaged conversation does not prevent a library from opening, and an incomplete state does not count", async () => {
  const seen = await onPage(
    demo.page,
    async ({ KnowledgeBase, Agent }, _, { documents, question }) => {
      const name = "damaged chats";
      const begin = async () => {
        const kb = await KnowledgeBase.open(name, { storage: "opfs" });
        return { kb, chat: new Agent(kb).conversation({ keep: "a" }) };
      };
      const first = await begin();
      await first.kb.add(documents);
      await first.chat.ask(question).result;
      await first.kb.close();
      const bytes = new TextEncoder().encode(name);
      const hash = Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)), (byte) => byte.toString(16).padStart(2, "0"));
      const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("vademecum");
      const folder = await root.getDirectoryHandle(hash.join(""));
      const write = async (file, text) => {
        const writable = await (await folder.getFileHandle(file, { create: true })).createWritable();
        await writable.write(text);
        await writable.close();
      };
      const files = [];
      for await (const file of folder.keys()) if (/^chat-.*json$/.test(file)) files.push(file);
      const [kept] = files;
      // The tab was closed during the write of the next state.
      await write(kept.replace(/-[01]\.json/, (end) => (end === "-0.json" ? "-1.json" : "-0.json")), '{"version":1,"name":"a","gener');
      const second = await begin();
      await second.chat.ready;
      const whole = second.chat.turns.length;
      await second.kb.close();
      for (const file of [kept, kept.replace(/-[01]\.json/, (end) => (end === "-0.json" ? "-1.json" : "-0.json"))]) await write(file, "no JSON");
      const third = await begin();
      const { total } = await third.kb.search("gold");
      const told = await third.chat.ask(question).result.catch(({ code, message }) => ({ code, message }));
      const names = await third.kb.conversations();
      await third.kb.deleteConversation("a");
      await third.chat.ask(question).result;
      const anew = third.chat.turns.length;
      await third.kb.close();
      await KnowledgeBase.delete(name);
      return { files, whole, total, told, names, anew };
    },
    { documents: DOCUMENTS, question: BASIC },
  );
  assert.equal(seen.files.length, 1);
  assert.deepEqual([seen.whole, seen.told.code, seen.names, seen.anew], [1, "conversation_corrupt", ["a"], 1]);
  assert.ok(seen.total > 0);
  assert.match(seen.told.message, /deleteConversation/);
});
