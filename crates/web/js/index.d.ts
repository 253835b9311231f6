/// <reference lib="esnext.disposable" />
/** Private retrieval and question answering that runs wholly in a browser tab. */

export * from "./agent.js";
export * from "./conversation.js";
export * from "./documents.js";
export * from "./embedder.js";
export * from "./error.js";
export * from "./evaluate.js";
export * from "./generated/agent-options.js";
export * from "./generated/cases-options.js";
export * from "./generated/conversation-options.js";
export * from "./generated/documents-options.js";
export * from "./generated/embedder-options.js";
export * from "./generated/evaluate-options.js";
export * from "./generated/knowledge-base-options.js";
export * from "./generated/llm-types.js";
export * from "./generated/pipeline-options.js";
export * from "./generated/run-types.js";
export * from "./generated/search-options.js";
export * from "./generated/styles-options.js";
export * from "./knowledge-base.js";
export * from "./llm.js";
export * from "./pipeline.js";
export * from "./run.js";
export * from "./search.js";
export * from "./styles.js";
export * from "./trust.js";
