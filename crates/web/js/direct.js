// The engine on the calling thread, for custom workers, tests and Node. Models still run in workers where available.

import { atOnce } from "./at-once.js";
import { build, modules } from "./build.js";
import { EmbedderPool } from "./embedder-pool.js";
import { encoderInPlace } from "./encoder-in-place.js";
import { hasWorkers } from "./has-workers.js";
import { inPlace } from "./hosts.js";
import { knowledgeBaseClass } from "./knowledge-base.js";
import * as chroma from "./chroma.js";
import { pairModels } from "./pair-models.js";
import { searchers } from "./searcher.js";
import { spawnEmbedder } from "./spawn-embedder.js";

export { Agent } from "./agent.js";
export { parseChunkId } from "./chunk-id.js";
export { Embedder } from "./embedder.js";
export { VademecumError } from "./error.js";

const oneInPlace = (kind) => new EmbedderPool({ ...kind, workers: 1 }, encoderInPlace, modules);

export const KnowledgeBase = knowledgeBaseClass(inPlace(hasWorkers ? build : { ...build, encoders: oneInPlace }), atOnce);
export const { Reranker, Reader } = hasWorkers ? pairModels(atOnce.pairs, spawnEmbedder) : pairModels(atOnce.pairs, encoderInPlace, 1);
export const Searcher = searchers(async () => chroma);
