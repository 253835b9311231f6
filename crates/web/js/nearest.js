// Finds the probably intended name for error messages: a common alternative name, or a typo.

/** Alternative names of one thing: if one of them is known, the others refer to it. */
const SYNONYMS = [
  "limit topk k n size count max top maxresults numresults results",
  "topk limit k n size count top maxresults numresults",
  "filters filter where conditions",
  "collections collection index namespace",
  "collection collections index namespace",
  "threshold minscore scorethreshold similarity cutoff",
  "documents ids docids document",
  "text content body pagecontent",
  "id key docid documentid path filename",
  "bytes buffer arraybuffer blob file data",
  "metadata meta attributes properties fields",
  "mode type searchtype",
  "vector semantic embedding embeddings dense",
  "keyword fulltext bm25 lexical sparse",
  "hybrid mixed both",
  "pooling pool poolingmode poolingstrategy",
  "cls first",
  "markdown md mdx commonmark",
  "text txt plain plaintext",
  "html htm xhtml",
  "lasttoken last",
  "llmcalls calls maxcalls maxllmcalls modelcalls",
  "typos fuzzy fuzziness",
  "signal abort abortsignal controller abortcontroller",
  "onprogress progress progresscallback",
  "maxiterations maxsteps maxturns iterations steps",
  "maxtokens maxlength tokens maxcompletiontokens",
  "chunktokens chunksize",
  "chunkoverlap overlap",
  "execute run handler func function call",
].map((group) => group.split(" "));

/** Returns the known name that `name` probably means, or undefined. */
export function nearest(name, known) {
  const plain = (text) => text.toLowerCase().replace(/[-_ ]/g, "");
  const own = plain(name);
  const same = known.find((one) => plain(one) === own);
  if (same) return same;
  const group = SYNONYMS.find(([right, ...others]) => others.includes(own) && known.some((one) => plain(one) === right));
  if (group) return known.find((one) => plain(one) === group[0]);
  // One edit per three letters, or for two, and at most two: more would match other words.
  const allowed = own.length === 2 ? 1 : Math.min(2, Math.floor(own.length / 3));
  const near = known.map((other) => ({ other, distance: distance(own, plain(other)) })).filter((one) => one.distance <= allowed);
  return near.sort((a, b) => a.distance - b.distance)[0]?.other;
}

/** The distance in letters inserted, removed, changed, or swapped with their neighbour (optimal string alignment). */
function distance(a, b) {
  let before = /** @type {number[]} */ ([]);
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const swapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j] ? before[j - 1] + 1 : Infinity;
      next.push(Math.min(row[j] + (a[i] === b[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1, swapped));
    }
    [before, row] = [row, next];
  }
  return row[b.length];
}
