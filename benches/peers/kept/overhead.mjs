// What our package adds to a question to a Chroma server: each question is asked through a knowledge base, and its request is sent again by a bare
// `fetch` on the same page. Part of the difference is what any question takes, which is asked of an empty library as well.

import { median, quantile } from "../measure.mjs";

/**
 * @param {(what: any, argument?: any) => Promise<any>} ask runs a function on a page
 * @param {{ url: string, collection: string, query: string }} chroma
 * @param {{ text: string, vector: number[] }[]} questions
 * @param {number} rounds
 * @returns the milliseconds that a question takes more through the package, and those of the bare request, and of a question to an empty library
 */
export async function measureOverhead(ask, { url, collection, query }, questions, rounds) {
  await ask(prepare, { url, collection, query, questions });
  // The first two warm up: one of them notes the requests, the other sends them.
  const all = [];
  for (let turn = -2; turn < rounds; turn++) all.push(await ask(pairs, turn));
  const counted = all.slice(2).flat();
  const more = counted.map(({ own, bare }) => own - bare);
  return {
    pairs: counted.length,
    median: median(more),
    quartiles: [quantile(more, 0.25), quantile(more, 0.75)],
    own: median(counted.map(({ own }) => own)),
    bare: median(counted.map(({ bare }) => bare)),
    empty: median(counted.map(({ empty }) => empty)),
  };
}

/** On the page: makes the functions that are compared, each from a question to the ids of its hits. */
async function prepare({ url, collection, query, questions }) {
  const { Embedder, KnowledgeBase, Searcher } = await import("/site/vademecum/index.js");
  const vectors = new Map(questions.map(({ text, vector }) => [text, vector]));
  const requests = new Map();
  let asked = "";
  const noting = (address, options) => {
    if (address === query) requests.set(asked, JSON.parse(options.body));
    return fetch(address, options);
  };
  const embedder = Embedder.custom(async (texts) => texts.map((text) => vectors.get(text)));
  const open = async (options) => {
    const kb = await KnowledgeBase.memory({ embedder });
    await kb.attach(collection, Searcher.chroma({ url, collection, ...options }));
    return async (text) => {
      const { hits, sources } = await kb.search(text, { mode: "vector", limit: 10, threshold: 0 });
      if (sources[0].error) throw new Error(JSON.stringify(sources[0].error));
      return hits.map(({ docId }) => docId);
    };
  };
  const [noted, own] = [await open({ fetch: noting }), await open({})];
  for (const { text } of questions) {
    asked = text;
    await noted(text);
  }
  const alone = await KnowledgeBase.memory({ embedder });
  const empty = async (text) => (await alone.search(text, { mode: "vector", limit: 10, threshold: 0 })).hits;
  const bare = async (text) => {
    const body = JSON.stringify(requests.get(text));
    const response = await fetch(query, { method: "POST", headers: { "content-type": "application/json" }, body });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()).ids[0];
  };
  globalThis.compared = { questions: questions.map(({ text }) => text), own, bare, empty };
}

/** On the page: asks every question in each way; which goes first changes. Returns the milliseconds. */
async function pairs(turn) {
  const { questions, ...ways } = globalThis.compared;
  const all = [];
  for (const [at, text] of questions.entries()) {
    /** @type {Record<string, number>} */
    const ms = {};
    /** @type {Record<string, string[]>} */
    const found = {};
    for (const way of (at + turn) % 2 === 0 ? ["own", "bare", "empty"] : ["bare", "own", "empty"]) {
      const began = performance.now();
      found[way] = await ways[way](text);
      ms[way] = performance.now() - began;
    }
    // Which of two equal hits comes first is not said.
    if (found.own.toSorted().join() !== found.bare.toSorted().join()) throw new Error(`other hits: ${found.own} and ${found.bare}`);
    all.push(ms);
  }
  return all;
}
