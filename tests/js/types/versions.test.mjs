// Compiles a program with the oldest supported version of TypeScript and with the newest, from the command line.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { workspace } from "../support/compile.mjs";

const INSTALLED = fileURLToPath(new URL("../node_modules/", import.meta.url));
const run = promisify(execFile);

const STRICT = {
  strict: true,
  noEmit: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  target: "es2022",
  lib: ["es2022", "dom", "dom.iterable"],
  types: [],
};
const WAYS = {
  bundler: { module: "esnext", moduleResolution: "bundler" },
  node16: { module: "node16", moduleResolution: "node16" },
  // The resolution of older projects, which ignores `exports` and uses `typesVersions`.
  node: { module: "esnext", moduleResolution: "node" },
};

/** Imports every entry, and uses what old compilers may not support: `using`, generics and unions. */
const PROGRAM = `
import { Agent, Embedder, KnowledgeBase, VademecumError } from "vademecum";
import type { RunResult } from "vademecum";
import { KnowledgeBase as Direct } from "vademecum/direct";
import { Embedder as LiteEmbedder, KnowledgeBase as Lite } from "vademecum/lite";
import { KnowledgeBase as LiteDirect } from "vademecum/lite/direct";
import { trace } from "vademecum/otel";
import { heuristic } from "vademecum/testing";
import type { AskElement, VademecumElementEvents } from "vademecum/elements";
import { useAsk, useKnowledgeBase, useSearch } from "vademecum/react";
import "vademecum/worker";
import "vademecum/embed-worker";
import "vademecum/shared-embed-worker";
import "vademecum/graph-worker";
import "vademecum/lite/worker";

export async function answered(question: string): Promise<string | null> {
  await using kb = await KnowledgeBase.open("a", { embedder: Embedder.onnx({ model: "m", tokenizer: "t" }), workers: { engine: () => new Worker("w.js") } });
  const result: RunResult = await new Agent(kb, { llm: heuristic() }).pipeline(question).search().answer().run().result;
  if (result.terminatedBy === "aborted") return result.partial ?? null;
  const { hits } = await kb.search(question, { limit: 3, filters: { year: { ">=": 2023 } } });
  kb.on("restarted", ({ reason }) => console.log(reason, hits[0].docId));
  return result.answer;
}
export function shown(element: AskElement, event: VademecumElementEvents["vademecum-select"]): string {
  element.llm = heuristic();
  element.options = { limit: 3, run: (agent, question, { signal }) => agent.react(question, { signal }) };
  document.querySelector("vademecum-search")!.source = { search: async () => ({ hits: [] }) };
  return event.detail.hit.docId;
}
export function useAnswer(question: string): string {
  const { kb } = useKnowledgeBase("a", { onProgress: () => {} });
  const { ask, answer } = useAsk(kb, { llm: heuristic(), limit: 3 });
  const { hits } = useSearch(kb, question, { limit: 3, debounceMs: 0 });
  return hits.length > 0 ? answer : String(ask(question));
}
export const others = [Direct, Lite, LiteDirect, LiteEmbedder, VademecumError, trace];
// @ts-expect-error
export const wrong = (kb: KnowledgeBase) => kb.search("q", { limt: 5 });
`;

/** Returns a compiler's messages about the program with one kind of module resolution. */
async function said(compiler, way, text = PROGRAM) {
  const folder = await workspace(`versions-${compiler}-${way}`);
  await writeFile(path.join(folder, "program.ts"), text);
  await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...STRICT, ...WAYS[way] }, files: ["program.ts"] }));
  const { stdout } = await run(process.execPath, [path.join(INSTALLED, compiler, "bin/tsc"), "-p", folder]).catch((error) => error);
  return stdout;
}

for (const [compiler, ways] of Object.entries({ "typescript-least": ["bundler", "node16", "node"], "typescript-newest": ["bundler", "node16"] })) {
  for (const way of ways) {
    test(`${compiler} with resolution by ${way} finds the types of every entry, and nothing wrong in them`, async () => {
      assert.equal(await said(compiler, way), "");
    });
  }
  test(`${compiler} reads the types, and does not take all for anything`, async () => {
    assert.match(await said(compiler, ways[0], `import { KnowledgeBase } from "vademecum";\nexport const n: number = KnowledgeBase.list();`), /program\.ts\(2,14\): error TS2322/);
  });
}
