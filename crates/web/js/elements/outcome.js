// What the element that asks shows around an answer: its heading, why there is none, the nearest passages, and questions back.

import { node } from "./nodes.js";

/** @typedef {{ texts: any, ask(question: string): void, reply(text: string): void }} Page */

/**
 * Returns the nodes of a run's outcome.
 * @param {any} result the result of a run
 * @param {{ answer: HTMLElement, hits: any }} within the elements that show its answer, and the nearest passages
 * @param {string} question
 * @param {Page} page
 * @returns {Node[]}
 */
export function outcomeOf(result, within, question, page) {
  if (result.error) return []; // shown as an error
  if (result.terminatedBy === "clarify") return clarification(result, page);
  if (result.answer === null || result.abstained) return abstention(result, within.hits, question, page);
  const { texts } = page;
  const isQuoted = result.answeredBy === "rule";
  const failure = isQuoted ? result.failures?.find(({ code }) => code.startsWith("llm_")) : undefined;
  return [
    ...(failure ? [node("p", "note", {}, texts.quotedInstead(failure.message))] : []),
    node("h2", "heading", {}, isQuoted ? texts.quotes : texts.answer),
    within.answer,
  ];
}

/** Says that there is no answer, and lists the nearest passages, with the sentence emphasised that comes nearest. */
function abstention({ contextUsed, didYouMean, nearest, withheld = [], results = [] }, hits, question, { texts, ask }) {
  const found = contextUsed.length > 0 ? contextUsed : results.flatMap(({ chunks }) => chunks);
  const near = nearest && contextUsed[nearest.number - 1];
  const all = [...new Map([...found, ...withheld].map((hit) => [hit.id, hit])).values()];
  const isNear = ({ id }) => id === near?.id;
  const isLower = all.findIndex(isNear) >= NEAREST;
  hits.query = question;
  hits.describe = (hit) => (isNear(hit) ? { near: nearest.span } : {});
  hits.hits = isLower ? [...all.slice(0, NEAREST - 1), near] : all.slice(0, NEAREST);
  return [
    node("h2", "heading", {}, texts.abstained),
    ...(didYouMean ? [node("p", "note", {}, node("button", "link", { type: "button", click: () => ask(didYouMean) }, texts.didYouMean(didYouMean)))] : []),
    ...(hits.hits.length > 0 ? [node("h3", "heading", {}, texts.nearest), hits] : []),
  ];
}

/** The most passages that are listed where there is no answer. */
const NEAREST = 3;

/** A question back, with replies to choose; the field takes any other. */
function clarification({ clarification: { question, options } }, { reply }) {
  const choices = options.map(({ label }) => node("button", "button", { type: "button", click: () => reply(label) }, label));
  return [node("h2", "heading", {}, question), node("div", "choices", {}, ...choices)];
}
