// The package in a browser extension (Manifest V3): its page with workers, and its service worker, with files of the extension alone.

import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { ARGUMENTS } from "../support/demo.mjs";

const SITE = new URL("../../../target/site/", import.meta.url).pathname;

/** Allows WebAssembly, and connections to the extension's own files alone. */
const MANIFEST = {
  manifest_version: 3,
  name: "Search",
  version: "1.0",
  background: { service_worker: "background.js", type: "module" },
  content_security_policy: { extension_pages: "script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; connect-src 'self'" },
};

const ASK = `
  export async function ask(KnowledgeBase, Embedder, Agent) {
    const at = (name) => new URL("models/all-minilm-l6-v2/" + name, location.href).href;
    const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ model: at("model.onnx"), tokenizer: at("tokenizer.json") }) });
    await kb.loadEmbedder();
    await kb.add([{ id: "owls.md", text: "Owls fly without a sound." }, { id: "bread.md", text: "Dough rises overnight." }]);
    const { hits } = await kb.search("a silent bird", { mode: "vector" });
    const { embedder } = await kb.stats();
    const { answer } = await new Agent(kb).pipeline("When does dough rise?").search().answer().run().result;
    await kb.close();
    return { found: hits[0].docId, answer, backend: embedder.backend };
  }`;

const BACKGROUND = `
  import { Agent, Embedder, KnowledgeBase } from "./vademecum/direct.js";
  import { ask } from "./ask.js";
  chrome.runtime.onMessage.addListener((message, sender, respond) => {
    ask(KnowledgeBase, Embedder, Agent).catch(({ code, message }) => ({ code, message })).then(respond);
    return true;
  });`;

const PAGE = `
  import { Agent, Embedder, KnowledgeBase } from "./vademecum/index.js";
  import { ask } from "./ask.js";
  window.here = () => ask(KnowledgeBase, Embedder, Agent);
  window.behind = () => chrome.runtime.sendMessage("ask");`;

let folder;
let context;
let page;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "extension-"));
  const extension = path.join(folder, "extension");
  await mkdir(extension);
  for (const part of ["vademecum", "models"]) await cp(path.join(SITE, part), path.join(extension, part), { recursive: true });
  const files = {
    "manifest.json": JSON.stringify(MANIFEST),
    "ask.js": ASK,
    "background.js": BACKGROUND,
    "page.js": PAGE,
    "page.html": `<!doctype html><meta charset="utf-8"><script type="module" src="page.js"></script>`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(extension, name), text);
  context = await chromium.launchPersistentContext(path.join(folder, "profile"), {
    executablePath: process.env.CHROMIUM,
    args: [...ARGUMENTS, `--disable-extensions-except=${extension}`, `--load-extension=${extension}`],
    ignoreDefaultArgs: ["--disable-extensions"],
  });
  const [worker] = context.serviceWorkers().length > 0 ? context.serviceWorkers() : [await context.waitForEvent("serviceworker")];
  page = await context.newPage();
  await page.goto(new URL("page.html", worker.url()).href);
  await page.waitForFunction(() => window.here);
});
after(async () => {
  await context?.close();
  await rm(folder, { recursive: true, force: true });
});

const EXPECTED = { found: "owls.md", answer: "Dough rises overnight. [1]", backend: "kernel" };

test("a page of an extension searches by meaning and answers, with the extension's files and workers", async () => {
  assert.deepEqual(await page.evaluate(() => window.here()), EXPECTED);
});

test("the service worker of an extension searches by meaning and answers", async () => {
  assert.deepEqual(await page.evaluate(() => window.behind()), EXPECTED);
});
