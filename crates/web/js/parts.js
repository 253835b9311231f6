// Libraries in parts, read from a static host: in a worker, or in place where there are none. A page that embeds no questions loads nothing of
// the engine and of its models.

import { hasWorkers } from "./has-workers.js";
import { AttachedLibrary } from "./parts/library.js";
import { spawnParts } from "./parts/spawn.js";

async function inPlace() {
  const [{ partsInPlace }, modules] = await Promise.all([import("./parts/in-place.js"), import("./parts-module.js")]);
  return partsInPlace(modules);
}
const embedding = async (type) => (await (type === "custom" ? import("./parts/embedding-custom.js") : import("./parts/embedding.js"))).embedding;

/** Attaches a library in parts, by the address of its manifest. */
export const attach = (url, options) => AttachedLibrary.attach(async (inWorker) => (inWorker && hasWorkers ? spawnParts : inPlace()), embedding, url, options);
