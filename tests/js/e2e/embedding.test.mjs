// When documents are embedded: while the page is visible, what the user looks at first, and with the time left.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { onPage as runOn } from "../support/on-page.mjs";

let demo;
before(async () => {
  demo = await startDemo();
  await demo.page.goto(`${ORIGIN}/icon.svg`);
});
after(() => demo?.close());

const onPage = (...call) => runOn(demo.page, ...call);

test("while the page is hidden, questions are embedded and documents wait, if that is asked for", { timeout: 120_000 }, async () => {
  const seen = await onPage(async ({ KnowledgeBase, Embedder }, files) => {
    const show = (state) => {
      Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    };
    const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ ...files, pooling: "mean", pauseWhenHidden: true, workers: 1 }) });
    await kb.loadEmbedder();
    await kb.add([{ id: "owls", text: "Owls fly without a sound." }]);
    show("hidden");
    const adding = kb.add(Array.from({ length: 20 }, (_, n) => ({ id: `bread ${n}`, text: `Dough number ${n} rises overnight.` })));
    const { hits } = await kb.search("a silent bird", { mode: "vector", limit: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1_500)); // more than enough for all of them
    const hidden = (await kb.stats()).pending;
    show("visible");
    await adding;
    const visible = (await kb.stats()).pending;
    await kb.close();
    return { found: hits[0].docId, hidden, visible };
  });
  assert.deepEqual(seen, { found: "owls", hidden: 20, visible: 0 });
});

test("a passage that is found while others are embedded gets its vector before them, and the time left is told", { timeout: 120_000 }, async () => {
  const seen = await onPage(async ({ KnowledgeBase, Embedder }, files) => {
    const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ ...files, pooling: "mean", workers: 1 }) });
    await kb.loadEmbedder();
    const words = "The hall holds many people and is painted in a colour that nobody remembers. ".repeat(6);
    const documents = Array.from({ length: 120 }, (_, n) => ({ id: `${n}`, text: `${n === 100 ? "The zebra sleeps." : "Nothing."} ${words}` }));
    const events = [];
    let isAsked = false;
    let place = null; // number of passages with a vector when the zebra had one
    await kb.add(documents, {
      onProgress: async (event) => {
        events.push(event);
        if (event.phase !== "embed" || place !== null) return;
        if (!isAsked) {
          isAsked = true;
          await kb.search("zebra", { mode: "keyword" });
        }
        const { chunks } = await kb.vectors();
        if (place === null && chunks.some(({ docId }) => docId === "100")) place = chunks.length;
      },
    });
    await kb.close();
    return { place, events };
  });
  assert.ok(seen.place !== null && seen.place <= 64, `${seen.place}`);
  const embed = seen.events.filter(({ phase }) => phase === "embed");
  assert.equal(embed[0].secondsLeft, null);
  assert.equal(embed.at(-1).secondsLeft, 0);
  const told = embed.map(({ secondsLeft }) => secondsLeft).filter(Boolean);
  assert.ok(told.length > 0 && told.every((seconds) => seconds >= 1 && seconds < 120), told.join());
});
