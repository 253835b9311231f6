// Starts an engine of the full build in a worker. Separate from the workers that an engine starts: if the engine's worker imported
// this file, it would refer to itself, and a bundler that follows workers (Turbopack) would never finish.

import { attach } from "./attach.js";

/** Starts the engine in a worker of its own. */
export const spawnEngine = (handlers, own, onCrash) =>
  attach(() => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }), "engine", handlers, own, onCrash);
