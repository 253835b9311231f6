// The parser of the elements for the Markdown of documents and answers: syntax, literal text, and running time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, placesOf } from "../../../crates/web/js/elements/text/markdown.js";

/** Returns the blocks of a text in short form, with their visible words. */
function shown(text, solid, options) {
  const inline = (parts) => parts.map(({ kind, from, to, parts: inside }) => (kind === "text" ? text.slice(from, to) : kind === "break" ? "\n" : kind === "code" ? `<c>${text.slice(from, to)}</c>` : `<${kind}>${inline(inside)}</${kind}>`)).join("");
  const block = ({ kind, parts, level, items, start, blocks, lines, rows, align }) => {
    if (kind === "paragraph") return inline(parts);
    if (kind === "heading") return [`h${level}`, inline(parts)];
    if (kind === "code") return ["code", lines.map(({ from, to }) => text.slice(from, to)).join("\n")];
    if (kind === "list") return [start === null ? "ul" : `ol ${start}`, ...items.map((item) => item.map(block))];
    if (kind === "table") return ["table", align, ...rows.map(({ cells }) => cells.map(inline))];
    return kind === "quote" ? ["quote", ...blocks.map(block)] : [kind];
  };
  return blocksOf(text, solid, options).map(block);
}

test("paragraphs, headings, rules and emphasis are read", () => {
  assert.deepEqual(shown("# The *rules*\n\nEach **value** has an `owner`\nand *one* only.\n\n---\n***So*** it is.\n"), [
    ["h1", "The <em>rules</em>"],
    "Each <strong>value</strong> has an <c>owner</c>\nand <em>one</em> only.",
    ["rule"],
    "<strong><em>So</em></strong> it is.",
  ]);
  assert.deepEqual(shown("**a *b* c** and __d__ and _e_"), ["<strong>a <em>b</em> c</strong> and <strong>d</strong> and <em>e</em>"]);
});

test("lists are read, one within another, and with what belongs to an item", () => {
  assert.deepEqual(shown("Three:\n- one\n- two\n  more\n  - deep\n  - deeper\n- three\n\nAfter."), [
    "Three:",
    ["ul", ["one"], ["two\nmore", ["ul", ["deep"], ["deeper"]]], ["three"]],
    "After.",
  ]);
  assert.deepEqual(shown("1. one\n\n2. two\n3) three"), [["ol 1", ["one"], ["two"], ["three"]]]);
  assert.deepEqual(shown("1. one\n\n   ```\n   x\n   ```\n2. two"), [["ol 1", ["one", ["code", "x"]], ["two"]]]);
  assert.deepEqual(shown("- a\n1. b"), [["ul", ["a"]], ["ol 1", ["b"]]]);
  assert.deepEqual(shown("So:\n\n    - deep"), ["So:", "    - deep"], "what is too deep for an item is a paragraph");
});

test("code is left as it is, also where its fence is not closed yet", () => {
  assert.deepEqual(shown("```rust\nlet **x** = 1; // <b>\n```\nDone."), [["code", "let **x** = 1; // <b>"], "Done."]);
  assert.deepEqual(shown("So:\n```\na\n\n# b"), ["So:", ["code", "a\n\n# b"]]);
  assert.deepEqual(shown("`` a`b `` and `*c*`"), ["<c> a`b </c> and <c>*c*</c>"]);
});

test("quotations are read, and the marks of their lines are not shown", () => {
  assert.deepEqual(shown("> one **two\n> three**\n>\n> - four\n\nfive"), [["quote", "one **two\nthree**", ["ul", ["four"]]], "five"]);
});

