// The targets of the project, and whether they are reached.

import { bytes, factor, ms, number, spread, table } from "./format.mjs";

const OWN = "vademecum";

export function figures({ vectors, large, keywords, open, embedding, firstHit, page }) {
  const hnswlib = vectors?.["hnswlib-wasm"];
  const own = hnswlib?.engines?.[OWN];
  const plain = keywords?.minisearch;
  const tuned = keywords?.["minisearch, tuned"];
  const words = plain?.engines?.[OWN];
  const perVector = (memory) => memory / hnswlib.count;
  const rivals = [plain?.engines?.minisearch?.ndcg.all, tuned?.engines?.["minisearch, tuned"]?.ndcg.all].filter(Number.isFinite);

  const isRelaxed = embedding?.instructions === "relaxed-simd";
  const least = isRelaxed ? 2.5 : 1.5;

  const rows = [
    row("a query at recall ≥ 0.98, against hnswlib-wasm", "≥ 6 × faster", own && hnswlib.ratio && own.best.recall >= 0.98,
      () => [spread(hnswlib.ratio), hnswlib.ratio.median >= 6]),
    row("100,000 vectors: graph against our exact scan, recall ≥ 0.98", "≥ 3 × faster", large?.ratio,
      () => [spread(large.ratio), large.ratio.median >= 3]),
    row("memory per vector of 384, no graph", "≤ 500 B", own,
      () => [`${number(Math.round(perVector(own.memory)))} B`, perVector(own.memory) <= 500]),
    row("memory per vector of 384, with graph", "≤ 850 B", own?.withGraph,
      () => [`${number(Math.round(perVector(own.withGraph.memory)))} B`, perVector(own.withGraph.memory) <= 850]),
    row("a whole question, against minisearch", "≥ 20 × faster", plain?.ratio?.whole,
      () => [spread(plain.ratio.whole), plain.ratio.whole.median >= 20]),
    row("nDCG@10 of whole questions, against minisearch plain and tuned", "higher", words && rivals.length === 2,
      () => [`${words.ndcg.all.toFixed(3)} against ${rivals.map((one) => one.toFixed(3)).join(" and ")}`, rivals.every((one) => words.ndcg.all > one)]),
    row("keyword index saved, gzip -6", "≤ 0.9 MB", words, () => [bytes(words.gzip), words.gzip <= 0.9e6]),
    row("building the keyword index, against minisearch", "≥ 2 × faster", plain?.ratio?.build,
      () => [spread(plain.ratio.build), plain.ratio.build.median >= 2]),
    row("opening a saved library, against Orama", "≥ 50 × faster", open?.ratio?.open,
      () => [`${spread(open.ratio.open)}; ${factor(open.ratio.answered.median)} with the first answer`, open.ratio.open.median >= 50]),
    row("embedding with two workers, against one", "≥ 1.8 × faster", embedding?.ratio,
      () => [spread(embedding.ratio.pool, 2), embedding.ratio.pool.median >= 1.8]),
    row("embedding with one worker, against transformers.js", `≥ ${least} × faster${isRelaxed ? "" : ", without relaxed SIMD"}`, embedding?.ratio?.runtime,
      () => [spread(embedding.ratio.transformers, 2), embedding.ratio.transformers.median >= least]),
    row("embedding with one worker, against its own back end onnxruntime", "≥ 2.5 × faster", embedding?.ratio?.runtime,
      () => [spread(embedding.ratio.runtime, 2), embedding.ratio.runtime.median >= 2.5]),
    row("first keyword hit of a page without a model", "≤ 200 ms", firstHit?.engines,
      () => [ms(firstHit.engines["vademecum, keywords alone"].ms), firstHit.engines["vademecum, keywords alone"].ms <= 200]),
    row("first keyword hit of a page, against Orama with transformers.js", "≥ 5 × sooner", firstHit?.ratio,
      () => [spread(firstHit.ratio.orama), firstHit.ratio.orama.median >= 5]),
    row("the demo page can be used before the model is there", "yes", firstHit?.demo,
      () => [`${ms(firstHit.demo.interactive)} against ${ms(firstHit.demo.model)}`, firstHit.demo.interactive < firstHit.demo.model]),
    ...[
      ["first visit: field and examples", 300, page?.drawn],
      ["first visit: first hit by words", 400, page?.firstHit],
      ["second visit: answer by meaning", 2500, page?.meaning],
      ["sentences of ten passages chosen by meaning", 150, page?.answer],
      ["an HTML file of 2 MB searchable by words", 2000, page?.html],
      ["a key press while passages are embedded waits at most", 50, page?.typing],
    ].map(([what, most, value]) => row(`the demo page, ${what}`, `≤ ${ms(most)}`, value !== undefined, () => [ms(value), value <= most])),
  ];
  return `## Targets\n\n${table(["measurement", "target", "measured", "reached"], rows)}`;
}

/** One figure; what was not measured is said to be so. */
function row(what, figure, measured, of) {
  if (!measured) return [what, figure, "not measured", "–"];
  const [value, reached] = of();
  return [what, figure, value, reached ? "yes" : "**no**"];
}
