// The engine in place, for workers of the user's own and for tests. Models still run in workers.

import { local } from "./channel.js";
import { engineHandlers } from "./engine.js";
import { closed } from "./error.js";
import { knowledgeBaseClass } from "./knowledge-base.js";
import { spawnEmbedder, spawnGraphBuilder } from "./spawn.js";

export { Agent } from "./agent.js";
export { Embedder } from "./embedder.js";
export { VademecumError } from "./error.js";

export const KnowledgeBase = knowledgeBaseClass((pageHandlers) => {
  const engine = local(engineHandlers(local(pageHandlers), { embedder: spawnEmbedder, graphBuilder: spawnGraphBuilder }));
  return { ...engine, terminate: () => engine.close(closed()) };
});
