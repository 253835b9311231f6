// The lite build: the engine runs in a worker.

import { knowledgeBaseClass } from "../knowledge-base.js";
import { onDemand } from "../on-demand.js";
import { spawnEngine } from "./spawn-engine.js";
import { noRemotes } from "./no-encoders.js";

export { Agent } from "../agent.js";
export { parseChunkId } from "../chunk-id.js";
export { Embedder, Reader, Reranker, Searcher } from "./embedder.js";
export { VademecumError } from "../error.js";

export const KnowledgeBase = knowledgeBaseClass(spawnEngine, { ...onDemand, remotes: noRemotes });
