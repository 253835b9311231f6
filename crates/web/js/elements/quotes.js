// An answer without a model as cards: each quotation with its source and what surrounds it, formatted as in its document.

import { citationButton, numbersOf } from "./citations.js";
import { node, sourceOf } from "./nodes.js";
import { blocksIn, clipNodes, clipped } from "./text/clip.js";
import { marking } from "./text/marks.js";

/** Quotations below one heading of a document that are at most so many letters apart share a card. */
const TOGETHER = 240;

/** @typedef {{ citations: any[], spans: { start: number, end: number }[], text: string, clip: any }} Quote what a card shows: `spans` are places in `text`, and `clip` is the part of it to show */

/**
 * Returns what the cards show, or null if the answer is not made of quotations alone. The text of a card is the document or, if that was replaced or removed
 * since, the passage as it was found.
 *
 * @param {any} result of a run, or null
 * @param {(place: { collection: string, docId: string }) => Promise<{ text: string, metadata?: Record<string, any> } | null>} documentAt returns null for a document that is gone
 * @param {Map<string, any>} [kept] the passages as they were found, by id. Default: those of the result
 * @returns {Promise<Quote[] | null>}
 */
export async function quotesOf(result, documentAt, kept = new Map((result?.contextUsed ?? []).map((hit) => [hit.id, hit]))) {
  const { answeredBy, answer, citations = [], output } = result ?? {};
  if (answeredBy !== "rule" || !answer || output?.rows.length > 0 || citations.length === 0 || citations.some(({ quote }) => !quote)) return null;
  /** @type {{ key: string, from: number, to: number, citations: any[] }[]} */
  const groups = /** @type {any[]} */ ([]);
  for (const citation of [...citations].sort((a, b) => a.at.start - b.at.start)) {
    const place = JSON.stringify([citation.collection, citation.docId, citation.headings]);
    const near = groups.find(({ key, from, to }) => key === place && citation.quote.start <= to + TOGETHER && citation.quote.end >= from - TOGETHER);
    if (near) {
      near.citations.push(citation);
      [near.from, near.to] = [Math.min(near.from, citation.quote.start), Math.max(near.to, citation.quote.end)];
    } else groups.push({ key: place, from: citation.quote.start, to: citation.quote.end, citations: [citation] });
  }
  const quotes = await Promise.all(groups.map((group) => quoteOf(group.citations, documentAt, kept)));
  const whole = quotes.filter((quote) => quote !== null);
  return whole.length < quotes.length || !isSaidBy(answer, citations, whole) ? null : whole;
}

/** Returns one card's content, or null if neither the document nor the passage has the place. */
async function quoteOf(citations, documentAt, kept) {
  const [{ chunkId, collection, docId, headings }] = citations;
  const passage = kept.get(chunkId);
  const document = await documentAt({ collection, docId });
  const isSame = document && (!passage || document.text.slice(passage.span.start, passage.span.end) === passage.text);
  const [text, offset] = isSame ? [document.text, 0] : [passage?.text ?? "", passage?.span.start ?? 0];
  const spans = citations.map(({ quote }) => ({ start: quote.start - offset, end: quote.end - offset })).sort((a, b) => a.start - b.start);
  if (spans.some(({ start, end }) => start < 0 || end > text.length)) return null;
  const all = { start: spans[0].start, end: Math.max(...spans.map(({ end }) => end)) };
  return { citations, spans, text, clip: clipped(text, blocksIn(text, passage?.metadata ?? document?.metadata), all, headings) };
}

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Returns whether every word of the answer is in its cards: an answer that says more, such as a sum, is shown as it is. */
function isSaidBy(answer, citations, quotes) {
  const inOrder = [...citations].sort((a, b) => a.at.start - b.at.start);
  let said = "";
  let at = 0;
  for (const citation of inOrder) {
    said += ` ${answer.slice(at, citation.at.start)}`;
    at = citation.at.end;
  }
  // A heading that was quoted is among the names of the source.
  const shown = new Set(quotes.flatMap((quote) => wordsOf(`${cardText(quote)} ${(quote.citations[0].headings ?? []).join(" ")}`)));
  return wordsOf(said + answer.slice(at)).every((word) => shown.has(word));
}

/** The text of a card with its context, such as the header of the table that a row is from. */
function cardText({ text, clip }) {
  const shown = clip.blocks.flatMap(({ kind, from, to, rows }) => (kind === "table" ? rows.filter(Boolean) : [{ from, to }])); // a table may have no header
  return shown.map(({ from, to }) => text.slice(from, to)).join("\n");
}

/**
 * Returns the cards.
 * @param {Quote[]} quotes
 * @param {any[]} citations all of the answer, which number the sources
 * @param {import("./citations.js").Shown} shown
 */
export function quoteCards(quotes, citations, shown) {
  const numbers = numbersOf(citations);
  const cite = (citation) => {
    const button = citationButton(citation, numbers, shown);
    button.part.add("of-quote");
    return button;
  };
  return quotes.map(({ citations: [citation], text, spans, clip }) =>
    node("figure", "quote", {},
      node("figcaption", "path", {}, cite(citation), " ", node("span", "source", {}, sourceOf(citation, shown.texts))),
      node("blockquote", "words", { class: "words prose" }, ...clipNodes(text, clip, marking(text, spans), shown.texts)),
    ));
}

/** Returns what reads documents of a source for `quotesOf`; null for one that is gone, or that cannot be read: then its passage is shown. */
export const documentsOf = (source) => async ({ collection, docId }) => {
  try {
    return (await source?.document?.(collection, docId)) ?? null;
  } catch {
    return null;
  }
};
