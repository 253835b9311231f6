// The nodes of an answer: its text with citations to click, quotations as cards, the nearest passages where there is no answer.

import { node, pathOf, printable } from "./nodes.js";

/** The place of a citation in its document. */
export const placeOf = ({ collection, docId, span, quote }) => ({ collection, docId, span, ...(quote && { quote }) });

/**
 * Returns the nodes of a run's answer.
 * @param {any} result the result of a run
 * @param {{ texts: any, open(place: any, about: any): void, ask(question: string): void, reply(text: string): void }} page
 * @returns {Node[]}
 */
export function answerOf(result, page) {
  if (result.error) return []; // shown as an error
  if (result.terminatedBy === "clarify") return clarification(result, page);
  if (result.answer === null || result.abstained) return abstention(result, page);
  const { texts } = page;
  const isQuoted = result.answeredBy === "rule";
  const numbers = new Map([...new Set(result.citations.map(({ number }) => number))].map((number, at) => [number, at + 1]));
  const failure = isQuoted ? result.failures?.find(({ code }) => code.startsWith("llm_")) : undefined;
  return [
    ...(failure ? [node("p", "note", {}, texts.quotedInstead(failure.message))] : []),
    node("h2", "heading", {}, isQuoted ? texts.quotes : texts.answer),
    ...(isQuoted && result.citations.length > 0 ? [quotes(result, numbers, page)] : [text(result, numbers, page), ...sources(result, numbers, page)]),
  ];
}

/** Returns the text of the answer, with a button per citation. */
function text(result, numbers, page) {
  const nodes = [];
  let at = 0;
  for (const citation of [...result.citations].sort((a, b) => a.at.start - b.at.start)) {
    if (citation.at.start < at) continue;
    nodes.push(result.answer.slice(at, citation.at.start), cite(citation, numbers, page));
    at = citation.at.end;
  }
  return node("p", "text", {}, ...nodes, result.answer.slice(at));
}

function cite(citation, numbers, { texts, open }) {
  const number = numbers.get(citation.number);
  const name = texts.source(number, citation.title ?? citation.docId);
  return node("button", "cite", { type: "button", "aria-label": name, title: name, click: () => open(placeOf(citation), { citation }) }, `[${number}]`);
}

/** One card for each sentence that is quoted, with its source. */
function quotes(result, numbers, { texts, open }) {
  const cards = result.citations.map((citation, at, all) => {
    const before = all[at - 1]?.at.end ?? 0;
    const words = quotedBy(result, citation) ?? result.answer.slice(before, citation.at.start).trim();
    const link = node("button", "link", { type: "button", click: () => open(placeOf(citation), { citation }) }, pathOf(citation, texts).join(" › "));
    return words === "" ? null : node("li", "quote", {}, node("blockquote", "words", { class: "words" }, printable(words)), node("span", "path", {}, `[${numbers.get(citation.number)}] `, link));
  });
  return node("ol", "quotes", {}, ...cards);
}

/** Returns the words that a citation quotes, from the passage that they are in. */
function quotedBy({ contextUsed }, { number, quote }) {
  const chunk = contextUsed[number - 1];
  if (!chunk || !quote || quote.start < chunk.span.start || quote.end > chunk.span.end) return null;
  return chunk.text.slice(quote.start - chunk.span.start, quote.end - chunk.span.start).trim();
}

/** The sources of a written answer, each once. */
function sources({ citations }, numbers, { texts, open }) {
  if (citations.length === 0) return [];
  const first = [...numbers.keys()].map((number) => citations.find((one) => one.number === number));
  const items = first.map((citation) =>
    node("li", "source", {}, `[${numbers.get(citation.number)}] `, node("button", "link", { type: "button", click: () => open(placeOf(citation), { citation }) }, pathOf(citation, texts).join(" › "))));
  return [node("h3", "heading", {}, texts.sources), node("ul", "nearest", {}, ...items)];
}

/** Says that there is no answer, and lists the nearest passages. */
function abstention({ contextUsed, didYouMean, withheld = [], results = [] }, page) {
  const { texts, open, ask } = page;
  const found = contextUsed.length > 0 ? contextUsed : results.flatMap(({ chunks }) => chunks);
  const near = [...new Map([...found, ...withheld].map((hit) => [hit.id, hit])).values()].slice(0, 3);
  const passages = near.map((hit) =>
    node("li", "passage", {}, node("p", "words", {}, short(printable(hit.text))), node("button", "link", { type: "button", click: () => open(placeOf(hit), { hit }) }, pathOf(hit, texts).join(" › "))));
  return [
    node("h2", "heading", {}, texts.abstained),
    ...(didYouMean ? [node("p", "note", {}, node("button", "link", { type: "button", click: () => ask(didYouMean) }, texts.didYouMean(didYouMean)))] : []),
    ...(passages.length > 0 ? [node("h3", "heading", {}, texts.nearest), node("ul", "nearest", {}, ...passages)] : []),
  ];
}

/** A question back, with replies to choose; the field takes any other. */
function clarification({ clarification: { question, options } }, { reply }) {
  const choices = options.map(({ label }) => node("button", "button", { type: "button", click: () => reply(label) }, label));
  return [node("h2", "heading", {}, question), node("div", "choices", {}, ...choices)];
}

const SHORT = 300;
const short = (text) => (text.length > SHORT ? `${text.slice(0, text.lastIndexOf(" ", SHORT) + 1 || SHORT)}…` : text);
