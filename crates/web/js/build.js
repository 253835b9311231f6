// The full build: its wasm modules, and the workers that its engine starts.

import start, { Engine, useHtml } from "./module.js";
import { agent } from "./agent-module.js";
import { remotes } from "./remote-engine.js";
import { htmlReader } from "./html-module.js";
import { EmbedderPool } from "./embedder-pool.js";
import { compiledEncoder } from "./encoder-build.js";
import { tokenCounter } from "./onnx-module.js";
import { sharedEmbedder } from "./shared-embedder.js";
import { spawnEmbedder } from "./spawn-embedder.js";
import { spawnGraphBuilder } from "./spawn-graph.js";
import { HeldFiles } from "./storage/held.js";

/** The modules that an encoder of an engine needs. */
export const modules = { build: compiledEncoder, tokenCounter };

export const build = {
  start,
  Engine,
  agent,
  remotes: remotes(),
  held: (storage, name, options) => new HeldFiles(storage, name, options),
  html: async () => useHtml(await htmlReader()),
  encoders(kind, spawn, page) {
    const dedicated = () => spawn(spawnEmbedder);
    const shared = (at) => sharedEmbedder(page, `${kind.shared} ${at}`, dedicated);
    return new EmbedderPool(kind, kind.shared ? shared : dedicated, modules);
  },
  graphBuilder: spawnGraphBuilder,
};
