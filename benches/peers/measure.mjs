// Clocks and averages. Speeds are compared in one process, query by query, so that whatever else the machine does hits both.

const ascending = (values) => [...values].sort((a, b) => a - b);

/** The value that `share` of the others lie below. */
export const quantile = (values, share) => ascending(values)[Math.min(values.length - 1, Math.floor(values.length * share))];

export const median = (values) => quantile(values, 0.5);

/** Milliseconds that `work` takes, and what it returned. */
export async function timed(work) {
  const start = performance.now();
  let result = work();
  if (typeof result?.then === "function") result = await result;
  return { ms: performance.now() - start, result };
}

/**
 * Asks every contestant every query, at most `rounds` times over; who goes first changes with each query. The first `warmUp`
 * queries are asked once beforehand and not counted, and no round is begun after `seconds`.
 * @param contestants functions from a query's number to whatever they answer, each with an optional `prepare` that is not timed
 * @returns for each contestant, for each round, the milliseconds of each query
 */
export async function interleaved(contestants, queries, { rounds, warmUp = 20, seconds = 60 }) {
  const round = async (count) => {
    await tidied();
    const times = contestants.map(() => []);
    for (let query = 0; query < count; query++) {
      for (let turn = 0; turn < contestants.length; turn++) {
        const who = (turn + query) % contestants.length;
        contestants[who].prepare?.();
        times[who].push((await timed(() => contestants[who](query))).ms);
      }
    }
    return times;
  };
  await round(Math.min(warmUp, queries));
  const start = performance.now();
  const all = [];
  do all.push(await round(queries));
  while (all.length < rounds && performance.now() - start < seconds * 1000);
  return contestants.map((_, who) => all.map((times) => times[who]));
}

/** Milliseconds of computing after which a core that has slept is as fast as before. */
const AWAKE = 100;

/**
 * Collects garbage, waits, and computes until the core is awake, so that the first contestant does not pay for the round before. In a
 * virtual machine, the first milliseconds after a sleep take ten times as long.
 */
async function tidied() {
  globalThis.gc?.();
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (const start = performance.now(); performance.now() - start < AWAKE; );
}

/**
 * Has each contestant do its work once a round; who goes first changes with the round, and a first round is not counted.
 * @param contestants functions that return a number, their own milliseconds for instance
 * @returns for each contestant its numbers, one a round
 */
export async function turns(contestants, { rounds }) {
  const all = contestants.map(() => []);
  for (let round = -1; round < rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const who = (turn + round + 1) % contestants.length;
      const value = await contestants[who]();
      if (round >= 0) all[who].push(value);
    }
  }
  return all;
}

/** One contestant's rounds in three numbers. */
export const summary = (rounds) => ({ p50: median(rounds.flat()), p95: quantile(rounds.flat(), 0.95), rounds: rounds.length });

/** How many times faster than `theirs` `ours` is: the median over the rounds, and the least and greatest of them. */
export function ratio(ours, theirs) {
  const each = ours.map((round, at) => median(theirs[at]) / median(round));
  return { median: median(each), least: Math.min(...each), greatest: Math.max(...each) };
}

/** Bytes that JavaScript holds inside and outside its heap, after what is unused was given back, which takes a few turns. */
export async function heap() {
  for (let turn = 0; turn < 4; turn++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * How much of a core this process had since it began. On a busy machine a long query is interrupted and a short one is not, so
 * the slower engine looks slower than it is: with much less than 1, no ratio is to be believed.
 */
export function share() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 / performance.now();
}
