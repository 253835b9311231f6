// The compiler over the JavaScript that is shipped, as strict as code without declared types allows.

import assert from "node:assert/strict";
import { cp, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { workspace } from "../support/compile.mjs";
import { faultsOf, hasModules, scriptsIn } from "../support/programs.mjs";

const skip = hasModules ? false : "the modules are not built: `cargo xtask demo` builds them";

test("the package's JavaScript is sound by its types", { skip }, () => {
  const files = scriptsIn("crates/web/js");
  assert.ok(files.length > 60, String(files.length));
  assert.deepEqual(faultsOf(files), []);
});

test("the examples are sound by the types that users have", async () => {
  const folder = await workspace("examples-javascript");
  const files = scriptsIn("examples");
  const copied = await Promise.all(files.map(async (file) => {
    const copy = path.join(folder, path.basename(path.dirname(file)), path.basename(file));
    await cp(file, copy);
    return copy;
  }));
  assert.ok(copied.length >= 6);
  // A page knows that its own elements are there.
  assert.deepEqual(faultsOf(copied, { strictNullChecks: false }), []);
});

test("a wrong call, a missing member and a forgotten null are found", async () => {
  const file = path.join(await workspace("javascript"), "wrong.js");
  await writeFile(file, `
    /** @param {string} text */
    const long = (text) => text.length;
    export const wrong = [long(5), long("a").missing, document.getElementById("a").id];
  `);
  assert.deepEqual(faultsOf([file]).map((fault) => fault.replace(/.*(TS\d+).*/s, "$1")), ["TS2345", "TS2339", "TS2531"]);
});
