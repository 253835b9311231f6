// The hooks of `vademecum/react` with React's development build, in strict mode, which mounts every component twice.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { ORIGIN, startDemo, untilTrue } from "../support/demo.mjs";

/** React and its renderer as one module, so that both and the hooks share one React. */
async function react() {
  const contents = 'import * as all from "react"; export const { createElement, StrictMode, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } = all; export { createRoot } from "react-dom/client";';
  const resolveDir = fileURLToPath(new URL("../", import.meta.url));
  const { outputFiles } = await build({ stdin: { contents, resolveDir }, bundle: true, write: false, format: "esm", define: { "process.env.NODE_ENV": '"development"' } });
  return outputFiles[0].text;
}

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>React</title><script type="importmap">{ "imports": { "react": "/react.js" } }</script><div id="app"></div></html>`;

let demo;
let page;
let bundle;

before(async () => {
  bundle = await react();
  demo = await startDemo();
  page = demo.page;
});
after(() => demo?.close());
beforeEach(async () => {
  demo.complaints.length = 0;
  await page.unrouteAll();
  await page.route(`${ORIGIN}/react.js`, (route) => route.fulfill({ contentType: "text/javascript", body: bundle }));
  await page.route(`${ORIGIN}/react-page`, (route) => route.fulfill({ contentType: "text/html", body: PAGE }));
  await page.goto(`${ORIGIN}/react-page`);
});

/** Renders `App` of a program that has React, the hooks and the package; the program may use `shown`, an object that the test reads. */
const render = (program) =>
  page.evaluate(`(async () => {
    const React = await import("/react.js");
    const hooks = await import("/vademecum/react/index.js");
    const vademecum = await import("/vademecum/index.js");
    globalThis.shown = { opened: 0, closed: 0, counts: [] };
    const App = (${program})(React, hooks, vademecum, globalThis.shown);
    globalThis.here = React.createRoot(document.getElementById("app"));
    here.render(React.createElement(React.StrictMode, null, React.createElement(App)));
  })()`);

/** Options of `useKnowledgeBase` that count how often it is opened and closed. */
const COUNTED = `(vademecum, shown) => ({
  open: async (name) => {
    shown.opened += 1;
    const kb = name === null ? await vademecum.KnowledgeBase.memory() : await vademecum.KnowledgeBase.open(name);
    const close = kb.close.bind(kb);
    kb.close = () => { shown.closed += 1; return close(); };
    return kb;
  },
})`;

test("a library is opened once in strict mode, shared by components, and closed after the last of them", async () => {
  await render(`({ createElement: h, useState }, { useKnowledgeBase }, vademecum, shown) => {
    const options = (${COUNTED})(vademecum, shown);
    const Reader = ({ name }) => {
      const { kb, status } = useKnowledgeBase("of two", options);
      if (kb) (shown.kbs ??= new Set()).add(kb);
      return h("p", { id: name }, status);
    };
    return () => {
      const [isThere, setThere] = useState(true);
      shown.leave = () => setThere(false);
      return h("div", null, isThere && h(Reader, { name: "one" }), isThere && h(Reader, { name: "two" }));
    };
  }`);
  await page.getByText("ready").nth(1).waitFor();
  assert.deepEqual(await page.evaluate(() => [shown.opened, shown.closed, shown.kbs.size]), [1, 0, 1]);
  assert.equal((await page.evaluate(async () => (await [...shown.kbs][0].stats()).library.readOnly)), false, "no second one holds the lock");
  await page.evaluate(() => shown.leave());
  await untilTrue(page, () => shown.closed === 1);
  assert.equal(await page.evaluate(() => shown.opened), 1);
  assert.deepEqual(demo.complaints, []);
});

test("a component that is mounted again later opens the library anew, and an error can be retried", async () => {
  await render(`({ createElement: h, useState }, { useKnowledgeBase }, vademecum, shown) => {
    const counted = (${COUNTED})(vademecum, shown);
    const Reader = () => {
      const { kb, status, error, retry } = useKnowledgeBase("again", { open: (name) => (shown.broken ? Promise.reject(new Error("The disk is away.")) : counted.open(name)) });
      return h("p", null, status, " ", error?.message, status === "failed" && h("button", { onClick: retry }, "Again"));
    };
    return () => {
      const [isThere, setThere] = useState(true);
      Object.assign(shown, { setThere });
      return isThere && h(Reader);
    };
  }`);
  await page.getByText("ready").waitFor();
  await page.evaluate(() => shown.setThere(false));
  await untilTrue(page, () => shown.closed === 1);
  await page.evaluate(() => ((shown.broken = true), shown.setThere(true)));
  await page.getByText("failed The disk is away.").waitFor();
  await page.evaluate(() => (shown.broken = false));
  await page.getByRole("button", { name: "Again" }).click();
  await page.getByText("ready").waitFor();
  assert.deepEqual(await page.evaluate(() => [shown.opened, shown.closed]), [2, 1]);
});

test("a search follows the query, and only its last one is shown", async () => {
  await render(`({ createElement: h, useEffect, useState }, { useKnowledgeBase, useSearch }, vademecum, shown) => {
    const options = (${COUNTED})(vademecum, shown);
    return () => {
      const { kb } = useKnowledgeBase(null, options);
      const [isFilled, setFilled] = useState(false);
      const [query, setQuery] = useState("");
      useEffect(() => void kb?.add([{ id: "cats.md", text: "Cats purr." }, { id: "dogs.md", text: "Dogs bark." }]).then(() => setFilled(true)), [kb]);
      const { hits, status } = useSearch(isFilled ? kb : null, query, { limit: 1, prefix: true });
      shown.counts.push(status);
      return h("div", null, h("input", { value: query, onChange: (event) => setQuery(event.target.value) }), h("p", null, isFilled && "filled"), h("ol", null, hits.map(({ docId }) => h("li", { key: docId }, docId))));
    };
  }`);
  await page.getByText("filled").waitFor();
  await page.fill("input", "purr");
  await page.getByText("cats.md").waitFor();
  await page.fill("input", "bar");
  await page.getByText("dogs.md").waitFor();
  assert.equal(await page.locator("li").count(), 1);
  const renders = await page.evaluate(() => shown.counts.length);
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => shown.counts.length), renders, "options that are written out do not search again");
  await page.fill("input", "");
  await untilTrue(page, () => document.querySelectorAll("li").length === 0);
  assert.deepEqual(demo.complaints, []);
});

test("a question is asked, stopped, and answered with citations and events", async () => {
  await render(`({ createElement: h, useEffect, useState }, { useAsk, useKnowledgeBase }, vademecum, shown) => {
    const options = (${COUNTED})(vademecum, shown);
    const llm = async function* (request, { signal }) {
      yield "Cats purr ";
      if (!shown.waited) await new Promise((resolve, reject) => { shown.waited = true; signal.addEventListener("abort", () => reject(signal.reason)); });
      yield "[" + request.messages.at(-1).content.match(/\\[(\\d+)\\]/)[1] + "].";
    };
    return () => {
      const { kb } = useKnowledgeBase(null, options);
      const [isFilled, setFilled] = useState(false);
      useEffect(() => void kb?.add([{ id: "cats.md", text: "Cats purr when they are content." }]).then(() => setFilled(true)), [kb]);
      const used = useAsk(kb, { llm, limit: 2 });
      if (shown.used && shown.used.ask !== used.ask) shown.changed = true;
      shown.used = used;
      return h("div", null, isFilled && "filled", h("p", { id: "status" }, used.status), h("p", { id: "answer" }, used.answer));
    };
  }`);
  await page.getByText("filled").waitFor();
  await page.evaluate(() => void shown.used.ask("When do cats purr?"));
  await page.locator("#answer", { hasText: "Cats purr" }).waitFor();
  assert.equal(await page.locator("#status").textContent(), "running");
  await page.evaluate(() => shown.used.stop());
  await page.locator("#status", { hasText: "stopped" }).waitFor();
  assert.equal(await page.locator("#answer").textContent(), "Cats purr ");
  const answered = await page.evaluate(async () => (await shown.used.ask("When do cats purr?")).answer);
  assert.equal(answered, "Cats purr [1].");
  await page.locator("#status", { hasText: "done" }).waitFor();
  const { citations, last, changed } = await page.evaluate(() => ({ citations: shown.used.citations.map(({ docId }) => docId), last: shown.used.events.at(-1).type, changed: shown.changed }));
  assert.deepEqual([citations, last, changed], [["cats.md"], "done", undefined]);
  await page.evaluate(() => here.unmount());
  await untilTrue(page, () => shown.closed === shown.opened);
  assert.deepEqual(demo.complaints, []);
});
