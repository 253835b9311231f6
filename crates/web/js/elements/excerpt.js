// Excerpts of passages with the words of a query marked: as they are formatted, or as a line or two around these words.

import { node, printable } from "./nodes.js";
import { blocksIn, clipNodes, clipped } from "./text/clip.js";

/** Letters of a short excerpt. */
const LENGTH = 180;
const WORD = /[\p{L}\p{N}_]+/gu;
/** Letters of a word that a form of it in the text must share, if the word is longer. */
const STEM = 5;
/** Stop words: they are not marked. */
const COMMON = new Set("all and any are but can could did does for from had has have how into its many more most much not our should some than that the them then there these they this those was were what when where which who why will with would you your".split(" "));
/** Endings of short words: what else begins like them is another word, as "allow" does like "all". */
const ENDING = "(?:e?s|e?d|e(?:rs?|rn|n|m)?|ings?)?(?![\\p{L}\\p{N}_])";
const ANY_ENDING = "[\\p{L}\\p{N}_]*";

/** Returns an expression for forms of the words of a query, or null for a query without words. A query of one word may be any word; the last word may be unfinished. */
export function patternOf(query) {
  const words = query.toLowerCase().match(WORD) ?? [];
  const telling = words.length === 1 ? words : words.filter((word) => word.length > 2 && !COMMON.has(word));
  const formsOf = (word) => {
    const bare = word.replace(/(?<=...)s$/, "");
    const isUnfinished = word === words.at(-1) && /[\p{L}\p{N}_]$/u.test(query);
    const isShort = word.length < STEM && /^[\p{Script=Latin}\p{N}]+$/u.test(word);
    // Letters are doubled in some forms: "stopped".
    return isShort && !isUnfinished ? `(?:${bare}(?:${bare.at(-1)}(?=\\p{L}))?|${word})${ENDING}` : bare.slice(0, Math.max(STEM, word.length - 2)) + ANY_ENDING;
  };
  const forms = [...new Set(telling.map(formsOf))];
  return forms.length === 0 ? null : new RegExp(`(?<![\\p{L}\\p{N}_])(?:${forms.join("|")})`, "giu");
}

/** Returns the passage of a hit without its leading headings, which the path shows. */
function bodyOf({ text, headings = [] }) {
  let rest = text;
  for (const heading of headings) {
    const bare = rest.replace(/^\s*#*\s*/, "");
    // A sentence may begin with the words of its heading: the heading is a line of its own.
    if (bare.startsWith(heading) && /^[ \t#]*(\r?\n|$)/.test(bare.slice(heading.length))) rest = bare.slice(heading.length).replace(/^[ \t#]*/, "").trimStart();
  }
  return printable(rest || text);
}

/** Returns where an excerpt begins: at the place with the most matches within its length. */
function startOf(text, places) {
  const counted = places.map((at) => ({ at, count: places.filter((other) => other >= at && other < at + LENGTH).length }));
  const best = counted.reduce((most, one) => (one.count > most.count ? one : most), { at: 0, count: 0 }).at;
  if (text.length <= LENGTH || best < LENGTH / 3) return 0;
  return text.lastIndexOf(" ", best - LENGTH / 6) + 1;
}

/** @returns {(Node | string)[]} the nodes of a short excerpt of a hit, without line breaks */
export function excerptOf(hit, query) {
  const text = bodyOf(hit).replace(/\s+/g, " ").trim();
  const pattern = patternOf(query);
  const places = pattern ? [...text.matchAll(pattern)].map(({ index }) => index) : [];
  const from = startOf(text, places);
  const cut = text.length > from + LENGTH ? text.lastIndexOf(" ", from + LENGTH) : text.length;
  const end = cut > from ? cut : from + LENGTH; // a text without spaces is cut anywhere
  return marked(`${from > 0 ? "… " : ""}${text.slice(from, end)}${end < text.length ? " …" : ""}`, pattern);
}

/** Returns where a sentence of the document is in the text of a hit, whose headings may be left out; null if it is not. */
function placeIn(text, hit, { start, end }) {
  const before = hit.span.start + hit.text.length - text.length;
  return start >= before && end - before <= text.length ? { start: start - before, end: end - before } : null;
}

/**
 * Returns the blocks of a hit as they are formatted. What is cut off cannot be scrolled to: the reader shows it.
 *
 * @param {{ start: number, end: number } | null} [near] position in the document of a sentence that is emphasised. Default: none
 */
export function passageOf(hit, query, texts, near) {
  const text = bodyOf(hit);
  const pattern = patternOf(query);
  const blocks = blocksIn(text, hit.metadata);
  const at = near ? placeIn(text, hit, near) : null;
  const around = at && clipped(text, blocks, at, hit.headings);
  const clip = around && around.blocks.length > 0 ? around : { blocks, from: 0, to: text.length };
  const words = (from, to) => (from < to ? marked(text.slice(from, to), pattern) : []);
  const emphasise = (from, to) => {
    if (!at || to <= at.start || from >= at.end) return words(from, to);
    const [start, end] = [Math.max(from, at.start), Math.min(to, at.end)];
    return [...words(from, start), node("strong", "near", {}, ...words(start, end)), ...words(end, to)];
  };
  const nodes = clipNodes(text, clip, emphasise, texts);
  for (const one of nodes.flatMap((node) => [node, ...node.querySelectorAll("[tabindex]")])) one.removeAttribute("tabindex");
  return nodes;
}

/** @returns {(Node | string)[]} */
export function markedOf(text, query) {
  return marked(text, patternOf(query));
}

/** @returns {(Node | string)[]} */
function marked(text, pattern) {
  if (!pattern) return [text];
  const nodes = /** @type {any[]} */ ([]);
  let at = 0;
  for (const { 0: word, index } of text.matchAll(pattern)) {
    nodes.push(text.slice(at, index), node("mark", "mark", {}, word));
    at = index + word.length;
  }
  return [...nodes, text.slice(at)];
}
