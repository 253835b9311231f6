// Keywords: ours against one peer, in this process. Prints one JSON object.
//   node keywords.mjs '{"peer": "minisearch", "module": "…/site/vademecum", "data": "…/wiki-multihop", "rounds": 5}'

import { gzipSync } from "node:zlib";
import { PEERS, vademecum } from "./engines/keywords.mjs";
import { interleaved, median, ratio, share, summary, timed } from "./measure.mjs";
import { ownModule } from "./own.mjs";
import { labelled, ndcg, twoWords } from "./passages.mjs";

const options = JSON.parse(process.argv[2]);
const { texts, questions } = labelled(options.data, options.queries);
const module = await ownModule(options.module);

const engines = [];
if (module) engines.push({ name: "vademecum", ...vademecum(module) });
if (options.peer) engines.push({ name: options.peer, ...(await PEERS[options.peer]()) });

// A page builds and loads once: nothing is warmed up.
const few = { rounds: Math.min(3, options.rounds), warmUp: 0 };
const builds = await interleaved(engines.map((engine) => () => engine.build(texts)), 1, few);
const saves = [];
for (const engine of engines) saves.push((await timed(engine.save)).result);
const loads = await interleaved(engines.map((engine, at) => () => engine.load(saves[at])), 1, few);

const whole = await asked(questions.map(({ text }) => text));
const short = await asked(questions.map(({ text }) => twoWords(text)));

const compared = (times) => (engines.length === 2 ? ratio(times[0], times[1]) : null);
console.log(JSON.stringify({
  passages: texts.length,
  questions: questions.length,
  share: share(),
  engines: Object.fromEntries(engines.map((engine, at) => [engine.name, {
    build: median(builds[at].flat()) / 1000,
    load: median(loads[at].flat()),
    bytes: Buffer.byteLength(saves[at]),
    gzip: gzipSync(saves[at], { level: 6 }).length,
    whole: summary(whole.times[at]),
    short: summary(short.times[at]),
    ndcg: gains(whole.answers[at].map((answer) => engine.ids(answer))),
  }])),
  ratio: { whole: compared(whole.times), short: compared(short.times), build: compared(builds), load: compared(loads) },
}));
process.exit(0);

/** Every engine's times and answers for some queries. */
async function asked(queries) {
  const answers = engines.map(() => []);
  const contestants = engines.map((engine, at) => {
    const own = queries.map((query) => engine.query?.(query) ?? query);
    return (query) => {
      const answer = engine.search(own[query]);
      answers[at][query] = answer;
      return answer;
    };
  });
  const times = await interleaved(contestants, queries.length, { rounds: options.rounds });
  // Some peers answer with a promise.
  return { times, answers: await Promise.all(answers.map((own) => Promise.all(own))) };
}

/** The mean gain over all questions, and over each of the sets they come from. */
function gains(rankings) {
  const each = questions.map(({ set, relevant }, at) => ({ set, gain: ndcg(rankings[at], relevant) }));
  const mean = (some) => some.reduce((sum, { gain }) => sum + gain, 0) / some.length;
  const sets = [...new Set(each.map(({ set }) => set))];
  return Object.fromEntries([["all", mean(each)], ...sets.map((set) => [set, mean(each.filter((one) => one.set === set))])]);
}
