// Type-checks the JavaScript of the package, the demo page, the examples, the tests and the benchmarks. Only the package is checked for
// null: pages and tests query elements that always exist.

import assert from "node:assert/strict";
import { cp, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { workspace } from "../support/compile.mjs";
import { faultsOf, hasModules, scriptsIn } from "../support/programs.mjs";

const skip = hasModules ? false : "the modules are not built: `cargo xtask demo` builds them";

test("the package's JavaScript type-checks", { skip }, () => {
  const files = scriptsIn("crates/web/js");
  assert.ok(files.length > 60, String(files.length));
  assert.deepEqual(faultsOf(files), []);
});

test("the demo page's JavaScript type-checks", { skip }, () => {
  const page = fileURLToPath(new URL("page.d.ts", import.meta.url));
  assert.deepEqual(faultsOf([...scriptsIn("www"), page], { strictNullChecks: false }), []);
});

test("the JavaScript of the tests type-checks", () => {
  const declared = ["page.d.ts", "tests.d.ts"].map((name) => fileURLToPath(new URL(name, import.meta.url)));
  assert.deepEqual(faultsOf([...scriptsIn("tests/js"), ...declared], { strictNullChecks: false }), []);
});

test("the JavaScript of the benchmarks type-checks", () => {
  const declared = ["page.d.ts", "tests.d.ts", "benches.d.ts"].map((name) => fileURLToPath(new URL(name, import.meta.url)));
  assert.deepEqual(faultsOf([...scriptsIn("benches"), ...declared], { strictNullChecks: false }), []);
});

test("the examples type-check with the public types", async () => {
  const folder = await workspace("examples-javascript");
  const files = scriptsIn("examples");
  const copied = await Promise.all(files.map(async (file) => {
    const copy = path.join(folder, path.basename(path.dirname(file)), path.basename(file));
    await cp(file, copy);
    return copy;
  }));
  assert.ok(copied.length >= 6);
  assert.deepEqual(faultsOf(copied, { strictNullChecks: false }), []);
});

test("a wrong call, a missing member and an unchecked null are found", async () => {
  const file = path.join(await workspace("javascript"), "wrong.js");
  await writeFile(file, `
    /** @param {string} text */
    const long = (text) => text.length;
    export const wrong = [long(5), long("a").missing, document.getElementById("a").id];
  `);
  assert.deepEqual(faultsOf([file]).map((fault) => fault.replace(/.*(TS\d+).*/s, "$1")), ["TS2345", "TS2339", "TS2531"]);
});
