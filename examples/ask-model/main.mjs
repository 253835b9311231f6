// Answers a question from documents with a language model behind an OpenAI-like endpoint, and prints what the answer cites.
// Run: npm install ../../target/package/vademecum-0.1.0.tgz      (made by `cargo xtask package`)
//      ENDPOINT=http://localhost:11434/v1 MODEL=llama3.2:3b node main.mjs "How many days of leave do I have?"

import { Agent, KnowledgeBase } from "vademecum/direct";

const { ENDPOINT = "http://localhost:11434/v1", MODEL = "llama3.2:3b", KEY } = process.env;
const [question = "How many days of leave do I have?"] = process.argv.slice(2);

const kb = await KnowledgeBase.memory();
await kb.add([
  { id: "leave.md", text: "# Leave\n\nEvery employee has 30 days of paid leave a year. Up to five unused days carry over to March." },
  { id: "travel.md", text: "# Travel\n\nBook trains in second class. Hand in receipts within four weeks of the journey." },
]);

const agent = new Agent(kb, {
  model: MODEL,
  llm: (request, { signal }) =>
    fetch(`${ENDPOINT}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(KEY && { authorization: `Bearer ${KEY}` }) },
      body: JSON.stringify(request),
      signal,
    }),
});

const { answer, answeredBy, citations, failures = [] } = await agent.pipeline(question).search().answer().ground().run().result;
console.log(answer);
for (const { number, docId, headings } of citations) console.log(`[${number}] ${[docId, ...headings].join(" › ")}`);
console.log(`written by: ${answeredBy}`);
for (const { step, message } of failures) console.log(`${step}: ${message}`);
await kb.close();
