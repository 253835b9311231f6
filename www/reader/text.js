// The text of a document as nodes, page by page, with its highlights.

import { h } from "../dom.js";
import { layoutOf } from "./layouts.js";
import { marker } from "./marks.js";
import { t } from "../words.js";

/**
 * @param {{ text: string, metadata?: Record<string, any>, chunks?: { headings: string[] }[] }} document
 * @param {{ span?: { start: number, end: number }, quote?: { start: number, end: number }, page?: number }} [place] the passage, the
 *   words that are quoted of it, and the number of the first page
 */
export function textNodes({ text, metadata = {}, chunks = [] }, { span, quote, page = 1 } = {}) {
  const leaf = marker(text, span, quote);
  const layout = layoutOf(text, metadata);
  const headings = new Map(chunks.flatMap(({ headings: path }) => path.map((heading, depth) => [heading.trim(), depth])));
  const about = { headings, fields: Object.keys(metadata) };
  const pages = pagesIn(text);
  if (pages.length === 1) return withPlainHeadings(layout(text, 0, text.length, leaf, about));
  const name = metadata.type === "pptx" ? t("Slide") : t("Page");
  const nodes = pages.flatMap(({ from, to }, at) => [separator(`${name} ${page + at}`), ...(text.slice(from, to).trim() ? layout(text, from, to, leaf, about) : [h("p.hint", {}, t("No text on this page."))])]);
  return withPlainHeadings(nodes);
}

/** Takes the highlight off the headings of a passage that has text below them: the text is what was found. */
function withPlainHeadings(nodes) {
  const elements = nodes.filter((node) => node instanceof HTMLElement);
  const marksIn = (element) => [...element.querySelectorAll("mark:not(.quote)")];
  const isHeading = (element) => /^H[3-6]$/.test(element.tagName);
  if (!elements.some((element) => !isHeading(element) && marksIn(element).length > 0)) return nodes;
  for (const mark of elements.filter(isHeading).flatMap(marksIn)) mark.replaceWith(...mark.childNodes);
  return nodes;
}

/** Form feeds part pages. */
function pagesIn(text) {
  const pages = [];
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf("\f", from);
    const to = end < 0 ? text.length : end;
    pages.push({ from, to });
    from = to + 1;
  }
  return pages;
}

/** The style sheet adds the label, so that copying yields the text alone. */
function separator(label) {
  const element = h("span.page-break", { role: "separator", ariaLabel: label }, "\n");
  element.dataset.page = label;
  return element;
}
