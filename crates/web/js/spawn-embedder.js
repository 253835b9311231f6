// Bundlers look for the literal expression `new Worker(…)`: it must not be changed.

import { attach } from "./attach.js";

/** Starts one encoder in a worker of its own. */
export const spawnEmbedder = (own) =>
  attach(() => new Worker(new URL("./embed-worker.js", import.meta.url), { type: "module" }), "embedder", {}, own);
