// Parsing of chunk ids, with the list of ids that the engine's tests use as well.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { parseChunkId } from "../../../crates/web/js/chunk-id.js";

const listed = JSON.parse(await readFile(new URL("../../data/chunk-ids.json", import.meta.url), "utf8"));

test("an id is split into the parts that the engine made it from", () => {
  assert.ok(listed.length > 5);
  for (const [collection, docId, ordinal, id] of listed) assert.deepEqual(parseChunkId(id), { collection, docId, ordinal });
});

test("any other text is not an id", () => {
  for (const id of ["", "a", "a/b", "a#0", "a/b#", "a/b#x", "a/b#01", "a/b#-1", "a/b#+1", "%/b#0", "%2f/b#0", undefined, null, 3, {}]) {
    assert.equal(parseChunkId(id), null, JSON.stringify(id));
  }
});
