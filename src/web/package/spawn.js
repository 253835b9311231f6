// Starts the workers of the full build. Bundlers look for these lines: they must stay as they are, address and all.

import { attach } from "./attach.js";

/** The engine in a worker of its own. */
export const spawnEngine = (handlers) =>
  attach(() => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }), "engine", handlers);

/** A builder of HNSW graphs in a worker of its own; none where there are no workers. */
export const spawnGraphBuilder = () =>
  typeof Worker === "undefined"
    ? null
    : attach(() => new Worker(new URL("./graph-worker.js", import.meta.url), { type: "module" }), "graph", {});

/** One encoder in a worker of its own. */
export const spawnEmbedder = () =>
  attach(() => new Worker(new URL("./embed-worker.js", import.meta.url), { type: "module" }), "embedding", {});
