// Two builds of the module against each other, query by query in this process: whether a change of the build, an optimiser for
// instance, made anything slower. Two copies of one build show how much chance there is in it.
//   node builds.mjs '{"before": "…/site/vademecum", "after": "…/site/vademecum", "data": "…/wiki-multihop", "rounds": 9}'

import { vademecum as keywordsOf } from "./engines/keywords.mjs";
import { vademecum as vectorsOf } from "./engines/vectors.mjs";
import { row, testVectors } from "./exact.mjs";
import { spread, table } from "./format.mjs";
import { interleaved, median, ratio } from "./measure.mjs";
import { ownModule } from "./own.mjs";
import { labelled, twoWords } from "./passages.mjs";

const options = JSON.parse(process.argv[2]);
const modules = [await ownModule(options.before), await ownModule(options.after)];
const few = { rounds: Math.min(3, options.rounds), warmUp: 0 };
const rows = [];

const { vectors, queries } = testVectors(10_000, 200);
const asked = Array.from({ length: 200 }, (_, at) => row(queries, at).slice());
const byVector = modules.map(vectorsOf);
await compare("vectors, build", byVector.map((engine) => () => engine.build(vectors)), 1, few);
const graph = byVector[0].graph();
if (graph) for (const engine of byVector) engine.setGraph(graph);
for (const label of ["exact", "sketch, candidates 200", "hnsw, ef 40"]) {
  const searches = byVector.map((engine) => {
    const setting = engine.settings.find((one) => one.label === label);
    return (at) => engine.search(asked[at], setting);
  });
  await compare(`vectors, ${label}`, searches, asked.length);
}

if (options.data) {
  const { texts, questions } = labelled(options.data, 200);
  const byWords = modules.map(keywordsOf);
  await compare("keywords, build", byWords.map((engine) => () => engine.build(texts)), 1, few);
  const saves = byWords.map((engine) => engine.save());
  await compare("keywords, load", byWords.map((engine, at) => () => engine.load(saves[at])), 1);
  await compare("keywords, whole question", byWords.map((engine) => (at) => engine.search(questions[at].text)), questions.length);
  const short = questions.map(({ text }) => twoWords(text));
  await compare("keywords, two words", byWords.map((engine) => (at) => engine.search(short[at])), short.length);
}

console.log(table(["what", "before, ms", "after, ms", "after is faster by"], rows));
process.exit(0);

async function compare(what, contestants, count, how = { rounds: options.rounds }) {
  const [before, after] = await interleaved(contestants, count, how);
  rows.push([what, median(before.flat()).toFixed(3), median(after.flat()).toFixed(3), spread(ratio(after, before), 2)]);
}
