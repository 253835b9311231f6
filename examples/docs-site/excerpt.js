// Excerpts of passages, with the words of a query marked.

/** Letters of an excerpt. */
const LENGTH = 220;

const letters = /[\p{L}\p{N}]+/gu;

/** Returns an expression that finds words that begin like those of a query, without their English ending; null for a query without words. */
function wordsOf(query) {
  const words = (query.match(letters) ?? []).filter((word) => word.length > 1);
  const stems = words.map((word) => (word.length > 5 ? word.replace(/(ing|ed|es|s)$/i, "") : word));
  return stems.length > 0 ? new RegExp(`(?<![\\p{L}\\p{N}])(?:${stems.join("|")})[\\p{L}\\p{N}]*`, "giu") : null;
}

/** Returns a part of a text around the first words of the query, as nodes with these marked. */
export function excerpt(text, query) {
  const plain = withoutMarks(text);
  const words = wordsOf(query);
  const first = words ? plain.search(words) : -1;
  const from = first > LENGTH / 2 ? plain.lastIndexOf(" ", first - LENGTH / 4) + 1 : 0;
  const end = plain.length > from + LENGTH ? plain.lastIndexOf(" ", from + LENGTH) : plain.length;
  const shown = (from > 0 ? "… " : "") + plain.slice(from, end) + (end < plain.length ? " …" : "");
  return words ? marked(shown, words) : [shown];
}

/** Returns Markdown as one line without its marks. */
const withoutMarks = (text) =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^#+ |[`|*]|-{3,}|^\s*[-+] /gm, " ")
    .replace(/\s+/g, " ")
    .trim();

function marked(text, words) {
  const nodes = [];
  let at = 0;
  for (const { 0: word, index } of text.matchAll(words)) {
    const mark = document.createElement("mark");
    mark.textContent = word;
    nodes.push(text.slice(at, index), mark);
    at = index + word.length;
  }
  return [...nodes, text.slice(at)];
}
