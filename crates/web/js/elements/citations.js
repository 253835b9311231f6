// An answer's text, with citations to click, and with unsupported sentences marked. A model's text is formatted as Markdown; a text by a rule is not.

import { node, printable, sourceOf } from "./nodes.js";
import { markdownNodes } from "./text/blocks.js";
import { blocksOf, placesOf } from "./text/markdown.js";

/** @typedef {{ texts: any, open(place: any, about: any): void }} Shown the texts of the element, and what a click on a citation calls */

/** Returns the place of a hit or a citation in its document. */
export const placeOf = ({ collection, docId, span, quote }) => ({ collection, docId, span, ...(quote && { quote }) });

/**
 * Returns the nodes of an answer's text.
 * @param {any} answered `{ answer, answeredBy?, citations, grounding? }`: a result, or a turn of a conversation
 * @param {Shown} shown
 * @returns {(string | Node)[]}
 */
export function answerText({ answer, answeredBy, citations = [], grounding = [] }, shown) {
  const { texts } = shown;
  const { sentences: lacking, rows } = unsupported({ answer, answeredBy, grounding });
  const numbers = numbersOf(citations);
  const inOrder = [...citations].sort((a, b) => a.at.start - b.at.start);
  const between = (from, to) => {
    const parts = /** @type {any[]} */ ([]);
    let at = from;
    for (const citation of inOrder.filter((one) => one.at.start >= from && one.at.end <= to)) {
      if (citation.at.start >= at) parts.push(printable(answer.slice(at, citation.at.start)));
      parts.push(citationButton(citation, numbers, shown, wasFound({ answeredBy, citation })));
      at = Math.max(at, citation.at.end);
    }
    return [...parts, printable(answer.slice(at, to))];
  };
  const leaf = (from, to) => {
    const parts = /** @type {any[]} */ ([]);
    let at = from;
    for (const sentence of lacking) {
      const [start, end] = [Math.max(sentence.at.start, at), Math.min(sentence.at.end, to)];
      if (start >= end) continue;
      parts.push(...between(at, start), node("span", "unsupported", { title: texts.unsupportedSentence }, ...between(start, end)));
      at = end;
    }
    return [...parts, ...between(at, to)];
  };
  const ofRow = ({ from }) => (rows.has(from) ? { class: "unsupported-row", part: "unsupported-row", title: texts.unsupportedRow } : {});
  return answeredBy === "llm" ? markdownNodes(answer, leaf, texts, { solid: inOrder.map(({ at }) => at), ofRow }) : leaf(0, answer.length);
}

/**
 * Returns what nothing supports: `sentences`, and `rows` of tables by their start. Table headers claim nothing.
 *
 * @param {any} answered as `answerText` takes it
 */
export function unsupported({ answer, answeredBy, grounding = [] }) {
  const lacking = grounding.filter(({ supported }) => !supported);
  if (answeredBy !== "llm" || lacking.length === 0) return { sentences: lacking, rows: new Set() };
  const meets = ({ from, to }) => ({ at }) => at.start < to && at.end > from;
  const beginsIn = ({ at }) => ({ from, to }) => at.start >= from && at.start < to;
  const tables = placesOf("table", blocksOf(answer));
  const rows = tables.flatMap(({ rows: [, ...body] }) => body).filter((row) => lacking.some(meets(row)));
  return { sentences: lacking.filter((one) => !tables.some(beginsIn(one))), rows: new Set(rows.map(({ from }) => from)) };
}

/** Renumbers the cited passages in order of their first citation. @returns {Map<number, number>} */
export function numbersOf(citations) {
  const inOrder = [...citations].sort((a, b) => a.at.start - b.at.start);
  return new Map([...new Set(inOrder.map(({ number }) => number))].map((number, at) => [number, at + 1]));
}

/** Returns whether a source was found for a sentence of a model that did not name it. A rule that quotes names its own. */
const wasFound = ({ answeredBy, citation }) => answeredBy === "llm" && citation.by === "grounding";

/** Returns the number of citations of an answer that its model did not give. */
export const countFound = ({ answeredBy, citations = [] }) => citations.filter((citation) => wasFound({ answeredBy, citation })).length;

/** Returns an item for each cited passage, in the order of their numbers. @param {any[]} citations @param {Shown} shown */
export function sourceList(citations, { texts, open }) {
  const numbers = numbersOf(citations);
  const cited = new Map(citations.map((citation) => [numbers.get(citation.number), citation]));
  return [...numbers.values()].map((number) => {
    const citation = cited.get(number);
    const label = node("span", "number", {}, texts.citation(number));
    return node("li", "source", {}, node("button", "link", { type: "button", click: () => open(placeOf(citation), { citation }) }, label, " ", node("span", null, {}, sourceOf(citation, texts))));
  });
}

/** Returns the number of a source, which opens it. @param {any} citation @param {Map<number, number>} numbers @param {Shown} shown */
export function citationButton(citation, numbers, { texts, open }, isFound = false) {
  const number = numbers.get(citation.number);
  const source = isFound ? texts.foundSource(sourceOf(citation, texts)) : sourceOf(citation, texts);
  const click = () => open(placeOf(citation), { citation });
  return node("button", isFound ? "cite sourced" : "cite", { type: "button", class: isFound ? "cite sourced" : "cite", title: source, "aria-label": texts.source(number, source), click }, texts.citation(number));
}
