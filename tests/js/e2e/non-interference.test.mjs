// Requests to an LLM do not depend on documents marked `neverSend`.

import assert from "node:assert/strict";
import { test } from "node:test";

const { Agent, KnowledgeBase } = await import("../../../target/site/vademecum/direct.js");

const OPEN = [
  ["acme.md", "ACME contract", "Either party may end the ACME contract with a notice of 30 days. The fee is 1200 euros.", { total: 1200, year: 2022 }],
  ["globex.md", "Globex contract", "Either party may end the Globex contract with a notice of 60 days. The fee is 98000 euros.", { total: 98000, year: 2023 }],
  ["handbook.md", "Handbook", "Salaries are paid on the last day of a month. A notice is sent by mail, as the ACME contract says.", { year: 2021 }],
];
const SECRETS = {
  none: [],
  salaries: [["salaries.md", "Salaries", "Olga Brandt earns a salary of 98431 euros. The ACME contract is hers.", { salary: 98431, total: 98431 }]],
  others: [
    ["salaries.md", "ACME contract", "Olga Brandt earns a salary of 11111 euros, and notice notice notice contract.", { salary: 11111, codename: "kestrel" }],
    ["kestrel.md", "Geheim", "Die Kündigung der Mitarbeiter von Kestrel wird im März ausgesprochen.", { total: "viel" }],
  ],
};
const QUESTIONS = ["What is the notice of the ACME contract?", "List all contracts over 1000", "What does Olga Brandt earn?"];

async function library(secrets) {
  const kb = await KnowledgeBase.memory();
  const documents = (list, neverSend) => list.map(([id, title, text, metadata]) => ({ id, title, text, metadata, ...(neverSend && { neverSend }) }));
  const secret = documents(secrets, true);
  if (secret.length > 0) await kb.add(secret.slice(0, 1));
  await kb.add(documents(OPEN, false));
  if (secret.length > 1) await kb.add(secret.slice(1));
  return kb;
}

const call = (name, args) => ({ tool: name, args });
const PROBES = [
  call("list_documents", { bucket: "default", filters: { salary: { ">=": 50000 } } }),
  call("list_documents", { bucket: "default", filters: { total: { ">=": 50000 } } }),
  call("get_document_metadata", { doc_id: "salaries.md" }),
  call("document_lookup", { doc_id: "kestrel.md" }),
  call("search_text", { query: "Olga Brandt earns a salary of 98431 euros.", top_k: 50 }),
  call("keyword_search", { query: "salary Kestrel" }),
];

/** An LLM that calls every tool, and sends the same reply to every request. */
function prober() {
  const requests = [];
  const llm = (request, { step }) => {
    const { messages, ...rest } = request;
    const numbers = [];
    const plain = JSON.stringify({ step, messages, ...rest }).replace(/passages ([0-9a-f]{16})/g, (_, number) => {
      if (!numbers.includes(number)) numbers.push(number);
      return `passages ${numbers.indexOf(number)}`;
    });
    requests.push(plain);
    const probe = PROBES[requests.length % PROBES.length];
    const asks = requests.length % 12 !== 0;
    if (request.tools && asks) {
      const named = request.tools.map((tool) => tool.function.name);
      const name = named[requests.length % named.length];
      const calls = [{ id: `c${requests.length}`, type: "function", function: { name, arguments: JSON.stringify({ ...probe.args, query: "Olga Brandt salary" }) } }];
      return { choices: [{ message: { role: "assistant", content: "", tool_calls: calls } }] };
    }
    const replies = {
      decompose: { questions: [QUESTIONS[0]], collections: ["default"], intent: "qa" },
      plan: { subqueries: ["salary of Olga Brandt"], filters: { salary: { ">": 1 } } },
      review: asks ? { status: "more", nextToolCall: probe } : { status: "enough" },
      grade_results: asks ? { status: "more", nextToolCall: probe } : { status: "enough" },
      analyze_query: { calls: [probe, PROBES[0]] },
      rewrite: { question: "What does Olga Brandt earn?" },
      make_case: { question: `What is told here, number ${requests.length}?` },
    };
    return replies[step] ? JSON.stringify(replies[step]) : "Olga Brandt earns a salary of 98431 euros [1].";
  };
  return { llm, requests };
}

async function told(secrets) {
  const kb = await library(secrets);
  const { llm, requests } = prober();
  const agent = new Agent(kb, { llm });
  for (const question of QUESTIONS) {
    await agent.pipeline(question).search().answer().run().result;
    await agent.pipeline(question).rewrite().decompose().search({ hops: 2 }).rerank().reason().answer().ground({ correct: true }).run().result;
    for (const style of ["react", "investigate", "graph"]) await agent[style](question).result;
  }
  const chat = agent.conversation();
  for (const question of [...QUESTIONS, "And what does she pay?"]) await chat.ask(question).result;
  const cases = await kb.makeCases({ count: 20, llm });
  await kb.evaluate([...cases, ...(await kb.makeCases({ count: 20 }))], { agent, strategies: ["pipeline", "react"] });
  return { requests, cases };
}

test("libraries that differ only in documents that are never sent produce the same requests, in every style, in conversations, cases and evaluations", { timeout: 300_000 }, async () => {
  const without = await told(SECRETS.none);
  assert.ok(without.requests.length > 60, `${without.requests.length} requests`);
  assert.ok(without.cases.length > 0);
  for (const name of ["salaries", "others"]) {
    const { requests, cases } = await told(SECRETS[name]);
    for (const [at, request] of without.requests.entries()) assert.equal(requests[at], request, `${name}: request ${at}`);
    assert.equal(requests.length, without.requests.length);
    assert.deepEqual(cases, without.cases);
  }
});

test("the user sees what was found and withheld, and a failing LLM leaves an answer that quotes it", async () => {
  const kb = await library(SECRETS.salaries);
  const asked = new Agent(kb, { llm: () => "I do not know [1]." }).pipeline("What does Olga Brandt earn by the ACME contract?").search().answer().run();
  const { withheld, contextUsed } = await asked.result;
  assert.deepEqual(withheld.map(({ docId }) => docId), ["salaries.md"]);
  assert.ok(contextUsed.every(({ docId }) => docId !== "salaries.md"));
  const failing = new Agent(kb, { llm: () => Promise.reject(new Error("down")) }).pipeline("What does Olga Brandt earn?").search().answer().run();
  const { answer, told, citations } = await failing.result;
  assert.match(answer, /98431/);
  assert.doesNotMatch(told, /98431/);
  assert.ok(citations.some(({ docId }) => docId === "salaries.md"));
});
