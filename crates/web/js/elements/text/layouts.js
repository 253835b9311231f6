// How the text of a document is laid out: Markdown, code, the fields of a record, or the plain text of other files. Every layout takes a
// range of the text, and `leaf`, which gives the nodes of a part of it with the highlights in place.

import { node } from "../nodes.js";
import { codeOf, headingOf, markdownNodes, tableOf } from "./blocks.js";
import { isCode } from "./kinds.js";

/** Longer texts are not taken apart. */
const LONG = 1_000_000;
const FRONT_MATTER = /^---[ \t]*\r?\n[^]*?\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
const LOOKS_LIKE_MARKDOWN = /^(#{1,6} |```|~~~|\|.*\|\s*$)/m;
const RECORDS = ["csv", "jsonl", "json", "xlsx"];

/** @typedef {(text: string, from: number, to: number, leaf: import("./blocks.js").Leaf, about: About) => HTMLElement[]} Layout */
/** @typedef {{ headings: Map<string, number>, fields: string[], texts: any }} About headings with their depth, names of the fields of a record, and the texts of the element */

/** Returns the layout of a document. @returns {Layout} */
export function layoutOf(text, metadata = /** @type {Record<string, any>} */ ({})) {
  const { type, file } = metadata;
  if (text.length > LONG) return plain;
  if (isCode(metadata)) return code;
  if (type === "markdown" || (type === undefined && LOOKS_LIKE_MARKDOWN.test(text))) return markdown;
  if (RECORDS.includes(type)) return file === undefined ? plain : record;
  return ["text", "pdf", "image"].includes(type) ? plain : structured;
}

/** @type {Layout} */
function markdown(text, from, to, leaf, { texts }) {
  const own = text.slice(from, to);
  const [front = ""] = from === 0 ? (FRONT_MATTER.exec(own) ?? []) : [];
  const start = from + front.length;
  const nodes = markdownNodes(text.slice(start, to), (a, b) => leaf(start + a, start + b), texts);
  return front ? [codeOf(leaf(from, start - 1), "front"), ...nodes] : nodes;
}

/** @type {Layout} */
const code = (_, from, to, leaf) => [codeOf(leaf(from, to))];

/** @type {Layout} */
const plain = (_, from, to, leaf) => [asItIs(leaf(from, to))];

const asItIs = (children) => node("p", null, { class: "as-is" }, ...children);

/** The lines `name: value` of a record; a value may have several lines. @type {Layout} */
function record(text, from, to, leaf, about) {
  const { fields } = about;
  const isField = (line) => fields.some((name) => line.startsWith(`${name}: `));
  const places = linesIn(text, from, to).reduce((all, line) => {
    const last = all.at(-1);
    if (last && !isField(text.slice(line.from, line.to))) last.to = line.to;
    else all.push({ ...line });
    return all;
  }, /** @type {{ from: number, to: number }[]} */ ([]));
  if (!places.some((line) => isField(text.slice(line.from, line.to)))) return plain(text, from, to, leaf, about);
  const start = places.findIndex((line) => isField(text.slice(line.from, line.to))); // lines before it belong to no field
  const rows = places.slice(start).map((line) => {
    const name = text.indexOf(": ", line.from) + 2;
    return node("div", null, {}, node("dt", null, {}, ...leaf(line.from, name)), node("dd", null, {}, ...leaf(name, line.to)));
  });
  return [...places.slice(0, start).map((line) => asItIs(leaf(line.from, line.to))), node("dl", "record", {}, ...rows)];
}

/** Text that was extracted of another format: paragraphs, headings by the passages below them, rows of tables, `a | b`, and code in fences. @type {Layout} */
function structured(text, from, to, leaf, { headings, texts }) {
  return paragraphsIn(text, from, to).flatMap(/** @returns {HTMLElement[]} */ (place) => {
    if (place.code) return [codeOf(leaf(place.code.from, place.code.to))];
    const own = text.slice(place.from, place.to);
    const depth = headings.get(own.trim());
    if (depth !== undefined) return [headingOf(3 + depth, leaf(place.from, place.to))];
    const lines = linesIn(text, place.from, place.to);
    const isTable = lines.length > 1 && lines.every((line) => text.slice(line.from, line.to).includes(" | "));
    return [isTable ? table(text, lines, leaf, texts) : asItIs(leaf(place.from, place.to))];
  });
}

function table(text, lines, leaf, texts) {
  const rows = lines.map(({ from, to }) => {
    const row = node("tr", null);
    for (let at = from; at <= to; ) {
      const end = text.indexOf(" | ", at);
      const last = end < 0 || end >= to;
      row.append(node("td", null, {}, ...leaf(at, last ? to : end)), ...(last ? [] : [" "]));
      if (last) break;
      at = end + 3;
    }
    return row;
  });
  return tableOf(node("table", null, {}, node("tbody", null, {}, ...rows)), texts);
}

function linesIn(text, from, to) {
  const lines = /** @type {{ from: number, to: number }[]} */ ([]);
  for (let at = from; at < to; ) {
    const end = text.indexOf("\n", at);
    lines.push({ from: at, to: end < 0 || end > to ? to : end });
    at = end < 0 ? to : end + 1;
  }
  return lines;
}

/** A line that opens or closes code. */
const FENCE = /^`{3,}$/;

/**
 * Paragraphs are parted by empty lines, code by its fences: `code` is what lies between them.
 *
 * @returns {{ from: number, to: number, code?: { from: number, to: number } }[]}
 */
function paragraphsIn(text, from, to) {
  const paragraphs = /** @type {({ from: number, to: number, code?: { from: number, to: number } } | null)[]} */ ([]);
  let fence = "";
  for (const line of linesIn(text, from, to)) {
    const own = text.slice(line.from, line.to);
    const last = paragraphs.at(-1);
    if (fence && last?.code) {
      last.to = line.to;
      if (own === fence) paragraphs.push(null);
      else last.code.to = line.to;
      if (own === fence) fence = "";
    } else if (FENCE.test(own)) {
      fence = own;
      const inside = Math.min(line.to + 1, to);
      paragraphs.push({ ...line, code: { from: inside, to: inside } });
    } else if (!own.trim()) paragraphs.push(null);
    else if (last) last.to = line.to;
    else paragraphs.push({ ...line });
  }
  return paragraphs.filter((one) => one !== null);
}
