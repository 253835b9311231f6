// Write access to a library: pages that reopen it at once, and tabs that wait for each other.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { onPage } from "../support/on-page.mjs";

let demo;
let pages;
before(async () => {
  demo = await startDemo();
  pages = await Promise.all([1, 2].map(() => demo.page.context().newPage()));
  for (const page of pages) await page.goto(`${ORIGIN}/icon.svg`);
});
after(() => demo?.close());

test("a library that is closed and reopened immediately is writable", async () => {
  const seen = await onPage(pages[0], async ({ KnowledgeBase }) => {
    const first = await KnowledgeBase.open("again");
    await first.add([{ id: "a", text: "one" }]);
    first.close();
    const second = await KnowledgeBase.open("again");
    const { documents } = await second.add([{ id: "b", text: "two" }]);
    const { library, documents: all } = await second.stats();
    await second.close();
    return { documents, readOnly: library.readOnly, all };
  });
  assert.deepEqual(seen, { documents: 1, readOnly: false, all: 2 });
});

for (const entry of ["index.js", "direct.js"]) {
  test(`an effect that is run, undone and run again writes at once (${entry})`, async () => {
    const seen = await onPage(pages[0], async ({ KnowledgeBase }) => {
      const effect = () => {
        const opened = KnowledgeBase.open("strict");
        return { opened, undo: () => void opened.then((kb) => kb.close()) };
      };
      const runs = [];
      for (let n = 0; n < 3; n++) {
        const { undo } = effect();
        undo();
        const { opened, undo: last } = effect();
        const kb = await opened;
        runs.push((await kb.add([{ id: `${n}`, text: "one" }])).documents, (await kb.stats()).library.readOnly);
        last();
      }
      return runs;
    }, undefined, entry);
    assert.deepEqual(seen, [1, false, 1, false, 1, false]);
  });
}

test("a library opened twice in one page is read-only the second time, as in another tab", async () => {
  const seen = await onPage(pages[0], async ({ KnowledgeBase }) => {
    const [first, second] = await Promise.all([KnowledgeBase.open("twice"), KnowledgeBase.open("twice")]);
    const readOnly = [];
    for (const kb of [first, second]) readOnly.push((await kb.stats()).library.readOnly);
    await Promise.all([second.close(), first.close()]);
    const third = await KnowledgeBase.open("twice");
    readOnly.push((await third.stats()).library.readOnly);
    await third.close();
    return readOnly;
  });
  assert.deepEqual(seen, [false, true, false]);
});

test("with `wait`, opening resolves once the other tab has closed the library; without it, `writable` is emitted then", async () => {
  await onPage(pages[0], async ({ KnowledgeBase }) => {
    window.kb = await KnowledgeBase.open("shared");
    await kb.add([{ id: "a", text: "one" }]);
  });
  const before = await onPage(pages[1], async ({ KnowledgeBase }) => {
    window.told = [];
    window.reading = await KnowledgeBase.open("shared");
    reading.on("writable", (payload) => told.push(payload));
    window.waiting = KnowledgeBase.open("shared", { wait: true });
    waiting.then(() => told.push("opened"));
    await new Promise((resolve) => setTimeout(resolve, 300));
    return { told, readOnly: (await reading.stats()).library.readOnly };
  });
  assert.deepEqual(before, { told: [], readOnly: true });
  await onPage(pages[0], () => kb.close());
  const after = await onPage(pages[1], async () => {
    while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const first = [...told];
    const added = (await reading.add([{ id: "b", text: "two" }])).documents;
    await reading.close();
    const kb = await waiting;
    const { library, documents } = await kb.stats();
    await kb.add([{ id: "c", text: "three" }]);
    await kb.close();
    return { first, added, readOnly: library.readOnly, documents };
  });
  assert.deepEqual(after, { first: [{}], added: 1, readOnly: false, documents: 2 });
});

test("waiting ends with its signal, blocks nothing else, and invalid values of `wait` are refused", async () => {
  const seen = await onPage(pages[0], async ({ KnowledgeBase }) => {
    const code = (promise) => promise.then(() => "opened", ({ code }) => code);
    const kb = await KnowledgeBase.open("held");
    const ending = new AbortController();
    const waiting = code(KnowledgeBase.open("held", { wait: true, signal: ending.signal }));
    const reader = await KnowledgeBase.open("held");
    const { library } = await reader.stats();
    ending.abort();
    const seen = [await waiting, library.readOnly, await code(KnowledgeBase.open("held", { wait: 5 }))];
    await reader.close();
    await kb.close();
    const next = await KnowledgeBase.open("held", { wait: true });
    seen.push((await next.stats()).library.readOnly);
    await next.close();
    return seen;
  });
  assert.deepEqual(seen, ["aborted", true, "invalid_argument", false]);
});
