// The lite build's engine in place.

import { build } from "./build.js";
import { inPlace } from "../hosts.js";
import { knowledgeBaseClass } from "../knowledge-base.js";

export { Agent } from "../agent.js";
export { parseChunkId } from "../chunk-id.js";
export { Embedder } from "./embedder.js";
export { VademecumError } from "../error.js";

export const KnowledgeBase = knowledgeBaseClass(inPlace(build));
