// Markdown as nodes of the page: made one by one, so that no text of a model is ever read as a tag.

import { h } from "../dom.js";
import { blocksOf } from "./markdown.js";
import { t } from "../words.js";

/**
 * @param leaf `(from, to)` gives the nodes of a part of the text that has no marks in it
 * @param solid `{ start, end }`: places that are not looked into
 * @param ofRow `(row)` gives the properties of a table's row, which has its place
 */
export const markdownNodes = (text, leaf, solid, ofRow) => blocksOf(text, solid).map((block) => nodeOf(block, leaf, ofRow));

/** Returns the node of one block. */
export function nodeOf({ kind, parts, level, items, start, blocks, lines, rows, align }, leaf, ofRow = (_row) => ({})) {
  const inline = (some) => some.flatMap((part) => inlineNodes(part, leaf));
  if (kind === "paragraph") return h("p", {}, ...inline(parts));
  if (kind === "heading") return h(`h${Math.min(6, Math.max(3, level + 1))}`, {}, ...inline(parts)); // the page has the first two
  if (kind === "rule") return h("hr");
  if (kind === "quote") return h("blockquote", {}, ...blocks.map((block) => nodeOf(block, leaf, ofRow)));
  if (kind === "code") return h("pre", { tabIndex: 0 }, h("code", {}, ...lines.flatMap(({ from, to }, at) => [...(at > 0 ? ["\n"] : []), ...leaf(from, to)])));
  if (kind === "table") {
    const cells = (tag, row) => row.cells.map((cell, at) => h(align[at] ? `${tag}.${align[at]}` : tag, {}, ...inline(cell)));
    const [head, ...body] = rows;
    const table = h("table", {}, h("thead", {}, h("tr", {}, ...cells("th", head))), h("tbody", {}, ...body.map((row) => h("tr", ofRow(row), ...cells("td", row)))));
    return h("div.table", { tabIndex: 0, role: "group", ariaLabel: t("Table") }, table);
  }
  const list = start === null ? h("ul") : h("ol", { start });
  list.append(...items.map((inside) => h("li", {}, ...inside.flatMap((block, at) => (at === 0 && block.kind === "paragraph" ? inline(block.parts) : [nodeOf(block, leaf, ofRow)])))));
  return list;
}

function inlineNodes({ kind, from, to, parts }, leaf) {
  if (kind === "text") return leaf(from, to);
  if (kind === "break") return ["\n"];
  if (kind === "code") return [h("code", {}, ...leaf(from, to))];
  return [h(kind, {}, ...parts.flatMap((part) => inlineNodes(part, leaf)))];
}

/** Shows a text that grows, or that was cut off: blocks that are done stay as they are, and only what follows is made anew. */
export function growing(element) {
  let shown = []; // the text of each block
  return (text) => {
    const leaf = (from, to) => [text.slice(from, to)];
    const blocks = blocksOf(text, [], { isOpen: true });
    const texts = blocks.map(({ from, to }) => text.slice(from, to));
    let same = 0;
    while (same < shown.length && same < texts.length && shown[same] === texts[same] && element.children[same]) same += 1;
    while (element.childNodes.length > same) element.lastChild.remove();
    element.append(...blocks.slice(same).map((block) => nodeOf(block, leaf)));
    shown = texts;
  };
}
