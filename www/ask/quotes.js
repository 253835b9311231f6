// An answer without a model as cards: each quotation with its source and what surrounds it, formatted as in its document.

import { h } from "../dom.js";
import { documentAt, keyOf, snapshotOf } from "../run-snapshot.js";
import { blocksIn, clipNodes, clipped, marking } from "./clip.js";
import { citationButton, numbersOf, sourceOf } from "./text.js";

/** Quotations below one heading of a document that are at most so many letters apart share a card. */
const TOGETHER = 240;

/**
 * Returns what the cards show, or null if the answer is not made of quotations alone: each `{ citations, spans, text, clip }`, where `spans` are
 * places in `text`, which is the document or, if that was replaced or removed since, the passage as it was found, and `clip` is the part to show.
 */
export async function quotesOf(kb, record) {
  const { answeredBy, answer, citations = [], output } = record.result ?? {};
  if (answeredBy !== "rule" || !answer || output?.rows.length > 0 || citations.length === 0 || citations.some(({ quote }) => !quote)) return null;
  const kept = snapshotOf(record);
  const groups = [];
  for (const citation of [...citations].sort((a, b) => a.at.start - b.at.start)) {
    const place = JSON.stringify([keyOf(citation), citation.headings]);
    const near = groups.find(({ key, from, to }) => key === place && citation.quote.start <= to + TOGETHER && citation.quote.end >= from - TOGETHER);
    if (near) {
      near.citations.push(citation);
      [near.from, near.to] = [Math.min(near.from, citation.quote.start), Math.max(near.to, citation.quote.end)];
    } else groups.push({ key: place, from: citation.quote.start, to: citation.quote.end, citations: [citation] });
  }
  const quotes = await Promise.all(groups.map((group) => quoteOf(kb, group.citations, kept)));
  return quotes.includes(null) || !isSaidBy(answer, citations, quotes) ? null : quotes;
}

/** Returns one card's content, or null if neither the document nor the passage has the place. */
async function quoteOf(kb, citations, kept) {
  const [{ chunkId, collection, docId }] = citations;
  const passage = kept.get(chunkId);
  const document = await documentAt(kb, { collection, docId });
  const isSame = document && (!passage || document.text.slice(passage.span.start, passage.span.end) === passage.text);
  const [text, offset] = isSame ? [document.text, 0] : [passage?.text ?? "", passage?.span.start ?? 0];
  const spans = citations.map(({ quote }) => ({ start: quote.start - offset, end: quote.end - offset })).sort((a, b) => a.start - b.start);
  if (spans.some(({ start, end }) => start < 0 || end > text.length)) return null;
  const all = { start: spans[0].start, end: Math.max(...spans.map(({ end }) => end)) };
  return { citations, spans, text, clip: clipped(text, blocksIn(text), all, citations[0].headings) };
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
  const shown = new Set(quotes.flatMap((quote) => wordsOf(`${cardText(quote)} ${quote.citations[0].headings.join(" ")}`)));
  return wordsOf(said + answer.slice(at)).every((word) => shown.has(word));
}

/** The text of a card with its context, such as the header of the table that a row is from. */
function cardText({ text, clip }) {
  const shown = clip.blocks.flatMap(({ kind, from, to, rows }) => (kind === "table" ? rows : [{ from, to }]));
  return shown.map(({ from, to }) => text.slice(from, to)).join("\n");
}

/** @param citations all of the answer, which number the sources */
export function quoteCards(quotes, citations, open) {
  const numbers = numbersOf(citations);
  return quotes.map((quote) => {
    const [citation] = quote.citations;
    return h("figure.quote", {},
      h("figcaption", {}, citationButton(citation, numbers, open, false), h("span.source", {}, sourceOf(citation))),
      h("div.quote-text", {}, ...clipNodes(quote.text, quote.clip, marking(quote.text, quote.spans, "mark.quoted"))),
    );
  });
}
