// Bundlers look for the whole of `new Worker(…)`: it must stay as it is.

import { attach } from "./attach.js";
import { hasWorkers } from "./has-workers.js";

/** A builder of HNSW graphs in a worker of its own; none where there are no workers. */
export const spawnGraphBuilder = (own) =>
  !hasWorkers
    ? null
    : attach(() => new Worker(new URL("./graph-worker.js", import.meta.url), { type: "module" }), "graph", {}, own);
