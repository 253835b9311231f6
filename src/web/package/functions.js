// The user's functions in a pipeline. The pipeline, which is data, holds their names; the engine calls each with one
// object, and here it becomes the arguments that the function is documented with.

import { VademecumError } from "./error.js";
import { unlessAborted } from "./wait.js";

const ofChunks = (own) => ({ question, chunks, ...rest }, { signal }) => own(question, chunks, { ...rest, signal });

const CALLS = {
  prompt: (prompt) => prompt,
  sufficientPrompt: ofChunks,
  rewritePrompt: ofChunks,
  searcher: (searcher) => ({ question, collection, ...limits }, { signal }) => searcher(question, collection, { ...limits, signal }),
  reranker: ofChunks,
  function: (step) => step,
  tool: (execute) => execute,
};

/** A function as the engine calls it. An LLM is called by `llm.js`, which knows all forms of its reply. */
export function callable(option, own) {
  if (option === "llm") return own;
  const call = CALLS[option](own);
  return async (input, context) => plain("its result", await unlessAborted(context.signal, call(input, context)));
}

const LEVELS = 64;

/** A copy in JSON's own types. What has none is an error here: on its way to the engine it would get lost in silence. */
function plain(path, value, levels = LEVELS) {
  const wrong = (what) => new VademecumError(`${path} is ${what}`, { code: "function_result" });
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return value;
  if (typeof value !== "object") throw wrong(typeof value === "number" ? String(value) : `a ${typeof value}`);
  if (levels === 0) throw wrong(`nested more than ${LEVELS} levels deep, or a circle`);
  if (typeof value.toJSON === "function") return plain(path, value.toJSON(), levels - 1);
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && Symbol.iterator in value)) {
    return Array.from(value, (one, at) => plain(`${path}[${at}]`, one, levels - 1));
  }
  const prototype = Object.getPrototypeOf(value);
  // An object of another realm has another prototype, which has none itself.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw wrong(`an instance of ${value.constructor?.name ?? "a class"}`);
  if (Symbol.iterator in value) throw wrong(`an instance of ${value.constructor?.name}`);
  const given = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(given.map(([name, one]) => [name, plain(`${path}.${name}`, one, levels - 1)]));
}
