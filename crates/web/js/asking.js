// The layer between an engine and the user's functions, fetched when a run needs it.

export { Ledger } from "./ledger.js";
export { llmParts } from "./llm.js";
