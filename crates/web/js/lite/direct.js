// The lite build with its engine on the calling thread.

import { atOnce } from "../at-once.js";
import { build } from "./build.js";
import { inPlace } from "../hosts.js";
import { knowledgeBaseClass } from "../knowledge-base.js";
import { noRemotes } from "./no-encoders.js";

export { Agent } from "../agent.js";
export { parseChunkId } from "../chunk-id.js";
export { Embedder, Reader, Reranker, Searcher } from "./embedder.js";
export { VademecumError } from "../error.js";

export const KnowledgeBase = knowledgeBaseClass(inPlace(build), { ...atOnce, remotes: noRemotes });
