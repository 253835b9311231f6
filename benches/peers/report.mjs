// The page and its plots, made from what was measured and from nothing else.

import fs from "node:fs";
import path from "node:path";
import { embedding, firstHit } from "./browser/report.mjs";
import { figures } from "./figures.mjs";
import { bytes, factor, ms, number, sentence, spread, table } from "./format.mjs";
import { logTicks, plot } from "./plot.mjs";

const OWN = "vademecum";

export function writeReport(results, folder) {
  fs.mkdirSync(folder, { recursive: true });
  const write = (name, content) => fs.writeFileSync(path.join(folder, name), content);
  const parts = [
    head(results.environment, busy(results)),
    figures(results),
    vectors(results, write),
    large(results.large),
    sizes(results.sizes, write),
    keywords(results.keywords),
    open(results.open),
    embedding(results.embedding),
    firstHit(results.firstHit),
  ];
  write("benchmarks.md", `${parts.filter(Boolean).join("\n\n")}\n`);
}

function head({ node, cores, arch, quick, own, peers }, warning) {
  const versions = Object.entries(peers).map(([name, version]) => `${name} ${version}`).join(", ");
  return `# Benchmarks

Written by \`cargo xtask bench\`, out of [benchmarks.json](benchmarks.json).${quick ? "\n\n**A quick run: few vectors, few rounds. These numbers only show that everything runs.**" : ""}${own ? "" : "\n\n**The peers alone were measured here, without this package.**"}${warning}

- The release build of the WebAssembly module, as it is published, runs against each peer in one Node process, one pair a process
  (embedding and the first hit in a browser, as told there). Both are asked the same query one after the other, and who goes first changes with every query. Speed is therefore told as a
  ratio within one process: milliseconds differ from machine to machine and from hour to hour, ratios far less.
- A few queries warm up and are not counted. Then come up to five rounds of all queries, none begun after a minute. Times are
  medians over all rounds (and the 95th percentile); a ratio is the median of the rounds' ratios, with the least and the greatest.
- Engines are compared at equal recall: every setting is tried once, and the fastest with a recall@10 of at least 0.98 against
  exact search in 32-bit floats is the one that is timed.
- Each peer is called as its documentation shows; results beyond the ids are neither asked for nor read.
- Measured on ${cores} cores, ${arch}, Node ${node}${own ? `, version ${own}` : ""}. Peers: ${versions}.`;
}

/** A comparison that had less than nine tenths of a core, or others beside it, flatters the faster engine, which has to be said. */
function busy({ vectors, large, keywords, open, embedding, firstHit }) {
  const all = [...Object.values(vectors ?? {}), ...Object.values(keywords ?? {}), large, open];
  const least = Math.min(...all.map((one) => one?.share).filter(Number.isFinite));
  const load = Math.max(...[embedding, firstHit].map((one) => one?.load).filter(Number.isFinite));
  const why = [];
  if (least < 0.9) why.push(`one comparison had ${Math.round(least * 100)} % of a core`);
  if (load > 0.7) why.push(`one in the browser began beside a load of ${load.toFixed(1)}`);
  if (why.length === 0) return "";
  return `

**The machine was busy with other work: ${why.join(", and ")}. Times are overstated, those of slow engines most, and
with them how much faster ours is. Run it again on an idle machine before believing a ratio.**`;
}

const engineRows = (duels) => {
  const rows = [];
  const first = Object.values(duels).find((duel) => duel.engines?.[OWN]);
  if (first) rows.push([OWN, first.engines[OWN], null, first.count]);
  for (const [peer, duel] of Object.entries(duels)) {
    if (duel.engines) rows.push([peer, duel.engines[peer], duel.ratio, duel.count]);
  }
  return rows;
};

