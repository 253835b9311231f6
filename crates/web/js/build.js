// The full build: its wasm modules, and the workers that its engine starts.

import start, { Engine, useHtml } from "./module.js";
import { agent } from "./agent-module.js";
import { remotes } from "./remote-engine.js";
import { htmlReader } from "./html-module.js";
import { EmbedderPool } from "./embedder-pool.js";
import { compiledEncoder } from "./encoder-build.js";
import { tokenCounter } from "./onnx-module.js";
import { spawnEmbedder } from "./spawn-embedder.js";
import { spawnGraphBuilder } from "./spawn-graph.js";

/** The modules that an encoder of an engine needs. */
export const modules = { build: compiledEncoder, tokenCounter };

export const build = {
  start,
  Engine,
  agent,
  remotes,
  html: async () => useHtml(await htmlReader()),
  encoders: (kind, spawn) => new EmbedderPool(kind, () => spawn(spawnEmbedder), modules),
  graphBuilder: spawnGraphBuilder,
};
