// The highlights of a text: a passage, and the quoted words within it. Spans count UTF-16 code units, like `slice`.

import { h } from "../dom.js";
import { printable } from "../format.js";

/**
 * Returns a function that gives the nodes of a range of the text, highlighted where the range is within the spans.
 *
 * @param {string} text
 * @param {{ start: number, end: number }} [span]
 * @param {{ start: number, end: number }} [quote]
 * @returns {(from: number, to: number) => (string | HTMLElement)[]}
 */
export function marker(text, span, quote) {
  const plain = (from, to) => (from < to ? [printable(text.slice(from, to))] : []);
  const within = (name, place, inside, outside) => (from, to) => {
    const [start, end] = [Math.max(from, place.start), Math.min(to, place.end)];
    // Space alone is not highlighted: it would be a coloured sliver on an empty line.
    if (start >= end || !text.slice(start, end).trim()) return outside(from, to);
    return [...outside(from, start), h(name, {}, ...inside(start, end)), ...outside(end, to)];
  };
  const quoted = quote ? within("mark.quote", quote, plain, plain) : plain;
  return span ? within("mark", span, quoted, plain) : plain;
}
