// A hundred thousand vectors: our graph, built natively and loaded here, against our own exact scan. Prints one JSON object.
//   node large.mjs '{"module": "…/site/vademecum", "graph": "FILE", "count": 100000, "queries": 100, "rounds": 5}'

import fs from "node:fs";
import { vademecum } from "./engines/vectors.mjs";
import { nearest, recall, row, testVectors } from "./exact.mjs";
import { interleaved, ratio, share, summary, timed } from "./measure.mjs";
import { ownModule } from "./own.mjs";

const ENOUGH = 0.98;

const options = JSON.parse(process.argv[2]);
const { vectors, queries, source } = testVectors(options.count, options.queries, options.vectors);
const truth = nearest(vectors, queries);
const engine = vademecum(await ownModule(options.module));
engine.build(vectors);
const graph = fs.readFileSync(options.graph);
const { ms: load } = await timed(() => engine.setGraph(graph));

const contestants = engine.settings.map((setting) => {
  const found = [];
  const one = (at) => (found[at] = engine.search(row(queries, at), setting));
  return Object.assign(one, { setting, recall: () => recall(found.map((answer) => engine.ids(answer)), truth) });
});
const times = await interleaved(contestants, truth.length, { rounds: options.rounds });
const points = contestants.map((one, at) => ({ label: one.setting.label, recall: one.recall(), ...summary(times[at]) }));
const exact = points.findIndex(({ label }) => label === "exact");
const best = points
  .map((point, at) => ({ ...point, at }))
  .filter(({ label, recall }) => label.startsWith("hnsw") && recall >= ENOUGH)
  .reduce((a, b) => (a && a.p50 <= b.p50 ? a : b), null);
console.log(JSON.stringify({
  count: vectors.length / row(vectors, 0).length,
  queries: truth.length,
  share: share(),
  source,
  load,
  points,
  best,
  ratio: best && ratio(times[best.at], times[exact]),
}));
process.exit(0);
