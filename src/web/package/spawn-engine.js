// Starts the engine in a worker. In a file of its own: were it beside the workers that the engine starts, the engine's
// worker would refer to itself, and a bundler that follows workers (Turbopack) waits for itself for ever.

import { attach } from "./spawn.js";

/** The engine in a worker of its own. */
export const spawnEngine = (handlers) =>
  attach(() => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }), "engine", handlers);
