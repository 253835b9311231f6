// Tests the check of claims in code blocks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { documents, modulesOf } from "../support/blocks.mjs";
import { keeper, runnable, uses } from "../support/claims.mjs";

const guide = (code) => ({ name: "guide.md", text: `# A guide\n\n\`\`\`js run\n${code}\n\`\`\`\n` });
const FIRST = 4; // first line of the code in the document

/** Returns the false claims of some code. */
async function wrongIn(code) {
  const wrong = keeper();
  const [module] = modulesOf(guide(code));
  await import(`data:text/javascript,${encodeURIComponent(runnable(module))}`);
  return wrong;
}

test("a false claim is reported with its line, the actual and the claimed value", async () => {
  assert.deepEqual(await wrongIn("const sum = 1 + 1;\nsum;  // → 3"), [{ line: FIRST + 1, is: "2", said: "3" }]);
  assert.deepEqual(await wrongIn("console.log([1, 2]);  // → [1]"), [{ line: FIRST, is: "[1,2]", said: "[1]" }]);
  assert.deepEqual(await wrongIn("const sum = 1 + 1;  // → 3"), [{ line: FIRST, is: "2", said: "3" }]);
  assert.deepEqual(await wrongIn('await Promise.resolve({ a: 1, b: 2 });  // → { a: 1 }'), [{ line: FIRST, is: '{"a":1,"b":2}', said: '{"a":1}' }]);
});

test("true claims are silent; an ellipsis matches any text", async () => {
  const code = '"a text of (some) length";  // → "a text … length"\n[{ a: null }];  // → [{ a: null }]\nif (true) {\n  undefined;  // → undefined\n}';
  assert.deepEqual(await wrongIn(code), []);
  assert.equal((await wrongIn('"another";  // → "a text…"')).length, 1);
});

test("a claim after an expression without a value is refused", () => {
  assert.throws(() => runnable(modulesOf(guide("if (true) {  // → true\n}"))[0]), /guide\.md:4: a claim/);
});

test("a claimed value that is not an expression is refused with its line", () => {
  assert.throws(() => runnable(modulesOf(guide("const a = 1;\na;  // → 1: one"))[0]), /guide\.md:5: “1: one” is not an expression/);
});

test("all claims of the documents are expressions", async () => {
  const marked = (await documents()).flatMap(modulesOf).filter(({ blocks }) => blocks[0].marks.has("run"));
  assert.ok(marked.length > 15);
  marked.forEach(runnable);
});

test("code keeps the line numbers of its document", async () => {
  const [module] = modulesOf(guide("const a = 1;\nthrow new Error(a);"));
  assert.equal(runnable(module).split("\n")[FIRST], "throw new Error(a);");
});

test("names that a block declares are its own", () => {
  assert.equal(uses("const { kb } = made; kb.search();", ["kb"]), false);
  assert.equal(uses("await kb.search();", ["kb"]), true);
  assert.equal(uses("made.kb.search();", ["kb"]), false);
});
