// The section of the page about a library in parts on a static host, against Pagefind.

import { bytes, number, table } from "../format.mjs";

const NAMES = {
  pagefind: "Pagefind",
  "keywords, by range": "words",
  "keywords, whole parts": "words, from a host without `Range`",
  "hybrid, by range": "words and meaning",
  "hybrid, whole parts": "words and meaning, from a host without `Range`",
};

export function againstPagefind(result) {
  if (!result) return null;
  const { passages, questions, shown, results } = result;
  const rows = (kind) =>
    Object.entries(results[kind]).map(([name, { first, later, ndcg, answered }]) => [
      NAMES[name],
      bytes(first.bytes - (first.parts.models ?? 0)),
      number(first.requests),
      bytes(later.bytes),
      bytes(later.p90),
      ndcg.toFixed(3),
      `${answered} of ${questions}`,
    ]);
  const head = ["search", "first hits", "requests", "later hits", "P90", "nDCG@10", "answered"];
  return `## A static host: first hits in bytes

${number(passages)} passages on a static host, searched by a page in headless Chromium: a [library in parts](parts.md) against Pagefind over the same passages. Counted is all that the host sends,
without headers: scripts and wasm modules compressed with brotli, the page, the index, and the texts of ${shown} hits. "First hits" is the median of ${number(9)} questions,
each on a new page with empty caches; "later hits" that of 40 questions on one page. The model of a search by meaning, which is fetched once, is not counted.
Two words of each question, as one types into a search box:

${table(head, rows("words"))}

Whole questions:

${table(head, rows("questions"))}`;
}
