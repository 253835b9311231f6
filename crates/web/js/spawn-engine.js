// Starts an engine of the full build in a worker. Separate from the workers that an engine starts: if the engine's worker imported
// this file, it would refer to itself, and a bundler that follows workers (Turbopack) would never finish.

import { attach } from "./attach.js";
import { engineAddress } from "./engine-address.js";
import { takeModule, takeWorker } from "./preloaded.js";
import { compiledBeside } from "./start.js";

/**
 * Starts the engine in a worker of its own, or takes one that `vademecum/preload` has started. Meanwhile the page fetches and compiles its
 * module, which would otherwise begin when all scripts of the worker are loaded.
 */
export const spawnEngine = (handlers, own, onCrash) => ({
  ...attach(() => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }), "engine", handlers, own, onCrash, takeWorker),
  // A worker of another address or origin has its own module, which may be of another version.
  compiled: own === undefined ? compiled(engineAddress) : undefined,
});

/** Milliseconds to wait for a module that the page's head compiles, which a browser may never do. */
const PATIENCE = 30_000;

const compiled = async (address) => {
  const module = takeModule(address);
  const late = () => new Promise((resolve) => setTimeout(resolve, PATIENCE));
  return (module && (await Promise.race([module, late()]))) ?? compiledBeside(address);
};
