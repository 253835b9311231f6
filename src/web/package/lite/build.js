// The lite build: its wasm modules, and what an engine of it starts.

import start, { Engine } from "./module.js";
import { agent } from "../agent-module.js";
import { noEncoders } from "./embedder.js";
import { spawnGraphBuilder } from "../spawn-graph.js";

export const build = { start, Engine, agent, encoders: noEncoders, graphBuilder: spawnGraphBuilder };
