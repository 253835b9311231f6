// The section of the page about bytes and recall of libraries in parts, which are measured outside a browser.

import { number, table } from "../format.mjs";

const kilobytes = (bytes) => `${(bytes / 1e3).toFixed(bytes < 9950 ? 1 : 0)} kB`;

export function librariesInParts(results) {
  const all = Object.values(results ?? {}).sort((one, other) => one.passages - other.passages);
  if (all.length === 0) return null;
  return `## Libraries in parts

Written by \`cargo xtask bench parts\`: bytes that a host sends, the manifest included, beside the module and the model. A *first* question is asked
of a library that was just opened, a *second* one after it. Questions are those of the labelled set, in random order. \`Range\`: a host that sends the bytes asked for; whole parts:
one that ignores \`Range\`, of which parts that came once are kept. Enlarged sets are altered copies of the passages (one word in six exchanged), with made
vectors of 384 dimensions that have the structure of embeddings, as in the section on vectors.

${all.map(one).join("\n\n")}`;
}

function one({ name, documents, passages, parts, bytes, manifest, seconds, indexed, memory, cells, probes, questions, sections, sessions, recall, curve, quality }) {
  const after = indexed ? `, after ${indexed.toFixed(0)} s of indexing` : "";
  const most = memory ? `, with ${(memory / 1e9).toFixed(1)} GB of memory at most` : "";
  const sent = ({ median, p90, requests }) => [kilobytes(median), kilobytes(p90), requests];
  return `### ${name}

${documents} documents, ${passages} passages; ${parts} parts of ${kilobytes(bytes / Math.max(1, parts))} on average, ${(bytes / 1e6).toFixed(1)} MB in all, a manifest of ${kilobytes(manifest)}; written in ${seconds.toFixed(0)} s${after}${most}.
${cells} cells, of which ${probes} are read; ${questions} questions.

${table(["section", ...Object.keys(sections)], [["bytes", ...Object.values(sections).map(kilobytes)]])}

${table(
    ["question", "first: median", "P90", "requests", "second: median", "P90", "requests", "of all in a session: median"],
    sessions.map(({ mode, range, first, second, all }) => [`${mode}, ${range ? "`Range`" : "whole parts"}`, ...sent(first), ...sent(second), kilobytes(all.median)]),
  )}

Recall@10 of the vector arm against an exact scan: **${recall.toFixed(3)}**. By the number of cells read, with the median bytes of a later question:

${table(
    ["cells", ...curve.map(({ cells }) => cells)],
    [["recall@10", ...curve.map(({ recall }) => recall.toFixed(3))], ["bytes", ...curve.map(({ bytes }) => kilobytes(bytes))]],
  )}

${table(
    ["nDCG@10", "in parts", "in memory", "same hits"],
    quality.map(({ name, parts, memory, same }) => [name, parts.toFixed(3), memory.toFixed(3), `${(same * 100).toFixed(1)} %`]),
  )}`;
}
