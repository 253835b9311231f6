// The text of a document as nodes, page by page, with its highlights.

import { node } from "../nodes.js";
import { layoutOf } from "./layouts.js";
import { marker } from "./marks.js";

/**
 * @param {{ text: string, metadata?: Record<string, any> | null, chunks?: { headings?: string[] }[], firstPage?: number }} document `firstPage`: the number of
 *   the first page, if the text is a part of a document
 * @param {{ span?: import("./marks.js").Span | null, quote?: import("./marks.js").Span | null }} place the passage, and the words that are quoted of it
 * @param {any} texts those of the element
 */
export function textNodes({ text, metadata, chunks = [], firstPage = 1 }, { span, quote }, texts) {
  const about = metadata ?? {};
  const leaf = marker(text, span, quote);
  const layout = layoutOf(text, about);
  const headings = new Map(chunks.flatMap(({ headings: path = [] }) => path.map((heading, depth) => [heading.trim(), depth])));
  const nodesOf = (from, to) => layout(text, from, to, leaf, { headings, fields: Object.keys(about), texts });
  const pages = pagesIn(text);
  if (pages.length === 1) return withPlainHeadings(nodesOf(0, text.length));
  const name = about.type === "pptx" ? texts.slideBreak : texts.pageBreak;
  return withPlainHeadings(pages.flatMap(({ from, to }, at) => [separator(name(firstPage + at)), ...(text.slice(from, to).trim() ? nodesOf(from, to) : [node("p", "note", {}, texts.emptyPage)])]));
}

/** Removes the highlight from the headings of a passage that has text below them, because the search found the text. @param {HTMLElement[]} nodes */
function withPlainHeadings(nodes) {
  const marksIn = (element) => [...element.querySelectorAll("mark:not(.quoted)")];
  const isHeading = (element) => /^H[3-6]$/.test(element.tagName);
  if (!nodes.some((element) => !isHeading(element) && marksIn(element).length > 0)) return nodes;
  for (const mark of nodes.filter(isHeading).flatMap(marksIn)) mark.replaceWith(...mark.childNodes);
  return nodes;
}

/** Form feeds part pages. */
function pagesIn(text) {
  const pages = /** @type {any[]} */ ([]);
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf("\f", from);
    const to = end < 0 ? text.length : end;
    pages.push({ from, to });
    from = to + 1;
  }
  return pages;
}

/** The style sheet adds the label, so that copying yields the text alone. */
const separator = (label) => node("span", "page-break", { role: "separator", "aria-label": label, "data-page": label }, "\n");
