// An embedder of questions by a model, without the engine: in one worker, or in place where there are none.

import { EmbedderPool } from "../embedder-pool.js";
import { encoderInPlace } from "../encoder-in-place.js";
import { compiledEncoder } from "../encoder-build.js";
import { hasWorkers } from "../has-workers.js";
import { spawnEmbedder } from "../spawn-embedder.js";

/**
 * Returns `{ load(signal, emit), isReady(), embed(question, signal), close() }`. `settle` is called with the model's id once that is known, and
 * throws for the wrong one.
 */
export function embedding(description, own, settle) {
  const kind = { ...description, workers: 1 }; // one question at a time
  const pool = new EmbedderPool(kind, hasWorkers ? () => spawnEmbedder(own) : encoderInPlace, { build: compiledEncoder });
  pool.onSettled(() => settle(pool.id));
  return {
    load: (signal, emit) => pool.load(signal, emit),
    isReady: pool.isReady,
    embed: async (question, signal) => (await pool.embed([question], "query", signal)).values,
    close: () => pool.close(),
  };
}
