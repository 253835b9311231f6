// The engine's module, which the page compiles while its worker loads its scripts.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";

const MODULE = "/vademecum/vademecum_bg.wasm";
let demo;
before(async () => {
  demo = await startDemo({ policy: false });
});
after(() => demo?.close());

/** Opens a page with this content security policy, and returns the documents that a search on it finds. */
async function found(policy) {
  const page = await demo.page.context().newPage();
  const headers = policy ? { "content-security-policy": policy } : {};
  await page.route(`${ORIGIN}/bare/`, (route) => route.fulfill({ contentType: "text/html", headers, body: "<!doctype html><title>bare</title>" }));
  await page.goto(`${ORIGIN}/bare/`);
  const ids = await page.evaluate(async () => {
    const { KnowledgeBase } = await import("/vademecum/index.js");
    const kb = await KnowledgeBase.memory();
    await kb.add([{ id: "owls", text: "Owls fly without a sound." }]);
    const { hits } = await kb.search("owls");
    await kb.close();
    return hits.map(({ docId }) => docId);
  });
  await page.close();
  return ids;
}

const requests = async (work) => {
  const before = demo.proxy.seen.length;
  const result = await work();
  return { result, modules: demo.proxy.seen.slice(before).filter(({ path }) => path === MODULE).length };
};

test("the engine's module is fetched once, by the page", async () => {
  assert.deepEqual(await requests(() => found()), { result: ["owls"], modules: 1 });
});

test("where the page may not compile modules, its worker does", async () => {
  const { result, modules } = await requests(() => found("script-src 'self' 'unsafe-inline'"));
  assert.deepEqual(result, ["owls"]);
  assert.ok(modules >= 1);
});

test("a module that cannot be fetched is reported with its address", async () => {
  await demo.page.context().route(`${ORIGIN}${MODULE}`, (route) => route.fulfill({ status: 404, body: "Not found" }));
  const page = await demo.page.context().newPage();
  await page.goto(`${ORIGIN}/icon.svg`);
  const error = await page.evaluate(async () => {
    const { KnowledgeBase } = await import("/vademecum/index.js");
    return KnowledgeBase.memory().catch(({ code, message }) => ({ code, message }));
  });
  assert.equal(error.code, "module_unavailable");
  assert.match(error.message, /could not be loaded from http:\/\/vademecum\.test\/vademecum\/vademecum_bg\.wasm: HTTP 404/);
  await demo.page.context().unroute(`${ORIGIN}${MODULE}`);
});
