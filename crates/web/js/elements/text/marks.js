// The highlights of a text: a passage, and the quoted words within it. Spans count UTF-16 code units, like `slice`.

import { node, printable } from "../nodes.js";

/** @typedef {{ start: number, end: number }} Span */

/**
 * Returns a function that gives the nodes of a range of the text, highlighted where the range is within the spans.
 *
 * @param {string} text
 * @param {Span | null} [span]
 * @param {Span | null} [quote]
 * @returns {import("./blocks.js").Leaf}
 */
export function marker(text, span, quote) {
  const plain = (from, to) => (from < to ? [printable(text.slice(from, to))] : []);
  const within = (part, place, inside, outside) => (from, to) => {
    const [start, end] = [Math.max(from, place.start), Math.min(to, place.end)];
    // Space alone is not highlighted: it would be a coloured sliver on an empty line.
    if (start >= end || !text.slice(start, end).trim()) return outside(from, to);
    return [...outside(from, start), mark(part, ...inside(start, end)), ...outside(end, to)];
  };
  const quoted = quote ? within("quoted", quote, plain, plain) : plain;
  const isOutside = span && quote && (quote.start < span.start || quote.end > span.end);
  return span ? within("", span, quoted, isOutside ? quoted : plain) : quoted;
}

/** Returns a highlight; `quoted` is the part of a stronger one. */
export const mark = (part, ...children) => node("mark", `mark ${part}`.trim(), { class: part || null }, ...children);

/** Returns a function that highlights places as quoted, in their order. @param {string} text @param {Span[]} spans @returns {import("./blocks.js").Leaf} */
export const marking = (text, spans) => (from, to) => {
  const nodes = /** @type {any[]} */ ([]);
  let at = from;
  for (const { start, end } of spans) {
    const [begin, stop] = [Math.max(start, at), Math.min(end, to)];
    if (begin >= stop) continue;
    nodes.push(printable(text.slice(at, begin)), mark("quoted", printable(text.slice(begin, stop))));
    at = stop;
  }
  return [...nodes, printable(text.slice(at, to))];
};
