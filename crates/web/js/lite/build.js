// The lite build: its wasm modules, and the workers that its engine starts.

import start, { Engine, useHtml } from "./module.js";
import { agent } from "../agent-module.js";
import { htmlReader } from "../html-module.js";
import { noEncoders } from "./no-encoders.js";
import { spawnGraphBuilder } from "../spawn-graph.js";

export const build = { start, Engine, agent, html: async () => useHtml(await htmlReader()), encoders: noEncoders, graphBuilder: spawnGraphBuilder };
