// The full build: its wasm module, and the workers that an engine of it starts.

import start, { Engine, measureTrials } from "./module.js";
import { EmbedderPool } from "./embedder-pool.js";
import { spawnEmbedder, spawnGraphBuilder } from "./spawn.js";

export const build = {
  start,
  Engine,
  measureTrials,
  encoders: (kind) => new EmbedderPool(kind, spawnEmbedder),
  graphBuilder: spawnGraphBuilder,
};
