// The types are written by hand, and no compiler reads them here: what can be told without one.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

const FOLDER = new URL("../../../src/web/package/", import.meta.url);
const files = (await readdir(FOLDER)).filter((name) => name.endsWith(".d.ts"));
const texts = new Map(await Promise.all(files.map(async (name) => [name, await readFile(new URL(name, FOLDER), "utf8")])));

/** In a file of types everything at its top is visible to others, with `export` or without. */
const declared = (name) => [...texts.get(name).matchAll(/^(?:export )?(?:declare )?(?:interface|type|class|function|const) (\w+)/gm)].map(([, what]) => what);
const fileOf = (address) => address.replace(/^\.\//, "").replace(/\.js$/, ".d.ts");
const star = [...texts.get("index.d.ts").matchAll(/^export \* from "(.+)";/gm)].map(([, address]) => fileOf(address));

test("no two files that the package's types gather have a type of one name", () => {
  assert.ok(star.length >= 5);
  const seen = new Map();
  for (const name of [...star, "index.d.ts"]) {
    for (const what of new Set(declared(name))) {
      assert.ok(!seen.has(what), `${what} is in ${seen.get(what)} and ${name}`);
      seen.set(what, name);
    }
  }
});

test("every type that is imported is there", () => {
  const all = new Set([...star, "index.d.ts"].flatMap(declared));
  for (const [name, text] of texts) {
    for (const [, list, address] of text.matchAll(/^import type \{([^}]+)\} from "(.+)";/gm)) {
      const there = fileOf(address) === "index.d.ts" ? all : new Set(declared(fileOf(address)));
      for (const what of list.split(",").map((one) => one.trim()).filter(Boolean)) assert.ok(there.has(what), `${name} imports ${what} from ${address}`);
    }
  }
});
