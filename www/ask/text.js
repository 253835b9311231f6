// An answer's text, with clickable citations, and with unsupported sentences marked. A model's text is Markdown;
// quotations are shown as in their document.

import { h, pageOf, pathOf } from "../dom.js";
import { printable } from "../format.js";
import { blocksOf, placesOf } from "./markdown.js";
import { markdownNodes } from "./markdown-nodes.js";
import { t } from "../words.js";

/** @param answered `{ answer, answeredBy?, citations, grounding? }`: a result, or a turn of a conversation */
export function answerText({ answer, answeredBy, citations = [], grounding = [] }, open) {
  const { sentences: lacking, rows } = unsupported({ answer, answeredBy, grounding });
  const numbers = numbersOf(citations);
  const between = (from, to) => {
    const parts = [];
    let at = from;
    for (const citation of citations.filter((one) => one.at.start >= from && one.at.end <= to)) {
      parts.push(printable(answer.slice(at, citation.at.start)), citationButton(citation, numbers, open, wasFound({ answeredBy, citation })));
      at = citation.at.end;
    }
    return [...parts, printable(answer.slice(at, to))];
  };
  const leaf = (from, to) => {
    const parts = [];
    let at = from;
    for (const sentence of lacking) {
      const [start, end] = [Math.max(sentence.at.start, at), Math.min(sentence.at.end, to)];
      if (start >= end) continue;
      parts.push(...between(at, start), h("span.unsupported", { title: SENTENCE_NOT_SUPPORTED }, ...between(start, end)));
      at = end;
    }
    return [...parts, ...between(at, to)];
  };
  const ofRow = ({ from }) => (rows.has(from) ? { className: "unsupported-row", title: ROW_NOT_SUPPORTED } : {});
  return answeredBy === "llm" ? markdownNodes(answer, leaf, citations.map(({ at }) => at), ofRow) : leaf(0, answer.length);
}

/** The most rows that the text of an answer lists. */
const LISTED = 50;

/**
 * Returns what the text of an answer by rule says beside the rows that its table shows, such as a sum, as a result. A list of something else than the
 * rows, such as groups, stays.
 */
export function besideTable(result) {
  const { output, answer, citations = [], grounding = [] } = result;
  const isItem = (line) => line.startsWith("- ");
  const lines = answer.split("\n");
  const first = lines.findIndex(isItem);
  if (first < 0 || lines.filter(isItem).length !== Math.min(output.rows.length, LISTED)) return result;
  const before = lines.slice(0, first).join("\n");
  const after = lines.slice(first).filter((line) => !isItem(line) && !/^and \d+ more$/.test(line));
  const isBefore = ({ at }) => at.end <= before.length;
  return { ...result, answer: [before, ...after].filter(Boolean).join("\n"), citations: citations.filter(isBefore), grounding: grounding.filter(isBefore) };
}

const SENTENCE_NOT_SUPPORTED = t("No passage that was found supports this sentence");
const ROW_NOT_SUPPORTED = t("No passage that was found supports this row");

/**
 * Returns what nothing supports: `sentences`, and `rows` of tables by their start. Table headers claim nothing.
 *
 * @param answered as `answerText` takes it
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

/** Renumbers the cited passages in order of their first citation. */
export function numbersOf(citations) {
  const inOrder = [...citations].sort((a, b) => a.at.start - b.at.start);
  return new Map([...new Set(inOrder.map(({ number }) => number))].map((number, at) => [number, at + 1]));
}

/** Returns whether a source was found for a sentence of a model that did not name it. A rule that quotes names its own. */
const wasFound = ({ answeredBy, citation }) => answeredBy === "llm" && citation.by === "grounding";

/** Returns the number of citations of an answer that its model did not give. */
export const countFound = ({ answeredBy, citations = [] }) => citations.filter((citation) => wasFound({ answeredBy, citation })).length;

const NOT_NAMED = t("found by comparing words; the model did not name it");

export const sourceOf = (citation) => [...pathOf(citation), ...pageOf(citation)].join(" › ");

/** Returns each cited passage once, in the order of their numbers. */
export function sourceList(citations, open) {
  const numbers = numbersOf(citations);
  const cited = new Map(citations.map((citation) => [numbers.get(citation.number), citation]));
  return [...numbers.values()].map((number) => {
    const citation = cited.get(number);
    return h("li", {}, h("button", { type: "button", onclick: () => open(citation) }, h("span.number", {}, String(number)), h("span", {}, sourceOf(citation))));
  });
}

/** The number of a source, which opens it. */
export function citationButton(citation, numbers, open, isFound) {
  const number = String(numbers.get(citation.number));
  const source = isFound ? `${sourceOf(citation)} (${NOT_NAMED})` : sourceOf(citation);
  return h(isFound ? "button.cite.sourced" : "button.cite", { type: "button", title: source, ariaLabel: t`Source ${number}: ${source}`, onclick: () => open(citation) }, number);
}
