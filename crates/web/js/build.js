// The full build: its wasm modules, and the workers that its engine starts.

import start, { Engine, useHtml } from "./module.js";
import { agent } from "./agent-module.js";
import { hasWorkers } from "./has-workers.js";
import { remotes } from "./remote-engine.js";
import { htmlReader } from "./html-module.js";
import { EmbedderPool } from "./embedder-pool.js";
import { encoderInPlace } from "./encoder-in-place.js";
import { compiledEncoder } from "./encoder-module.js";
import { tokenCounter } from "./onnx-module.js";
import { spawnEmbedder } from "./spawn-embedder.js";
import { spawnGraphBuilder } from "./spawn-graph.js";

const modules = { build: compiledEncoder, tokenCounter };

export const build = {
  start,
  Engine,
  agent,
  remotes,
  html: async () => useHtml(await htmlReader()),
  encoders: (kind, spawn) =>
    hasWorkers
      ? new EmbedderPool(kind, () => spawn(spawnEmbedder), modules)
      : new EmbedderPool({ ...kind, workers: 1 }, encoderInPlace, modules),
  graphBuilder: spawnGraphBuilder,
};
