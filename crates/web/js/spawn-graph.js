// Bundlers look for the literal expression `new Worker(…)`: it must not be changed.

import { attach } from "./attach.js";
import { hasWorkers } from "./has-workers.js";

/** Starts a builder of HNSW graphs in a worker of its own; returns null without workers. */
export const spawnGraphBuilder = (own) =>
  !hasWorkers
    ? null
    : attach(() => new Worker(new URL("./graph-worker.js", import.meta.url), { type: "module" }), "graph", {}, own);