test("a table is read with its header, its columns and what stands in its cells", () => {
  assert.deepEqual(shown("By city:\n| City | Sum |\n|:-----|----:|\n| **Bonn** [1] | 3 |\n| `a` \\| b | 4 | more |\n\nDone."), [
    "By city:",
    ["table", ["left", "right"], ["City", "Sum"], ["<strong>Bonn</strong> [1]", "3"], ["<c>a</c> | b", "4", "more"]],
    "Done.",
  ]);
  assert.deepEqual(shown("City | Sum\n--- | :-:\nBonn | 3\n- item"), [["table", [null, "center"], ["City", "Sum"], ["Bonn", "3"]], ["ul", ["item"]]]);
  const text = "> | a |\n> |---|\n> | b |";
  const [{ rows }] = placesOf("table", blocksOf(text));
  assert.deepEqual(rows.map(({ from, to }) => text.slice(from, to)), ["| a |", "| b |"], "a row tells its place");
  for (const plain of ["a | b", "a | b\n--- c", "a\n---", "| a | b |\n|---|", "| a |\n| b |", "a | b\n| |"]) {
    assert.equal(placesOf("table", blocksOf(plain)).length, 0, plain);
  }
});

test("a part of a text that begins within a table has its rows without a header", () => {
  const part = (text) => blocksOf(text, [], { isPart: true }).map(({ kind, rows }) => [kind, rows?.map((row) => row && row.cells.length)]);
  assert.deepEqual(part("| a | b |\n| c | d |\n\nDone."), [["table", [null, 2, 2]], ["paragraph", undefined]]);
  assert.deepEqual(part("| a | b |\nno row"), [["table", [null, 2]], ["paragraph", undefined]]);
  assert.deepEqual(part("| a | b |\n|---|---|\n| c | d |"), [["table", [2, 2]]], "a table with a header is read as such");
  assert.deepEqual(part("\n|---|---|\n| a | b |"), [["table", [null, 2]]], "the line below a header is no row");
  assert.deepEqual(part("| - | - |\n|  | a |"), [["table", [null, 2, 2]]], "cells with a dash, or with nothing, are a row");
  for (const plain of ["| a |\n| b |", "a | b", "Done.\n| a | b |", "> | a | b |"]) assert.equal(placesOf("table", blocksOf(plain, [], { isPart: true })).length, 0, plain);
  assert.equal(placesOf("table", blocksOf("| a | b |")).length, 0, "a header whose delimiters are being written");
});

test("of a text that may go on, emphasis and code that nothing closes yet reach to its end, and half a mark is not shown", () => {
  const open = (text) => shown(text, [], { isOpen: true });
  assert.deepEqual(open("The **old"), ["The <strong>old</strong>"]);
  assert.deepEqual(open("The **old*"), ["The <strong>old</strong>"]);
  assert.deepEqual(open("*one **two"), ["<em>one <strong>two</strong></em>"]);
  assert.deepEqual(open("Say `let x"), ["Say <c>let x</c>"]);
  assert.deepEqual(open("See **"), ["See "]);
  assert.deepEqual(open("- a **b"), [["ul", ["a <strong>b</strong>"]]]);
  for (const text of ["2*3", "2 * 3", "snake_case", "**done** so", "a ** b"]) assert.deepEqual(open(text), shown(text), text);
  assert.deepEqual(open("**not here\n\nbut *here"), ["**not here", "but <em>here</em>"], "a paragraph that is over is over");
});

test("what only looks like a mark stays: names, sums, years, marks that nothing closes", () => {
  for (const text of ["snake_case_name and __init", "2 * 3 * 4", "a ** b", "**bold", "`code", "1986. A year.", "#hashtag", "* ", "C++ and C#", "a*"]) {
    if (text !== "* " && text !== "1986. A year.") assert.deepEqual(shown(text), [text], text);
  }
  assert.deepEqual(shown("It was in\n1986. A year."), ["It was in\n1986. A year."]);
  assert.deepEqual(shown("\\*not\\* this"), ["*not* this"]);
});

test("a citation is not looked into, whatever its name holds", () => {
  const text = "Each *value* [a_b_*c*.md] has *one [x*y.md] owner*.";
  const solid = ["[a_b_*c*.md]", "[x*y.md]"].map((one) => ({ start: text.indexOf(one), end: text.indexOf(one) + one.length }));
  assert.deepEqual(shown(text, solid), ["Each <em>value</em> [a_b_*c*.md] has <em>one [x*y.md] owner</em>."]);
});