function vectors({ vectors }, write) {
  if (!vectors) return null;
  const rows = engineRows(vectors);
  const duel = Object.values(vectors).find((one) => one.engines);
  if (!duel) return "## Vectors";
  write("recall-time.svg", recallPlot(rows, duel.count));
  const kind = duel.source === "synthetic"
    ? "made vectors that behave like embeddings (a common direction, clusters in clusters, decaying noise; always the same)"
    : "embeddings of real passages, read from a file";
  return `## Vectors

${number(duel.count)} × 384, ${kind}; ${duel.queries} queries, the ten nearest. The fastest setting of each with a recall of at least 0.98, or, where none
reaches that, the one that finds most.

![Recall against time per query](recall-time.svg)

${table(
    ["engine", "setting", "recall@10", "median", "p95", "ours is faster by", "build", "saved", "memory per vector"],
    rows.map(([name, one, ratio, count]) => {
      // Our graph counts where the timed setting needs it.
      const held = one.best.label.startsWith("hnsw") ? one.withGraph : one;
      const graph = held === one ? "" : ` + ${one.graph.toFixed(1)} s graph`;
      return [
        name, one.best.label, one.best.recall.toFixed(3), ms(one.best.p50), ms(one.best.p95), spread(ratio),
        `${one.build.toFixed(2)} s${graph}`, bytes(held.bytes), `${number(Math.round(held.memory / count))} B`,
      ];
    }),
  )}

Memory is what our index reports, what a peer's module has taken, and for Orama, by how much the JavaScript heap grew. hnswlib-wasm: M 16, efConstruction 200; it saves
through IndexedDB alone, so its size is worked out from its file format. edgevec: \`l2\`, since its other metrics return the farthest vectors.

<details><summary>Every setting</summary>

${table(
    ["engine", "setting", "recall@10", "median", "p95"],
    rows.flatMap(([name, one]) => one.points.map((point) => [name, point.label, point.recall.toFixed(3), ms(point.p50), ms(point.p95)])),
  )}

</details>`;
}

function recallPlot(rows, count) {
  const lines = rows.flatMap(([name, one]) => {
    const families = name === OWN ? [...new Set(one.points.map(({ label }) => label.split(",")[0]))] : [null];
    return families.map((family) => ({
      name: family ? `ours, ${family}` : name,
      dashed: name !== OWN,
      points: one.points
        .filter(({ label }) => !family || label.split(",")[0] === family)
        .map(({ p50, recall }) => [p50, recall])
        .sort((a, b) => a[0] - b[0]),
    }));
  });
  const times = lines.flatMap(({ points }) => points.map(([time]) => time));
  const range = [Math.min(...times) / 1.4, Math.max(...times) * 1.4];
  const worst = Math.min(...lines.flatMap(({ points }) => points.map(([, recall]) => recall)));
  const least = Math.max(0.8, Math.floor(worst * 50) / 50);
  const step = least < 0.9 ? 0.05 : 0.02;
  const ticks = [];
  for (let value = 1; value >= least - 1e-9; value -= step) ticks.push([value, value.toFixed(2)]);
  return plot({
    title: `Recall against time per query, ${number(count)} vectors of 384`,
    x: { label: "time per query, median, ms (log scale; left is better)", log: true, range, ticks: logTicks(range, String) },
    y: { label: "recall@10 (up is better)", range: [least - step / 2, 1.004], ticks },
    lines,
    nameStarts: true,
  });
}

function large(result) {
  if (!result) return null;
  const title = "## A hundred thousand vectors";
  return `${title}

${number(result.count)} × 384, ${result.queries} queries. The graph is built natively, by the same code, and loaded in ${ms(result.load)}.
${result.best ? `At a recall of ${result.best.recall.toFixed(3)} (${result.best.label}) it is ${spread(result.ratio)} faster than our own exact scan.` : "No setting of it reached a recall of 0.98."}

${table(
    ["setting", "recall@10", "median", "p95"],
    result.points.map((point) => [point.label, point.recall.toFixed(3), ms(point.p50), ms(point.p95)]),
  )}`;
}

