// Runs the marked code blocks of the documents on a page of the demo's origin with the real engine and model, or in Node, and compares
// the values after `// →` with the results.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { heuristic } from "../../../crates/web/js/testing.js";
import { blocksOf, documents, modulesOf } from "../support/blocks.mjs";
import { claimsIn, keeper, runnable, uses } from "../support/claims.mjs";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { DOCUMENTS, FILE, QUESTION } from "../support/sample.mjs";
import { startStatic } from "../support/static.mjs";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SITE = path.join(ROOT, "target/site/vademecum");
const manifest = JSON.parse(await readFile(path.join(SITE, "package.json"), "utf8"));
const all = await documents();

/** The parts of modules that are marked to run, in Node or on a page. */
const toRun = all.flatMap(modulesOf).flatMap((module) => {
  const blocks = module.blocks.filter(({ marks }) => marks.has("run"));
  if (blocks.length > 0 && blocks[0] !== module.blocks[0]) throw new Error(`${module.document}:${blocks[0].line}: goes on from a block that is not run`);
  return blocks.length > 0 ? [{ ...module, blocks, inNode: blocks[0].marks.has("node") }] : [];
});
const title = ({ document, line }) => `${document}:${line}`;
const told = (document, wrong) => wrong.map(({ line, is, said }) => `${document}:${line}: is ${is}, and is said to be ${said}`);

test("claims are only in blocks that are run", () => {
  const idle = all.flatMap(blocksOf).filter(({ marks, pieces }) => !marks.has("run") && claimsIn(pieces.at(-1)) > 0);
  assert.deepEqual(idle.map(title), []);
});

test("the README's first example is run, and contains claims", () => {
  const [first] = modulesOf(all.find(({ name }) => name === "README.md"));
  assert.ok(first.blocks[0].marks.has("run"));
  assert.ok(claimsIn(first.blocks[0].pieces.at(-1)) >= 3);
});

describe("on a page", () => {
  let demo;
  let host;
  let page;
  before(async () => {
    // Serves the runtime at the guides' URL. It is cacheable, because each block loads it again.
    host = await startStatic({ "/": path.dirname(SITE), "/ort/": path.join(SITE, "ort") }, { "cache-control": "max-age=600" });
    demo = await startDemo({ routes: { [new URL(ORIGIN).host]: host.address } });
    const context = demo.page.context();
    const say = heuristic();
    await context.route(`${ORIGIN}/v1/chat/completions`, async (route) => {
      const request = route.request().postDataJSON();
      const step = request.tools || request.response_format ? "plan" : "answer";
      const reply = await say(request, { step });
      await route.fulfill({ json: typeof reply === "string" ? { choices: [{ message: { role: "assistant", content: reply } }] } : reply });
    });
    await context.route(`${ORIGIN}/guide/`, (route) => route.fulfill({ contentType: "text/html; charset=utf-8", body: html() }));
    await context.route(`${ORIGIN}/guide/*.md`, (route) => route.fulfill({ contentType: "text/javascript", body: page.code }));
  });
  after(async () => {
    await demo.close();
    host.close();
  });

  for (const module of toRun.filter(({ inNode }) => !inNode)) {
    test(`${title(module)} does what it says`, { timeout: 300_000 }, async () => {
      const code = runnable(module);
      page = { code };
      demo.complaints.length = 0;
      await demo.page.goto(`${ORIGIN}/guide/`);
      await demo.page.evaluate(SET_UP, { ...sample(code) });
      const wrong = await demo.page.evaluate(async (address) => {
        await import(address);
        return globalThis.wrong;
      }, `./${path.basename(module.document)}`);
      assert.deepEqual(told(module.document, wrong), []);
      assert.deepEqual(demo.complaints, []);
    });
  }

  test("no other origin was requested", () => assert.deepEqual(demo.origins(), [ORIGIN]));
});

/** An import map of the package's entries. */
function html() {
  const imports = Object.entries(manifest.exports)
    .filter(([name]) => !name.endsWith(".json"))
    .map(([name, { default: file }]) => [name.replace(/^\./, "vademecum"), `/vademecum/${file.replace(/^\.\//, "")}`]);
  const map = JSON.stringify({ imports: Object.fromEntries(imports) });
  return `<!doctype html><link rel="icon" href="data:," /><script type="importmap">${map}</script><script>globalThis.wrong = (${keeper})();</script>`;
}

/** Returns the argument of `SET_UP`, which creates a knowledge base only if the code uses one, because loading the model takes seconds. */
const sample = (code) => ({ documents: DOCUMENTS, question: QUESTION, file: FILE, wants: uses(code, ["kb", "agent", "run", "result"]) });
async function SET_UP({ documents, question, file, wants }) {
  const { Agent, Embedder, KnowledgeBase } = await import("vademecum");
  Object.assign(globalThis, { Agent, Embedder, KnowledgeBase, question, signal: new AbortController().signal, file: new File([file.text], file.name) });
  globalThis.llm = (request, { signal }) => fetch("/v1/chat/completions", { method: "POST", body: JSON.stringify(request), signal });
  if (!wants) return;
  const models = "/models/all-minilm-l6-v2/";
  globalThis.kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ model: `${models}model.onnx`, tokenizer: `${models}tokenizer.json`, threshold: 0.25 }) });
  await kb.collection("plans", { description: "What our plans cost, and what is in them" });
  for (const { collection, ...document } of documents) await kb.add(collection, [document]);
  globalThis.agent = new Agent(kb, { llm });
  globalThis.run = agent.pipeline(question).search().answer().run();
  globalThis.result = await run.result;
}

describe("in Node", () => {
  for (const module of toRun.filter(({ inNode }) => inNode)) {
    test(`${title(module)} does what it says`, { timeout: 300_000 }, async () => {
      const folder = path.join(ROOT, "target/types/node", path.basename(module.document));
      await rm(folder, { recursive: true, force: true });
      await mkdir(path.join(folder, "node_modules"), { recursive: true });
      await symlink(SITE, path.join(folder, "node_modules/vademecum"));
      await mkdir(path.join(folder, "docs"));
      await Promise.all(DOCUMENTS.map(({ id, text }) => writeFile(path.join(folder, "docs", id), text)));
      const program = path.join(folder, `${path.basename(module.document)}.mjs`);
      await writeFile(program, `${runnable(module)}\n`);
      const keeping = path.join(folder, "keeper.mjs");
      await writeFile(keeping, `const wrong = (${keeper})();\nprocess.on("exit", () => console.log("\\n" + JSON.stringify(wrong)));\n`);
      const { stdout } = await promisify(execFile)(process.execPath, ["--import", keeping, program], { cwd: folder, timeout: 100_000 });
      assert.deepEqual(told(module.document, JSON.parse(stdout.trim().split("\n").at(-1))), []);
    });
  }
});
