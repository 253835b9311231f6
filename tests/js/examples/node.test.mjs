// Runs the Node programs of `examples/` as users do.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { installed, NOTES, printed, skip } from "../support/examples.mjs";
import { startLlm } from "../support/llm-stub.mjs";

test("search-folder prints passages with their sources", { skip }, async () => {
  const folder = await installed("search-folder");
  const lines = await printed(folder, "main.mjs", [NOTES, "unused leave"]);
  assert.match(lines[0], /^leave\.md › Leave \(characters 0 to \d+\)$/);
  assert.match(lines[1], /five unused days carry over to March/);
  assert.deepEqual(await printed(folder, "main.mjs", [NOTES, "zebra"]), ["Nothing was found."]);
});

test("ask-model prints the model's answer and its citations", { skip }, async (t) => {
  const llm = await startLlm();
  t.after(() => llm.close());
  llm.answer = "You have 30 days of paid leave a year [1].";
  const lines = await printed(await installed("ask-model"), "main.mjs", [], { ENDPOINT: `${llm.address}/v1`, MODEL: "stub", KEY: "secret" });
  assert.equal(lines[0], llm.answer);
  assert.match(lines[1], /^\[1\] leave\.md › Leave$/);
  assert.equal(lines.at(-1), "written by: llm");
  assert.deepEqual([llm.requests[0].path, llm.requests[0].key, llm.requests[0].body.model], ["/v1/chat/completions", "Bearer secret", "stub"]);
});

test("own-embedder finds by vectors what keywords do not find", { skip }, async () => {
  assert.deepEqual(await printed(await installed("own-embedder"), "main.mjs"), ["keyword: nothing", "vector: leave.md"]);
});

test("tool-and-budget has the tool called, and prints the cost", { skip }, async (t) => {
  const llm = await startLlm();
  t.after(() => llm.close());
  llm.behaviour = "script";
  const call = (name, args) => ({ content: null, tool_calls: [{ id: name, type: "function", function: { name, arguments: JSON.stringify(args) } }] });
  const replies = [call("search", { query: "days of leave" }), call("days_taken", { name: "Ada" }), "Ada has 18 of 30 days left [1]."];
  llm.reply = /** @returns {any} */ () => replies[Math.min(llm.requests.length, replies.length) - 1];
  const lines = await printed(await installed("tool-and-budget"), "main.mjs", [], { ENDPOINT: `${llm.address}/v1` });
  assert.ok(lines.some((line) => line.includes("days_taken")), lines.join("\n"));
  assert.ok(JSON.stringify(llm.requests.at(-1).body).includes("has taken 12 days"), "the model is told what the tool returned");
  assert.ok(lines.includes("Ada has 18 of 30 days left [1]."), lines.join("\n"));
  assert.match(lines.at(-1), /^3 calls of the model; ended by: completed$/);
});

test("the comment at the top of an example says what it shows and how to run it", async () => {
  const examples = new URL("../../../examples/", import.meta.url);
  const readme = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
  const programs = (await readdir(examples, { recursive: true })).filter((name) => /(main|build)\.(mjs|js)$/.test(name));
  assert.ok(programs.length >= 6);
  for (const name of programs) {
    assert.match(await readFile(new URL(name, examples), "utf8"), /^\/\/ [A-Z].*\n(\/\/ .*\.\n)*\/\/ Run: .*\n\/\/ {6}\S.*\n(\/\/ .*\n)*\n/, name);
  }
  const folders = (await readdir(examples, { withFileTypes: true })).map(({ name }) => name).filter((name) => name !== "notes");
  for (const name of folders) assert.ok(readme.includes(`\`examples/${name}\``), `the README names ${name}`);
});
