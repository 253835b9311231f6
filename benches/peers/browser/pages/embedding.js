// Embedding the sample library: the package with one worker and with two, the bare runtime, transformers.js.

import { Embedder, KnowledgeBase } from "/site/vademecum/index.js";
import { batches } from "./lib/batches.js";
import { called } from "./lib/called.js";
import { recorded } from "./lib/recorded.js";
import { spelt } from "./lib/spelt.js";

const MODEL = new URL("/site/models/all-minilm-l6-v2/", location.href).href;
const onnx = (workers, backend = "kernel") => Embedder.onnx({ model: `${MODEL}model.onnx`, tokenizer: `${MODEL}tokenizer.json`, workers, backend });

let documents;
let passages;
const engines = {};

globalThis.bench = {
  /** Loads everything, and returns how much there is to do. */
  async prepare(count = Infinity) {
    const sample = await (await fetch("/site/library/rust-book.json")).json();
    documents = sample.documents.slice(0, count);
    const { calls, ids, vectors } = await recorded(documents, onnx(1));
    const start = await started();
    passages = calls.flat().length;
    const prepared = ids.map(batches);
    const one = await vademecum(onnx(1));
    engines["one worker"] = one.add;
    engines["two workers"] = (await vademecum(onnx(2))).add;
    engines.runtime = (await vademecum(onnx(1, "onnxruntime"))).add;
    const bare = [called("/bare-worker.js"), called("/bare-worker.js")];
    for (const call of bare) await call("load", `${MODEL}model.onnx`);
    engines.bare = () => timed(() => bare[0]("run", prepared.flat()));
    engines["two bare"] = () => timed(() => shared(bare, prepared));
    const transformers = called("/transformers-worker.js");
    await transformers("load");
    engines["transformers.js"] = () => timed(() => transformers("run", calls));
    return {
      passages,
      tokens: ids.flat(2).length,
      calls: calls.length,
      batches: prepared.flat().length,
      least: await least(bare[0], prepared, vectors),
      instructions: one.instructions,
      question: await one.question(),
      start,
    };
  },
  run: (name) => engines[name](),
};

/** The median time from a library that is open, which begins to load its encoder, to an encoder that is loaded, whose files the browser has stored. */
async function started() {
  const times = [];
  for (let round = 0; round < 9; round++) {
    const kb = await KnowledgeBase.memory({ embedder: onnx() });
    times.push(await timed(() => kb.loadEmbedder()));
    await kb.close();
  }
  return times.sort((a, b) => a - b)[4];
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * From the moment that everything is found by its words to the last vector in the index. What was embedded before would not be
 * again, so each round spells it anew.
 */
async function vademecum(embedder) {
  const kb = await KnowledgeBase.memory({ embedder });
  await kb.loadEmbedder();
  const { instructions } = (await kb.stats()).embedder;
  let round = 0;
  /** The median time of a search by vectors alone, among next to nothing: of embedding a question of twelve tokens. */
  const question = async () => {
    await kb.add([{ id: "round", text: "A note." }]);
    const times = [];
    for (let at = 0; at < 50; at++) times.push(await timed(() => kb.search(`how do I update the value ${at} of a map`, { mode: "vector" })));
    return times.sort((a, b) => a - b)[25];
  };
  const add = async () => {
    round++;
    /** @type {any} */ let start;
    let made = passages;
    const onProgress = ({ phase, total }) => {
      if (phase !== "embed") return;
      start ??= performance.now();
      made = total;
    };
    await kb.add(documents.map((document) => spelt(document, round)), { onProgress });
    if (start === undefined) throw new Error("nothing was embedded");
    // Spelt anew, a sentence may end elsewhere, and a passage with it.
    if (Math.abs(made - passages) > 0.03 * passages) throw new Error(`${made} passages were embedded, not ${passages}`);
    return ((performance.now() - start) * passages) / made;
  };
  return { add, question, instructions };
}

/** What the machine gives two workers that have nothing to do with each other but a list of work. */
async function shared(workers, prepared) {
  let next = 0;
  const work = async (call) => {
    while (next < prepared.length) await call("run", prepared[next++]);
  };
  await Promise.all(workers.map(work));
}

/** The least cosine of our vectors with those of the bare runtime: 1 where both computed the same. */
async function least(call, prepared, vectors) {
  let lowest = 1;
  for (const [at, all] of prepared.entries()) {
    for (const batch of all) {
      const hidden = await call("run", [batch]);
      const dimensions = hidden.length / (batch.rows * batch.columns);
      batch.texts.forEach((text, row) => {
        const ours = vectors[at].subarray(text * dimensions, (text + 1) * dimensions);
        const theirs = pooled(hidden, batch, row, dimensions);
        lowest = Math.min(lowest, theirs.reduce((sum, value, column) => sum + value * ours[column], 0));
      });
    }
  }
  return lowest;
}

function pooled(hidden, { columns, mask }, row, dimensions) {
  const sum = new Float64Array(dimensions);
  for (let token = 0; token < columns; token++) {
    if (mask[row * columns + token] === 0n) continue;
    for (let at = 0; at < dimensions; at++) sum[at] += hidden[(row * columns + token) * dimensions + at];
  }
  const length = Math.hypot(...sum);
  return sum.map((value) => value / length);
}
