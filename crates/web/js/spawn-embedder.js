// Bundlers look for the whole of `new Worker(…)`: it must stay as it is.

import { attach } from "./attach.js";

/** One encoder in a worker of its own. */
export const spawnEmbedder = (own) =>
  attach(() => new Worker(new URL("./embed-worker.js", import.meta.url), { type: "module" }), "embedder", {}, own);
