// The API reference is up to date with the types, and links between documents are valid.

import assert from "node:assert/strict";
import { access, readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { documents } from "../support/blocks.mjs";
import { REFERENCE, reference } from "./reference.mjs";

const made = reference();
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

test("docs/api.md is up to date: `node tests/js/types/reference.mjs` writes it", async () => {
  const written = await readFile(REFERENCE, "utf8");
  const at = made.split("\n").findIndex((line, at) => line !== written.split("\n")[at]);
  assert.equal(at, -1, `line ${at + 1} is “${written.split("\n")[at]}”, and is to be “${made.split("\n")[at]}”`);
  assert.equal(written.length, made.length);
});

/** Documents without code blocks to check. */
const others = () => Promise.all(["ARCHITECTURE.md", "CHANGELOG.md"].map(async (name) => ({ name, text: await readFile(path.join(ROOT, name), "utf8") })));

/** Returns the anchors of a document's headings. */
function anchors(text) {
  const seen = new Map();
  const headings = text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^#{1,6} +(.+)$/gm);
  return [...headings].map(([, heading]) => {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");
    const slug = plain.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, "").trim().replaceAll(" ", "-");
    seen.set(slug, (seen.get(slug) ?? -1) + 1);
    return seen.get(slug) === 0 ? slug : `${slug}-${seen.get(slug)}`;
  });
}

test("every link leads to an existing file and heading", async () => {
  const all = [...(await documents()), { name: "docs/api.md", text: made }, ...(await others())];
  const headings = new Map(all.map(({ name, text }) => [name, anchors(text)]));
  const dead = [];
  for (const { name, text } of all) {
    const lines = text.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, "")).split("\n");
    for (const [at, line] of lines.entries()) {
      for (const [, target] of line.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^\w+:/.test(target)) continue;
        const [file, heading] = target.split("#");
        const there = file === "" ? name : path.posix.join(path.posix.dirname(name), file);
        const isThere = await access(path.join(ROOT, there)).then(() => true, () => false);
        const isHeading = heading === undefined || headings.get(there)?.includes(heading);
        if (!isThere || !isHeading) dead.push(`${name}:${at + 1}: ${target}`);
      }
    }
  }
  assert.deepEqual(dead, []);
});

test("all headings of the reference have different anchors", () => {
  const twice = anchors(made).filter((slug, at, all) => all.indexOf(slug.replace(/-\d+$/, "")) < at && /-\d+$/.test(slug));
  assert.deepEqual(twice, []);
});
