// Excerpts of passages around the words of a query, with these words marked.

import { node } from "./nodes.js";

/** Letters of an excerpt. */
const LENGTH = 180;
const WORD = /[\p{L}\p{N}_]+/gu;
/** Letters of a word that a form of it in the text must share, if the word is longer. */
const STEM = 5;

/** Returns an expression for words that begin like those of the query, or null for a query without words. */
function patternOf(query) {
  const words = (query.match(WORD) ?? []).filter((word) => word.length > 1 || query.length < 3);
  const stems = [...new Set(words.map((word) => word.toLowerCase().slice(0, Math.max(STEM, word.length - 2))))];
  return stems.length === 0 ? null : new RegExp(`(?<![\\p{L}\\p{N}_])(?:${stems.join("|")})[\\p{L}\\p{N}_]*`, "giu");
}

/** Returns a text without its leading headings, which the path shows, and with its line breaks as spaces. */
function bodyOf({ text, headings = [] }) {
  let rest = text.trimStart();
  for (const heading of headings) {
    const bare = rest.replace(/^#+\s*/, "");
    if (bare.startsWith(heading)) rest = bare.slice(heading.length).trimStart();
  }
  return (rest || text).replace(/\s+/g, " ").trim();
}

/** Returns where an excerpt begins: at the place with the most matches within its length. */
function startOf(text, places) {
  const counted = places.map((at) => ({ at, count: places.filter((other) => other >= at && other < at + LENGTH).length }));
  const best = counted.reduce((most, one) => (one.count > most.count ? one : most), { at: 0, count: 0 }).at;
  if (text.length <= LENGTH || best < LENGTH / 3) return 0;
  return text.lastIndexOf(" ", best - LENGTH / 6) + 1;
}

/** @returns {(Node | string)[]} the nodes of an excerpt of a hit */
export function excerptOf(hit, query) {
  const text = bodyOf(hit);
  const pattern = patternOf(query);
  const places = pattern ? [...text.matchAll(pattern)].map(({ index }) => index) : [];
  const from = startOf(text, places);
  const cut = text.length > from + LENGTH ? text.lastIndexOf(" ", from + LENGTH) : text.length;
  const end = cut > from ? cut : from + LENGTH; // a text without spaces is cut anywhere
  return marked(`${from > 0 ? "… " : ""}${text.slice(from, end)}${end < text.length ? " …" : ""}`, pattern);
}

/** @returns {(Node | string)[]} */
export function markedOf(text, query) {
  return marked(text, patternOf(query));
}

/** @returns {(Node | string)[]} */
function marked(text, pattern) {
  if (!pattern) return [text];
  const nodes = [];
  let at = 0;
  for (const { 0: word, index } of text.matchAll(pattern)) {
    nodes.push(text.slice(at, index), node("mark", "mark", {}, word));
    at = index + word.length;
  }
  return [...nodes, text.slice(at)];
}
