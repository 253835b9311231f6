// A part of a document as Markdown, with something in it emphasised: whole blocks as they are formatted, of long ones the part around it.

import { nodeOf } from "./blocks.js";
import { isCode } from "./kinds.js";
import { blocksOf } from "./markdown.js";

/** Letters of context before and after a place within a paragraph, about two lines. */
const AROUND = 160;
/** The number of lines, rows or items up to which a block is shown as a whole, and how many are shown around a place in a longer one. */
const WHOLE = { code: 14, table: 5, list: 7 };
const NEAR = { code: 3, table: 1, list: 1 };
/** Letters of the longest line that may be a heading. */
const LONGEST_TITLE = 80;
/** Longer texts are not parsed: they are shown as they are. */
const LONGEST = 400_000;
/** A paragraph whose lines are at least this long was wrapped by a program: its line ends mean nothing. */
const WRAPPED = 55;

/** Returns the blocks of a document, or of a part of it. @param {string} text @param {Record<string, any> | null} [metadata] */
export function blocksIn(text, metadata) {
  const whole = { from: 0, to: text.length };
  if (text.length > LONGEST) return [{ kind: "paragraph", ...whole, parts: [{ kind: "text", ...whole }] }];
  return isCode(metadata) ? [{ kind: "code", ...whole, lines: linesOf(text) }] : blocksOf(text, [], { isPart: true });
}

function linesOf(text) {
  let at = 0;
  return text.split("\n").map((line) => {
    const from = at;
    at += line.length + 1;
    return { from, to: from + line.length };
  });
}

const meets = ({ from, to }, span) => from < span.end && to > span.start;

/** A short line without a mark at its end: a heading of a text that was HTML, whose headings are lines as all others. */
const isTitle = (text) => text.length <= LONGEST_TITLE && /^[^\n]*[\p{L}\p{N}]$/u.test(text);

const sameWords = (a, b) => a.trim().toLowerCase() === b.trim().toLowerCase();

/**
 * Returns the blocks that contain `span`, without what is far from it in long ones, with a little of the blocks before and after: `{ blocks, from, to }`,
 * where `from` and `to` bound the letters that are shown.
 *
 * @param headings those above the place, which are no context: the source names them
 */
export function clipped(text, all, span, headings = []) {
  let first = all.findIndex((block) => meets(block, span));
  if (first < 0) return { blocks: [], from: span.start, to: span.end };
  let last = first;
  while (last + 1 < all.length && meets(all[last + 1], span)) last += 1;
  while (first < last && all[first].kind === "heading") first += 1;
  const page = pageOf(text, span);
  const from = Math.max(page.from, before(text, all[first], span.start));
  const to = Math.min(page.to, after(text, all[last], span.end));
  const blocks = all.slice(first, last + 1).map((block) => shortened(block, span));
  const [previous, next] = [all[first - 1], all[last + 1]];
  const [isFirst, isLast] = [span.start - all[first].from < AROUND / 4, to === all[last].to && to - span.end < AROUND];
  const isNamed = previous && headings.some((heading) => sameWords(heading, text.slice(previous.from, previous.to)));
  const showsPrevious = isFirst && previous?.kind === "paragraph" && previous.to > page.from && !isNamed;
  const isAnnounced = /[:：]\s*$/.test(text.slice(span.start, span.end));
  const isOfNext = all[last + 2]?.from < page.to && next.kind === "paragraph" && !isAnnounced && isTitle(text.slice(next.from, next.to).trim());
  const showsNext = isLast && next && !["heading", "rule"].includes(next.kind) && !isOfNext && next.from < page.to;
  return {
    blocks: [...(showsPrevious ? [previous] : []), ...blocks, ...(showsNext ? [shortened(next, { start: next.from, end: next.from + 1 })] : [])],
    from: showsPrevious ? Math.max(page.from, before(text, previous, previous.to)) : from,
    to: showsNext ? Math.min(page.to, next.kind === "paragraph" ? after(text, next, next.from) : next.to) : to,
  };
}

/** The page of a place: what is on the pages before and after is not its context. */
function pageOf(text, { start, end }) {
  const to = text.indexOf("\f", end);
  return { from: text.lastIndexOf("\f", start) + 1, to: to < 0 ? text.length : to };
}

/** Where to begin in a block: at its start, or at a word some letters before a place. */
function before(text, { kind, from }, place) {
  if (kind !== "paragraph" || place - from <= AROUND * 1.25) return from;
  const space = text.slice(place - AROUND, place).search(/\s/);
  return space < 0 ? place - AROUND : place - AROUND + space + 1;
}

function after(text, { kind, to }, place) {
  if (kind !== "paragraph" || to - place <= AROUND * 1.25) return to;
  const rest = text.slice(place, place + AROUND);
  const space = rest.search(/\s\S*$/);
  return place + (space < 0 ? AROUND : space);
}

/** Returns a block without the lines, rows or items that are far from the place. */
function shortened(block, span) {
  const { kind, lines, rows, items } = block;
  if (kind === "code") return { ...block, ...near(lines, "code", span, (kept) => ({ lines: kept })) };
  if (kind === "table") return { ...block, ...near(rows.slice(1), "table", span, (kept) => ({ rows: [rows[0], ...kept] })) };
  if (kind !== "list") return block;
  const places = items.map((inside) => ({ from: inside[0]?.from ?? 0, to: inside.at(-1)?.to ?? 0, inside }));
  return { ...block, ...near(places, "list", span, (kept, at) => ({ items: kept.map(({ inside }) => inside), start: block.start === null ? null : block.start + at })) };
}

function near(all, kind, span, kept) {
  if (all.length <= WHOLE[kind]) return kept(all, 0);
  const first = all.findIndex((one) => meets(one, span));
  if (first < 0) return kept(all.slice(0, WHOLE[kind]), 0);
  let last = first;
  while (last + 1 < all.length && meets(all[last + 1], span)) last += 1;
  const from = Math.max(0, first - NEAR[kind]);
  return kept(all.slice(from, last + 1 + NEAR[kind]), from);
}

/**
 * Returns the nodes of clipped blocks. `emphasise(from, to)` gives the nodes of a part of the text without marks.
 *
 * @param clip as `clipped` returns it
 */
export function clipNodes(text, { blocks, from, to }, emphasise, texts) {
  const leaf = (start, end) => {
    const [begin, stop] = [Math.max(start, from), Math.min(end, to)];
    if (begin >= stop) return [];
    return [begin > start ? "… " : null, ...emphasise(begin, stop), stop < end ? " …" : null].filter((part) => part !== null);
  };
  return blocks.map((block) => {
    const node = nodeOf(block, leaf, texts);
    if (block.kind === "paragraph" && isWrapped(text.slice(block.from, block.to))) node.classList.add("wrapped");
    return node;
  });
}

function isWrapped(paragraph) {
  const lines = paragraph.split("\n");
  return lines.length > 1 && lines.slice(0, -1).every((line) => line.length >= WRAPPED);
}
