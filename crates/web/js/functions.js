// The user's functions in a pipeline. The pipeline, which is data, holds their names; the engine calls each with one
// object, and here it becomes the arguments that the function is documented with.

import { VademecumError } from "./error.js";
import { asJson } from "./json.js";
import { unlessAborted } from "./wait.js";

const refused = (path, what) => new VademecumError(`${path} is ${what}`, { code: "function_result" });

const ofChunks = (own) => ({ question, chunks, ...rest }, { signal }) => own(question, chunks, { ...rest, signal });

const CALLS = {
  prompt: (prompt) => prompt,
  sufficientPrompt: ofChunks,
  rewritePrompt: ofChunks,
  searcher: (searcher) => ({ question, collection, ...limits }, { signal }) => searcher(question, collection, { ...limits, signal }),
  reranker: ofChunks,
  function: (step) => step,
  node: (node) => node,
  edge: (edge) => edge,
};

/** A function as the engine calls it. An LLM is called by `llm.js`, which knows all forms of its reply. */
export function callable(option, own) {
  if (option === "llm") return own;
  const call = CALLS[option](own);
  return async (input, context) => asJson("its result", await unlessAborted(context.signal, call(input, context)), refused);
}

/** A tool as the engine calls it: past the ledger, which says whether it may run. */
export function callableTool(execute, safe) {
  return async ({ state, ...call }, { signal }, ledger) => {
    await ledger.admitTool(call, { safe, signal });
    return asJson("its result", await unlessAborted(signal, execute(call.arguments, { signal, state: frozen(state) })), refused);
  };
}

function frozen(value) {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}
