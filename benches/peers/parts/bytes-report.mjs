// The section of the page about bytes and recall of libraries in parts, which are measured outside a browser.

import { number, table } from "../format.mjs";
import { logTicks, plot } from "../plot.mjs";

const kilobytes = (bytes) => `${(bytes / 1e3).toFixed(bytes < 9950 ? 1 : 0)} kB`;
const axis = (bytes) => (bytes < 1e6 ? `${bytes / 1e3} kB` : `${bytes / 1e6} MB`);

export function librariesInParts(results, write) {
  const all = Object.values(results ?? {}).sort((one, other) => one.passages - other.passages);
  if (all.length === 0) return null;
  write("recall-bytes.svg", recallPlot(all));
  write("growth.svg", growthPlot(all));
  return `## Libraries in parts

Written by \`cargo xtask bench parts\`: bytes that a host sends, the manifest included, beside the module and the model. A *first* question is asked
of a library that was just opened, a *second* one after it. Questions are those of the labelled set, in random order. \`Range\`: a host that sends the bytes asked for; whole parts:
one that ignores \`Range\`, of which parts that came once are kept. Enlarged sets are altered copies of the passages (one word in six exchanged), with made
vectors of 384 dimensions that have the structure of embeddings, as in the section on vectors.

The more cells a question reads, the more of the nearest passages it finds, and the more bytes it takes:

![Recall against bytes of a later question](recall-bytes.svg)

The bytes of a first and of a second question grow with the library, here from a host that honours \`Range\`:

![Bytes of questions against the number of passages](growth.svg)

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

function recallPlot(all) {
  const lines = all.map(({ name, curve }) => ({
    name: name.split(" ").slice(0, 2).join(" ").replace(/:$/, ""),
    // A small library has all that a later question needs.
    points: curve.filter(({ bytes }) => bytes > 0).map(({ bytes, recall }) => [bytes, recall]),
  }));
  const range = around(lines, 0, 1.15);
  const least = Math.floor(Math.min(0.9, ...lines.flatMap(({ points }) => points.map(([, recall]) => recall))) * 20) / 20;
  const ticks = [];
  for (let value = 1; value >= least - 1e-9; value -= 0.05) ticks.push([value, value.toFixed(2)]);
  return plot({
    title: "Recall of the vector arm against bytes of a later question",
    x: { label: "bytes of a later question, median (log scale; left is better)", log: true, range, ticks: logTicks(range, axis) },
    y: { label: "recall@10 (up is better)", range: [least, 1.004], ticks },
    lines,
  });
}

function growthPlot(all) {
  const lines = ["hybrid", "keyword"].flatMap((mode) =>
    ["first", "second"].map((which) => ({
      name: `${mode}, ${which}`,
      dashed: which === "second",
      points: all.flatMap(({ passages, sessions }) =>
        sessions.filter((one) => one.mode === mode && one.range && one[which].median > 0).map((one) => [passages, one[which].median]),
      ),
    })),
  );
  const x = around(lines, 0, 1.25);
  const y = around(lines, 1, 1.4);
  return plot({
    title: "Bytes of a question by number of passages",
    x: { label: "passages (log scale)", log: true, range: x, ticks: logTicks(x, number) },
    y: { label: "bytes, median (log scale; down is better)", log: true, range: y, ticks: logTicks(y, axis) },
    lines,
  });
}

/** The least and the greatest of the values at one place of all points, with some room around. */
function around(lines, at, room) {
  const values = lines.flatMap(({ points }) => points.map((point) => point[at]));
  return /** @type {[number, number]} */ ([Math.min(...values) / room, Math.max(...values) * room]);
}
