// Vectors: ours against one peer, in this process. Prints one JSON object.
//   node vectors.mjs '{"peer": "hnswlib-wasm", "module": "…/site/vademecum", "count": 10000, "queries": 200, "rounds": 5}'

import { nearest, recall, row, testVectors } from "./exact.mjs";
import { PEERS, vademecum } from "./engines/vectors.mjs";
import { interleaved, median, quantile, ratio, share, summary, timed } from "./measure.mjs";
import { ownModule } from "./own.mjs";

const ENOUGH = 0.98;

const options = JSON.parse(process.argv[2]);
const { vectors, queries, source } = testVectors(options.count, options.queries, options.vectors);
const truth = nearest(vectors, queries);
const module = await ownModule(options.module);

const engines = [];
if (module) engines.push(await built("vademecum", vademecum(module)));
if (options.peer) engines.push(await built(options.peer, await PEERS[options.peer]()));

const contestants = engines.flatMap((engine) => engine.settings.map((setting) => contestant(engine, setting)));
// Every setting once: how much each finds, and how long it takes.
const sweep = await interleaved(contestants, truth.length, { rounds: 1 });
contestants.forEach((one, at) => {
  one.point = { label: one.setting.label, recall: one.recall(), p50: median(sweep[at][0]), p95: quantile(sweep[at][0], 0.95) };
});
// Then the fastest of each engine that finds enough, against each other.
const best = engines.map((engine) => fastest(contestants.filter((one) => one.engine === engine)));
const times = await interleaved(best, truth.length, { rounds: options.rounds });

const result = {
  count: vectors.length / row(vectors, 0).length,
  queries: truth.length,
  share: share(),
  source,
  engines: Object.fromEntries(engines.map((engine, at) => [engine.name, {
    build: engine.buildMs / 1000,
    graph: engine.graphMs === undefined ? null : engine.graphMs / 1000,
    bytes: engine.savedBytes,
    memory: engine.heldBytes,
    withGraph: engine.withGraph ?? null,
    points: contestants.filter((one) => one.engine === engine).map((one) => one.point),
    best: { ...best[at].point, ...summary(times[at]) },
  }])),
  ratio: engines.length === 2 ? ratio(times[0], times[1]) : null,
};
console.log(JSON.stringify(result));
process.exit(0);

/** Builds an engine, and measures what it holds; ours then builds its graph. */
async function built(name, engine) {
  const { ms } = await timed(() => engine.build(vectors));
  const measured = { ...engine, name, buildMs: ms, savedBytes: saved(engine), heldBytes: await engine.memory() };
  if (engine.graph) {
    measured.graphMs = (await timed(engine.graph)).ms;
    measured.withGraph = { bytes: saved(engine), memory: engine.memory() };
  }
  return measured;
}

/** The size of what would be saved; null where the engine cannot save so much. */
function saved(engine) {
  try {
    return engine.bytes();
  } catch {
    return null;
  }
}

function contestant(engine, setting) {
  const found = [];
  const asked = truth.map((_, at) => {
    const query = row(queries, at).slice();
    return engine.query ? engine.query(query) : query;
  });
  const one = (at) => {
    const answer = engine.search(asked[at], setting);
    found[at] = answer;
    return answer;
  };
  return Object.assign(one, {
    engine,
    setting,
    prepare: engine.prepare && (() => engine.prepare(setting)),
    recall: () => recall(found.map((answer) => engine.ids(answer)), truth),
  });
}

/** The fastest setting that finds enough; where none does, the one that finds most. */
function fastest(candidates) {
  const enough = candidates.filter(({ point }) => point.recall >= ENOUGH);
  if (enough.length > 0) return enough.reduce((a, b) => (b.point.p50 < a.point.p50 ? b : a));
  return candidates.reduce((a, b) => (b.point.recall > a.point.recall ? b : a));
}
