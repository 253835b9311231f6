// The lite build: its wasm module, and the worker that an engine of it starts.

import start, { Engine, measureTrials } from "./module.js";
import { noEncoders } from "./embedder.js";
import { spawnGraphBuilder } from "./spawn.js";

export const build = { start, Engine, measureTrials, encoders: noEncoders, graphBuilder: spawnGraphBuilder };
