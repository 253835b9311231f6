// Embedding the sample library: the package with one worker and with two, the bare runtime, transformers.js.

import { Embedder, KnowledgeBase } from "/site/vademecum/index.js";
import { batches } from "./lib/batches.js";
import { called } from "./lib/called.js";
import { recorded } from "./lib/recorded.js";
import { spelt } from "./lib/spelt.js";

const MODEL = new URL("/site/models/all-minilm-l6-v2/", location.href).href;
const onnx = (workers) => Embedder.onnx({ model: `${MODEL}model.onnx`, tokenizer: `${MODEL}tokenizer.json`, workers });

let documents;
let passages;
const engines = {};

globalThis.bench = {
  /** Loads everything, and returns how much there is to do. */
  async prepare(count = Infinity) {
    const sample = await (await fetch("/site/library/rust-book.json")).json();
    documents = sample.documents.slice(0, count);
    const { calls, ids, vectors } = await recorded(documents, onnx(1));
    passages = calls.flat().length;
    const prepared = ids.map(batches);
    for (const [name, workers] of [["one worker", 1], ["two workers", 2]]) engines[name] = await vademecum(workers);
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
      apart: await apart(bare[0], prepared, vectors),
    };
  },
  run: (name) => engines[name](),
};

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * From the moment that everything is found by its words to the last vector in the index. What was embedded before would not be
 * again, so each round spells it anew.
 */
async function vademecum(workers) {
  const kb = await KnowledgeBase.memory({ embedder: onnx(workers) });
  await kb.loadEmbedder();
  let round = 0;
  return async () => {
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
}

/** What the machine gives two workers that have nothing to do with each other but a list of work. */
async function shared(workers, prepared) {
  let next = 0;
  const work = async (call) => {
    while (next < prepared.length) await call("run", prepared[next++]);
  };
  await Promise.all(workers.map(work));
}

/** How far our vectors are from those of the bare runtime, at most: 0 where both computed the same. */
async function apart(call, prepared, vectors) {
  let most = 0;
  for (const [at, all] of prepared.entries()) {
    for (const batch of all) {
      const hidden = await call("run", [batch]);
      const dimensions = hidden.length / (batch.rows * batch.columns);
      batch.texts.forEach((text, row) => {
        const ours = vectors[at].subarray(text * dimensions, (text + 1) * dimensions);
        const theirs = pooled(hidden, batch, row, dimensions);
        theirs.forEach((value, column) => (most = Math.max(most, Math.abs(value - ours[column]))));
      });
    }
  }
  return most;
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
