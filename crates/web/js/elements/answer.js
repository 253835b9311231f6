// The nodes of an answer: its text with citations to click, quotations as cards, the nearest passages where there is no answer.

import { answerText, placeOf, sourceList } from "./citations.js";
import { passageOf } from "./excerpt.js";
import { node, sourceOf } from "./nodes.js";
import { quoteCards } from "./quotes.js";

/** @typedef {{ texts: any, open(place: any, about: any): void, ask(question: string): void, reply(text: string): void }} Page */

/**
 * Returns the nodes of a run's answer.
 * @param {any} result the result of a run
 * @param {import("./quotes.js").Quote[] | null} quotes what `quotesOf` returned for it
 * @param {string} question
 * @param {Page} page
 * @returns {Node[]}
 */
export function answerOf(result, quotes, question, page) {
  if (result.error) return []; // shown as an error
  if (result.terminatedBy === "clarify") return clarification(result, page);
  if (result.answer === null || result.abstained) return abstention(result, question, page);
  const { texts } = page;
  const isQuoted = result.answeredBy === "rule";
  const failure = isQuoted ? result.failures?.find(({ code }) => code.startsWith("llm_")) : undefined;
  return [
    ...(failure ? [node("p", "note", {}, texts.quotedInstead(failure.message))] : []),
    node("h2", "heading", {}, isQuoted ? texts.quotes : texts.answer),
    ...(quotes ? [node("div", "quotes", {}, ...quoteCards(quotes, result.citations, page))] : [textOf(answerText(result, page)), ...sources(result, page)]),
  ];
}

/** Returns the frame of an answer's text. */
export const textOf = (children = /** @type {(string | Node)[]} */ ([])) => node("div", "text", { class: "text prose" }, ...children);

/** The sources of a written answer, each once. */
function sources({ citations }, page) {
  return citations.length === 0 ? [] : [node("h3", "heading", {}, page.texts.sources), node("ol", "sources", {}, ...sourceList(citations, page))];
}

/** Says that there is no answer, and lists the nearest passages. */
function abstention({ contextUsed, didYouMean, withheld = [], results = [] }, question, page) {
  const { texts, open, ask } = page;
  const found = contextUsed.length > 0 ? contextUsed : results.flatMap(({ chunks }) => chunks);
  const near = [...new Map([...found, ...withheld].map((hit) => [hit.id, hit])).values()].slice(0, 3);
  const passages = near.map((hit) =>
    node("li", "passage", {},
      node("button", "link", { type: "button", click: () => open(placeOf(hit), { hit }) }, sourceOf(hit, texts)),
      node("div", "words", { class: "words prose excerpt" }, ...passageOf(hit, question, texts))));
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
