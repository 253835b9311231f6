// The sizes of the elements that docs/elements.md gives.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";

const ELEMENTS = new URL("../../../crates/web/js/elements/", import.meta.url);
const STATIC = /^(?:import|export)\s(?:[^;]*?from\s+)?"(\.[^"]+)"/gm;

/** Returns the files that an entry loads before it runs. */
function filesOf(entry, seen = new Set()) {
  if (seen.has(entry.href)) return seen;
  seen.add(entry.href);
  for (const [, name] of readFileSync(entry, "utf8").matchAll(STATIC)) filesOf(new URL(name, entry), seen);
  return seen;
}

function sizesOf(name) {
  const contents = [...filesOf(new URL(name, ELEMENTS))].map((file) => readFileSync(new URL(file)));
  const total = (compress) => contents.reduce((sum, one) => sum + compress(one).length, 0) / 1000;
  return [contents.length, total((one) => gzipSync(one, { level: 9 })), total(brotliCompressSync)];
}

test("the sizes of the elements are those of the guide", () => {
  const guide = readFileSync(new URL("../../../docs/elements.md", import.meta.url), "utf8");
  for (const [row, file] of [["`vademecum/elements`, as packaged", "index.js"], ["of which the reader uses", "reader.js"]]) {
    const [, ...written] = /** @type {RegExpExecArray} */ (new RegExp(`\\| ${row} \\| (\\d+) \\| (\\d+) KB \\| (\\d+) KB \\|`).exec(guide));
    const [files, ...sizes] = sizesOf(file);
    assert.equal(Number(written[0]), files, row);
    for (const [at, size] of sizes.entries()) assert.ok(Math.abs(Number(written[at + 1]) - size) <= 0.05 * size, `${row}: ${size} KB`);
  }
});
