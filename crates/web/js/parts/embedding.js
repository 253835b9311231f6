// Embedders of questions, without the engine: one worker that runs a model, or a function of the user's.

import { EmbedderPool } from "../embedder-pool.js";
import { flatten } from "../embedder-custom.js";
import { aborted, VademecumError } from "../error.js";
import { encoderInPlace } from "../encoder-in-place.js";
import { compiledEncoder } from "../encoder-module.js";
import { hasWorkers } from "../has-workers.js";
import { spawnEmbedder } from "../spawn-embedder.js";

/**
 * Returns the embedder of a description: `{ id(), load(signal, emit), isReady(), embed(question, signal), close() }`. `settle` is called with
 * the embedder's id once that is known, and throws for the wrong one.
 */
export function embedding(description, own, settle) {
  if (description.type === "custom") return customEmbedding(description, settle);
  const kind = { ...description, workers: 1 }; // one question at a time
  const pool = hasWorkers ? new EmbedderPool(kind, () => spawnEmbedder(own), { build: compiledEncoder }) : new EmbedderPool(kind, encoderInPlace, { build: compiledEncoder });
  pool.onSettled(() => settle(pool.id));
  return {
    load: (signal, emit) => pool.load(signal, emit),
    isReady: pool.isReady,
    embed: async (question, signal) => (await pool.embed([question], "query", signal)).values,
    close: () => pool.close(),
  };
}

const failed = (thrown) => new VademecumError(`The embedder failed: ${thrown?.message ?? thrown}`, { code: "embedder_failed", cause: thrown });

function customEmbedding({ id, embed }, settle) {
  settle(id);
  return {
    load: async () => {},
    isReady: () => true,
    async embed(question, signal) {
      try {
        return flatten(await embed([question], { kind: "query", signal })).values;
      } catch (thrown) {
        throw signal.aborted ? aborted() : thrown instanceof VademecumError ? thrown : failed(thrown);
      }
    },
    close: () => {},
  };
}