test("tags, links and pictures are letters", () => {
  for (const text of ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[here](http://evil.test)", "![see](http://evil.test/?q=1)", "<http://evil.test>", "[a]: http://evil.test", "javascript:alert(1)", "&lt;b&gt;"]) {
    assert.deepEqual(shown(text), [text], text);
  }
});

test("every part lies within the text, in its order, and nothing but marks is lost", () => {
  const letters = ["a", " ", "\n", "*", "**", "_", "`", "```", "#", "- ", "1. ", "> ", "  ", "\\", "[1]", "<b>", "\t", "é", "🦀", "|", "|-|-|", "| a | b |\n|-|:-:|\n"];
  let seed = 7;
  const next = (below) => ((seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0), (seed >>> 8) % below);
  for (let round = 0; round < 6000; round++) {
    const isOpen = round % 2 === 1;
    const text = Array.from({ length: next(40) }, () => letters[next(letters.length)]).join("");
    const places = [];
    JSON.stringify(blocksOf(text, [], { isOpen }), (key, value) => {
      if (value?.kind === "text" || (value && value.kind === undefined && value.cells === undefined && value.from !== undefined) || (value?.kind === "code" && !value.lines)) places.push(value);
      return value;
    });
    let at = 0;
    for (const { from, to } of places) {
      assert.ok(from >= at && to >= from && to <= text.length, JSON.stringify(text));
      assert.match(text.slice(at, from), /^[\s*_`#>\-\\+\d.)a<bé🦀[\]|:]*$/u);
      at = to;
    }
    const read = places.map(({ from, to }) => text.slice(from, to)).join("");
    for (const word of ["é", "🦀"]) {
      const count = (one) => one.split(word).length;
      const inFence = /```/.test(text); // the words after a fence are its info string
      if (!inFence) assert.equal(count(read), count(text), JSON.stringify(text));
    }
  }
});

test("hostile answers take no more time than their length allows", () => {
  const long = 20_000;
  const hostile = ["*", "**a ", "_a", "`", "[", "> ", "- ", "  - ", "* a **b ***c ", "`a ``b ```c ", "\\", "#", "1. ", "*a_", "> - ", "\n", "\n- a\n\n", "|", "|-", "|-|\n", "| a | b |\n|-|-|\n", "a|b\n", "> | a |\n> |-|\n"];
  for (const part of hostile) {
    const text = part.repeat(Math.ceil(long / part.length));
    const begun = performance.now();
    JSON.stringify(blocksOf(text));
    JSON.stringify(blocksOf(text, [], { isOpen: true }));
    const took = performance.now() - begun;
    assert.ok(took < 1000, `${JSON.stringify(part)}: ${Math.round(took)} ms`);
  }
  const deep = Array.from({ length: 500 }, (_, at) => `${" ".repeat(2 * at)}- ${at}`).join("\n");
  const begun = performance.now();
  assert.ok(JSON.stringify(blocksOf(deep)).length > 0 && performance.now() - begun < 1000);
});

test("headings are read in time that grows with their length, whatever is between their words and marks", () => {
  const spaces = " ".repeat(100_000);
  for (const text of [`# ${spaces}\r`, `# a${spaces}b`, `#${spaces}`, `# ${"# ".repeat(50_000)}x`, `# ${"#".repeat(100_000)}x`, `# a${"\t".repeat(100_000)}\u2028`]) {
    const begun = performance.now();
    assert.equal(blocksOf(text)[0].kind, "heading");
    const took = performance.now() - begun;
    assert.ok(took < 500, `${Math.round(took)} ms`);
  }
});

test("marks that close a heading are not shown, and those of its last word are", () => {
  assert.deepEqual(shown("## Rules ##  \n# About C#\n#\tTab\n##\n# #"), [["h2", "Rules"], ["h1", "About C#"], ["h1", "Tab"], ["h2", ""], ["h1", ""]]);
});

test("a text with the line ends of Windows is read like any other", () => {
  const text = "# The *rules*\n\nEach has\nan **owner**.\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- one\n- two\n\n```sh\nls\n\nrm\n```\n> so\n\n---\n";
  const read = (one) => JSON.stringify(shown(one)).replaceAll("\\r\\n", "\\n");
  assert.equal(read(text.replaceAll("\n", "\r\n")), read(text));
  const [{ from, to }] = blocksOf("# Title\r\n\r\nText.\r\n");
  assert.deepEqual([from, to], [0, 7], "the line end is no part of the heading");
});