function sizes(section, write) {
  if (!section) return null;
  const lines = [];
  for (const [name, points] of Object.entries(section)) {
    const of = (field) => points.filter((point) => point[field]).map((point) => [point.count, point[field] / 1e6]);
    lines.push({ name: name === OWN ? "ours" : name, dashed: name !== OWN, points: of("bytes") });
    if (points.some((point) => point.withGraph)) lines.push({ name: "ours, with graph", points: of("withGraph") });
  }
  const drawn = lines.filter(({ points }) => points.length > 0);
  const counts = Object.values(section)[0].map(({ count }) => count);
  drawn.push({ name: "32-bit floats alone", dashed: true, points: counts.map((count) => [count, (count * 384 * 4) / 1e6]) });
  const all = drawn.flatMap(({ points }) => points.map(([, size]) => size));
  const x = [counts[0] / 1.15, counts.at(-1) * 1.15];
  const y = [Math.min(...all) / 1.4, Math.max(...all) * 1.4];
  write("size.svg", plot({
    title: "What is saved, by number of vectors of 384",
    x: { label: "vectors (log scale)", log: true, range: x, ticks: logTicks(x, number) },
    y: { label: "saved, MB (log scale; down is better)", log: true, range: y, ticks: logTicks(y, String) },
    lines: drawn,
  }));
  const missing = Object.entries(section).flatMap(([name, points]) => points
    .filter((point) => point.bytes === null)
    .map((point) => sentence(`${name} with ${number(point.count)} vectors`, point.why)));
  return `## Size

![Saved size against the number of vectors](size.svg)

${table(
    ["engine", ...counts.map((count) => `${number(count)} vectors`)],
    drawn.map(({ name, points }) => [name, ...counts.map((count) => {
      const point = points.find(([at]) => at === count);
      return point ? bytes(point[1] * 1e6) : "–";
    })]),
  )}${missing.length > 0 ? `\n\n${missing.join(" ")}` : ""}`;
}

function keywords(section) {
  if (!section) return null;
  const rows = engineRows(section);
  const duel = Object.values(section).find((one) => one.engines);
  if (!duel) return "## Keywords";
  const sets = Object.keys(duel.engines[Object.keys(duel.engines)[0]].ndcg).filter((set) => set !== "all");
  const names = { musique: "MuSiQue", hotpotqa: "HotpotQA" };
  return `## Keywords

${number(duel.passages)} Wikipedia passages, ${duel.questions} multi-hop questions (from MuSiQue and HotpotQA), the ten best. Each is asked whole, and as the two words
one would type. "Tuned" peers were given our stop words and our stemming, so that rankings compare; as they come, they are told apart.

${table(
    ["engine", "whole question", "ours is faster by", "two words", "ours is faster by", ...sets.map((set) => `nDCG@10 ${names[set] ?? set}`), "nDCG@10"],
    rows.map(([name, one, ratio]) => [
      name, `${ms(one.whole.p50)} (p95 ${ms(one.whole.p95)})`, spread(ratio?.whole), `${ms(one.short.p50)} (p95 ${ms(one.short.p95)})`, spread(ratio?.short),
      ...sets.map((set) => one.ndcg[set].toFixed(3)), one.ndcg.all.toFixed(3),
    ]),
  )}

${table(
    ["engine", "build", "ours is faster by", "load", "ours is faster by", "saved", "saved, gzip -6"],
    rows.map(([name, one, ratio]) => [
      name, `${one.build.toFixed(2)} s`, spread(ratio?.build), ms(one.load), spread(ratio?.load), bytes(one.bytes), bytes(one.gzip),
    ]),
  )}`;
}

function open(result) {
  if (!result) return null;
  const title = "## Opening a saved library";
  return `${title}

${number(result.count)} passages with their vectors: ours imported from the bytes of an export, Orama's loaded from the JSON of its \`save\`, parsing included.
What is put off until the first question counts in the last column.

${table(
    ["engine", "saved", "opened", "opened and asked once"],
    Object.entries(result.engines).map(([name, one]) => [name, bytes(one.bytes), ms(one.open), ms(one.answered)]),
  )}${result.ratio.open ? `\n\nOurs opens ${spread(result.ratio.open)} faster, and has answered ${factor(result.ratio.answered.median)} sooner.` : ""}`;
}
