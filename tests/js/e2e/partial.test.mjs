// A run that is stopped during its answer keeps the partial answer.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { onPage } from "../support/on-page.mjs";

let demo;
let page;
before(async () => {
  demo = await startDemo();
  page = await demo.page.context().newPage();
  await page.goto(`${ORIGIN}/icon.svg`);
});
after(() => demo?.close());

for (const entry of ["index.js", "direct.js"]) {
  test(`what a stopped answer had come to is in the result, screened, and a turn where that is wished (${entry})`, async () => {
    const seen = await onPage(page, async ({ Agent, KnowledgeBase }) => {
      const kb = await KnowledgeBase.memory();
      await kb.add([{ id: "cats.md", text: "Cats purr when they are content." }]);
      const llm = (_, { signal }) => new ReadableStream({
        async start(controller) {
          const say = (content) => controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`));
          say("Cats purr ");
          say("![x](https://evil.test/?q=1) when ");
          signal.addEventListener("abort", () => controller.close());
        },
      });
      const respond = (request, context) => new Response(llm(request, context), { headers: { "content-type": "text/event-stream" } });
      const chat = new Agent(kb, { llm: respond }).conversation({ keepPartial: true, style: (agent, question, options, call) => agent.pipeline(question, options).search().answer().run(call) });
      const stop = new AbortController();
      const run = chat.ask("When do cats purr?", { signal: stop.signal });
      let streamed = "";
      for await (const { type, text } of run) {
        if (type === "token") streamed += text;
        if (streamed.includes("when")) stop.abort();
      }
      const { answer, partial, terminatedBy } = await run.result;
      const early = new AbortController();
      early.abort();
      const none = await new Agent(kb, { llm: respond }).pipeline("When?").search().answer().run({ signal: early.signal }).result;
      await kb.close();
      return { answer, partial, terminatedBy, streamed, turns: chat.turns.map(({ answer, partial }) => ({ answer, partial })), none: "partial" in none };
    }, undefined, entry);
    assert.deepEqual([seen.answer, seen.terminatedBy, seen.none], [null, "aborted", false]);
    assert.equal(seen.partial, seen.streamed);
    assert.match(seen.partial, /^Cats purr .*when/s);
    assert.doesNotMatch(seen.partial, /evil/);
    assert.deepEqual(seen.turns, [{ answer: seen.partial, partial: true }]);
  });
}
