// Compiles users' programs in strict mode: correct ones must compile, and each line of `wrong.ts` must be an error.

import assert from "node:assert/strict";
import { cp, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { complaints, hasModule, IN_NODE, RESOLUTIONS, workspace } from "../support/compile.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const PROGRAMS = ["assert.ts", "api.ts", "entries.ts", "wrong.ts"];

async function folderWith(name, programs) {
  const folder = await workspace(name);
  await Promise.all(programs.map((program) => cp(path.join(HERE, program), path.join(folder, program))));
  return programs.map((program) => path.join(folder, program));
}

const shown = (found) => found.map(({ file, line, message }) => `${path.basename(file)}:${line}: ${message}`);

/** The strictest setting: elements of arrays may be undefined. */
const STRICTEST = { noUncheckedIndexedAccess: true };

for (const [name, options] of Object.entries(RESOLUTIONS)) {
  test(`every call of the API is accepted, and wrong ones are refused (${name})`, async () => {
    const files = await folderWith(`examples-${name}`, PROGRAMS);
    assert.deepEqual(shown(complaints(files, { ...options, ...STRICTEST })), []);
  });
}

test("the types do not need the DOM: they compile for Node", async () => {
  const files = await folderWith("examples-node", ["assert.ts", "wrong.ts"]);
  assert.deepEqual(shown(complaints(files, { ...RESOLUTIONS.node16, ...IN_NODE, ...STRICTEST })), []);
});

test("the checks depend on the package: without it the same programs fail", async () => {
  const [file] = await folderWith("examples-check", ["api.ts"]);
  await writeFile(path.join(path.dirname(file), "assert.ts"), "export const expectType = <T>() => (_: T) => {};");
  await writeFile(path.join(path.dirname(file), "node_modules/vademecum/search.d.ts"), "export {};");
  assert.ok(complaints([file], RESOLUTIONS.bundler).length > 3);
});

test("vademecum/wasm matches its types", { skip: hasModule ? false : "the module is not built: `cargo xtask demo` builds it" }, async () => {
  const [file] = await folderWith("examples-wasm", ["assert.ts"]);
  const program = path.join(path.dirname(file), "generated.ts");
  const text = `import * as real from "./node_modules/vademecum/vademecum-index.js";\nimport * as told from "vademecum/wasm";\nexport const same: typeof told = real;\n`;
  await writeFile(program, text);
  assert.deepEqual(shown(complaints([program], RESOLUTIONS.bundler)), []);
});
