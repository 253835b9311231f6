// Markdown as nodes: made one by one, so that no text of a document or a model is ever parsed as HTML.

import { node } from "../nodes.js";
import { blocksOf } from "./markdown.js";

/** @typedef {(from: number, to: number) => (string | Node)[]} Leaf gives the nodes of a part of the text that has no marks of Markdown in it */

/**
 * @param {string} text
 * @param {Leaf} leaf
 * @param {any} texts those of the element
 * @param {{ solid?: { start: number, end: number }[], ofRow?: (row: { from: number, to: number }) => Record<string, any> }} [more] `solid`: places that
 *   are not looked into; `ofRow` gives the attributes of a table's row
 */
export const markdownNodes = (text, leaf, texts, { solid = [], ofRow } = {}) => blocksOf(text, solid).map((block) => nodeOf(block, leaf, texts, ofRow));

/**
 * Returns the node of one block.
 * @param {any} block as `blocksOf` returns it @param {Leaf} leaf @param {any} texts
 * @returns {HTMLElement}
 */
export function nodeOf({ kind, parts, level, items, start, blocks, lines, rows, align }, leaf, texts, ofRow = (_row) => ({})) {
  const inline = (some) => some.flatMap((part) => inlineNodes(part, leaf));
  if (kind === "paragraph") return node("p", null, {}, ...inline(parts));
  if (kind === "heading") return headingOf(level + 1, inline(parts));
  if (kind === "rule") return node("hr", null);
  if (kind === "quote") return node("blockquote", null, {}, ...blocks.map((block) => nodeOf(block, leaf, texts, ofRow)));
  if (kind === "code") return codeOf(lines.flatMap(({ from, to }, at) => [...(at > 0 ? ["\n"] : []), ...leaf(from, to)]));
  if (kind === "table") {
    const cells = (tag, row) => row.cells.map((cell, at) => node(tag, null, { class: align[at] }, ...inline(cell)));
    const [head, ...body] = rows;
    const table = node("table", null, {}, ...(head ? [node("thead", null, {}, node("tr", null, {}, ...cells("th", head)))] : []), node("tbody", null, {}, ...body.map((row) => node("tr", null, ofRow(row), ...cells("td", row)))));
    return tableOf(table, texts);
  }
  const list = start === null ? node("ul", null) : node("ol", null, { start });
  list.append(...items.map((inside) => node("li", null, {}, ...inside.flatMap((block, at) => (at === 0 && block.kind === "paragraph" ? inline(block.parts) : [nodeOf(block, leaf, texts, ofRow)])))));
  return list;
}

/** Returns a heading of a text. The first two levels are those of the page and of the element. */
export const headingOf = (level, children) => node(/** @type {"h3"} */ (`h${Math.min(6, Math.max(3, level))}`), null, {}, ...children);

/** Returns a preformatted block. */
export const codeOf = (children, kind = "") => node("pre", `code ${kind}`.trim(), { tabindex: 0, class: kind || null }, node("code", null, {}, ...children));

/** Returns a table in a frame of its own, in which it can be scrolled. */
export const tableOf = (table, texts) => node("div", "table", { tabindex: 0, role: "group", "aria-label": texts.table }, table);

function inlineNodes({ kind, from, to, parts }, leaf) {
  if (kind === "text") return leaf(from, to);
  if (kind === "break") return ["\n"];
  if (kind === "code") return [node("code", null, {}, ...leaf(from, to))];
  return [node(kind, null, {}, ...parts.flatMap((part) => inlineNodes(part, leaf)))];
}

/** Returns a function that shows a text that grows, or that was cut off: blocks that are done stay as they are, and only what follows is made anew. */
export function growing(element, texts) {
  let shown = /** @type {string[]} */ ([]); // the text of each block
  return (text) => {
    const leaf = (from, to) => [text.slice(from, to)];
    const blocks = blocksOf(text, [], { isOpen: true });
    const all = blocks.map(({ from, to }) => text.slice(from, to));
    let same = 0;
    while (same < shown.length && same < all.length && shown[same] === all[same] && element.children[same]) same += 1;
    while (element.childNodes.length > same) element.lastChild.remove();
    element.append(...blocks.slice(same).map((block) => nodeOf(block, leaf, texts)));
    shown = all;
  };
}
