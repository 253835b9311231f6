// What stands between an engine and the functions of the user's: fetched once a run needs it.

export { Ledger } from "./ledger.js";
export { llmParts } from "./llm.js";
