// The package's default entry: the engine runs in a worker.

import { sendingVectors } from "./embed-ahead.js";
import { knowledgeBaseClass } from "./knowledge-base.js";
import { onDemand, part } from "./on-demand.js";
import { pairModels } from "./pair-models.js";
import { remotes } from "./remotes.js";
import { searchers } from "./searcher.js";
import { spawnEmbedder } from "./spawn-embedder.js";
import { spawnEngine } from "./spawn-engine.js";

export { Agent } from "./agent.js";
export { parseChunkId } from "./chunk-id.js";
export { Embedder } from "./embedder.js";
export { VademecumError } from "./error.js";

export const KnowledgeBase = knowledgeBaseClass(sendingVectors(spawnEngine), { ...onDemand, remotes: remotes(part("remote.js", () => import("./remote.js"))) });
export const { Reranker, Reader } = pairModels(onDemand.pairs, spawnEmbedder);
export const Searcher = searchers(part("chroma.js", () => import("./chroma.js")));
