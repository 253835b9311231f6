// Gives a model a tool of yours beside the search, within a budget, and prints each call, what it cost and why the run ended.
// Run: npm install ../../target/package/vademecum-0.1.0.tgz      (made by `cargo xtask package`)
//      ENDPOINT=http://localhost:11434/v1 MODEL=llama3.2:3b node main.mjs "How many days of leave has Ada left?"

import { Agent, KnowledgeBase } from "vademecum/direct";

const { ENDPOINT = "http://localhost:11434/v1", MODEL = "llama3.2:3b" } = process.env;
const [question = "How many days of leave has Ada left?"] = process.argv.slice(2);
const TAKEN = { ada: 12, grace: 30 };

const kb = await KnowledgeBase.memory();
await kb.add([{ id: "leave.md", text: "# Leave\n\nEvery employee has 30 days of paid leave a year." }]);

const agent = new Agent(kb, {
  model: MODEL,
  budget: { llmCalls: 6, toolCalls: 4, ms: 60_000 },
  llm: (request, { signal }) =>
    fetch(`${ENDPOINT}/chat/completions`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(request), signal }),
});
agent.tool({
  name: "days_taken",
  description: "How many days of leave an employee has taken this year.",
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  safe: true, // it changes nothing and sends nothing away, so it may run after the model has read documents
  execute: async ({ name }) => `${name} has taken ${TAKEN[String(name).toLowerCase()] ?? 0} days of leave.`,
});

const { answer, toolCalls, usage, terminatedBy } = await agent.react(question, { maxIterations: 4 }).result;
for (const { step, tool, durationMs } of toolCalls) console.log(`${step}: ${tool} (${Math.round(durationMs)} ms)`);
console.log(answer);
console.log(`${usage.llmCalls} calls of the model; ended by: ${terminatedBy}`);
await kb.close();
