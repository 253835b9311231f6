// What a conversation stores of answers that no LLM may receive.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "../../../crates/web/js/agent.js";

/** Returns a knowledge base whose results contain the fields that `answer` returns. */
const knowledgeBase = ({ answer }) => ({
  runPipeline: async ({ question, history }) => ({ terminatedBy: "completed", error: null, answer: null, history, contextUsed: [], citations: [], ...(await answer(question)) }),
});

test("a turn stores the text that an LLM sees instead of a withheld answer, and whether an LLM answered", async () => {
  const secret = { id: "a#0", text: "The salary is ten.", metadata: { neverSend: true } };
  const said = {
    one: { answer: "The salary is ten. [1]", answeredBy: "rule", told: "Nothing was found.", contextUsed: [secret], citations: [{ chunkId: "a#0" }] },
    two: { answer: "Ten.", answeredBy: "llm" },
    three: { answer: "No.", answeredBy: "rule", told: "of no use where nothing is withheld" },
  };
  const chat = new Agent(knowledgeBase({ answer: (question) => said[question] })).conversation();
  for (const question of Object.keys(said)) await chat.ask(question).result;
  assert.deepEqual(chat.history, [
    { question: "one", answer: "The salary is ten. [1]", withheld: true, told: "Nothing was found." },
    { question: "two", answer: "Ten.", answeredBy: "llm" },
    { question: "three", answer: "No." },
  ]);
});

test("an answer from documents that must not be sent is marked, so that no model sees it later", async () => {
  const chunk = (id, text, neverSend) => ({ id, text, metadata: { neverSend } });
  const secret = chunk("s", "Never.\nThe canary sings at  midnight in the mine. Oh.", true);
  const open = chunk("o", "The canary sings in the open as everybody knows.", "no");
  const cases = [
    [{ answeredBy: "rule", contextUsed: [open, secret], citations: [{ chunkId: "s" }] }, true],
    [{ answeredBy: "rule", contextUsed: [open, secret], citations: [{ chunkId: "o" }] }, undefined],
    [{ answeredBy: "rule", contextUsed: [open, secret], answer: "So: The canary sings at midnight in the mine!" }, true],
    [{ answeredBy: "rule", contextUsed: [open], evidence: [secret], answer: "Oh, never." }, undefined],
    [{ answeredBy: "llm", contextUsed: [open], citations: [{ chunkId: "o" }] }, undefined],
    [{ answeredBy: "function", contextUsed: [], results: [{ chunks: [secret] }] }, true],
  ];
  for (const [result, withheld] of /** @type {[object, boolean][]} */ (cases)) {
    const chat = new Agent(knowledgeBase({ answer: () => ({ answer: "a", ...result }) })).conversation();
    await chat.ask("q").result;
    assert.deepEqual([chat.history[0].withheld, chat.turns[0].withheld], [withheld, withheld]);
    await chat.ask("again").result; // the next run accepts the marked turn
  }
});
