// A library in parts that is kept in the browser: how long it takes to open, and how long questions take whose blocks lie on the disk or in memory.
// Prints one JSON object.
//   node kept.mjs '{"module": "…/site/vademecum", "library": "…/bench/parts/100,000", "work": "…/bench/kept", "rounds": 5}'

import os from "node:os";
import { keep, MEMORY, open, questionsOf, recall, startTabs } from "./kept/tab.mjs";
import { median, quantile } from "./measure.mjs";

/** How often the library is opened anew. */
const OPENED = 5;
/** Milliseconds between the first question and the next ones: the reader reads ahead in pauses. */
const AHEAD = 3000;

const options = JSON.parse(process.argv[2]);
const load = os.loadavg()[0];
const { name, questions } = questionsOf(options.library, options.questions);
const tabs = await startTabs(options);
const kept = await tabs.inBrowser(keep);
// In another process, whose memory has nothing of the download.
const measured = await tabs.inBrowser(async ({ ask, memory }) => {
  const opened = [];
  for (let n = 0; n < OPENED; n++) opened.push(await ask(open, MEMORY));
  const empty = memory();
  // Once, so that no question waits until the page has read the vectors of all.
  await ask((questions) => void (globalThis.questions = questions), questions);
  const modes = {};
  for (const mode of ["vector", "keyword", "hybrid"]) {
    // Anew, so that no arm finds what another has read.
    await ask(open, MEMORY);
    const first = await ask(times, { mode, end: 1 });
    await new Promise((resolve) => setTimeout(resolve, AHEAD));
    const cold = await ask(times, { mode, start: 1 });
    const rounds = [];
    for (let n = 0; n < options.rounds; n++) rounds.push(...(await ask(times, { mode })).ms);
    const all = [...first.hits, ...cold.hits];
    modes[mode] = {
      first: first.ms[0],
      cold: { p50: median(cold.ms), p99: quantile(cold.ms, 0.99) },
      warm: { p50: median(rounds), p95: quantile(rounds, 0.95) },
      ...(mode === "vector" && { recall: recall(all, questions.map(({ nearest }) => nearest)) }),
    };
  }
  const { fetched, passages } = await ask(async () => {
    const { fetched, chunks } = await globalThis.library.stats();
    return { fetched, passages: chunks };
  });
  if (fetched.bytes > 0) throw new Error(`${fetched.bytes} bytes were fetched from the host, though the library is kept`);
  return { passages, opened: { median: median(opened), most: Math.max(...opened) }, modes, memory: { empty, after: memory() } };
});
tabs.close();
console.log(JSON.stringify({ name, load, questions: questions.length, rounds: options.rounds, maxMemory: MEMORY, ahead: AHEAD, kept, ...measured }));
process.exit(0);

/** On the page: asks questions one after the other; returns the milliseconds that the page waited for each, and the ids of its hits. */
async function times({ mode, start, end }) {
  const [ms, hits] = [[], []];
  for (const { text, vector } of globalThis.questions.slice(start, end)) {
    const own = mode === "keyword" ? {} : { vector };
    const began = performance.now();
    const found = await globalThis.library.search(text, { mode, limit: 10, threshold: -1, ...own });
    ms.push(performance.now() - began);
    if (found.missing?.length > 0) throw new Error(JSON.stringify(found.missing));
    hits.push(found.hits.map(({ id }) => id));
  }
  return { ms, hits };
}
