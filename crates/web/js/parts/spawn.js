// Starts the reader in a worker. The page fetches and compiles its first module meanwhile.

import { attach } from "../attach.js";
import { compiledBeside } from "../start.js";

export const spawnParts = (own, onCrash) => ({
  ...attach(() => new Worker(new URL("../parts-worker.js", import.meta.url), { type: "module" }), "reader", {}, own, onCrash),
  // A worker of another address or origin has its own module, which may be of another version.
  compiled: own === undefined ? compiledBeside(new URL("../vademecum-parts-words_bg.wasm", import.meta.url)) : undefined,
});
