// The user's functions in a pipeline. The pipeline, which is data, contains their names; the engine calls each with one
// object, which is converted here to the documented arguments.

import { VademecumError } from "./error.js";
import { asJson } from "./json.js";
import { REMOTE } from "./options.js";
import { unlessAborted } from "./wait.js";

const refused = (path, what) => new VademecumError(`${path} is ${what}`, { code: "function_result" });

const ofChunks = (own) => ({ question, chunks, ...rest }, { signal }) => own(question, chunks, { ...rest, signal });

const CALLS = {
  prompt: (prompt) => prompt,
  sufficientPrompt: ofChunks,
  rewritePrompt: ofChunks,
  searcher: (searcher) => ({ question, collection, ...limits }, { signal }) => searcher(question, collection, { ...limits, signal }),
  reranker: ofChunks,
  reader: ofChunks,
  function: (step) => step,
  node: (node) => node,
  edge: (edge) => edge,
};

/** Wraps a function for the engine. LLMs are called through `llm.js`, which knows all forms of replies. */
export function callable(option, own) {
  if (option === "llm") return own;
  const remote = own[REMOTE];
  if (remote) return async (input, { signal }, _, once) => asJson("its result", await unlessAborted(signal, once(remote)), refused);
  const call = CALLS[option](own);
  return async (input, context) => asJson("its result", await unlessAborted(context.signal, call(input, context)), refused);
}

/** Wraps a tool for the engine: calls pass the ledger, which decides whether the tool may run. */
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
