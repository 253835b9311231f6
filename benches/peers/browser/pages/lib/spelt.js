// The same words in another spelling: texts that the index has never seen, and the same tokens to a model that knows no capitals.

/** A document with the `round`-th letter after the first of every word in the other case; markup stays as it is. */
export function spelt(document, round) {
  const text = document.text.replace(/(<[^>]*>|&[^;\s]+;)|\p{L}+/gu, (found, markup) => {
    if (markup || found.length <= round) return found;
    const letter = found[round];
    const other = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
    return found.slice(0, round) + other + found.slice(round + 1);
  });
  return { ...document, text };
}
