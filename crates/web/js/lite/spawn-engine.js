// Starts an engine of the lite build in a worker. Apart from the workers that an engine starts: imported by the engine's
// worker, this would have it refer to itself, and a bundler that follows workers (Turbopack) waits for itself for ever.

import { attach } from "../attach.js";

/** The engine in a worker of its own. */
export const spawnEngine = (handlers, own, onCrash) =>
  attach(() => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }), "engine", handlers, own, onCrash);
