// The agent of the public API: pipelines are built here as plain data and run by the engine.

import { invalid } from "./error.js";
import { budget, checked, cosine, filters, func, history, names, oneOf, shown, text, whole } from "./options.js";
import { Pipeline } from "./pipeline.js";

const SHARED = { model: text, capability: oneOf("tools", "schema", "json", "text"), budget, concurrency: whole(1) };
const AGENT = { llm: func, onBeforeSend: func, ...SHARED };
const PIPELINE = { limit: whole(1), threshold: cosine, collections: names, filters, history, ...SHARED };

/** How each LLM was found to take requests for JSON. A run that knows need not find out again. */
const capabilities = new WeakMap();

/** Answers questions from a knowledge base. Without `llm` the answers are made of the documents' own sentences. */
export class Agent {
  #kb;
  #llm;
  #onBeforeSend;
  #shared;

  constructor(kb, options) {
    if (typeof kb?.runPipeline !== "function") throw invalid("kb", "a KnowledgeBase", shown(kb));
    const { llm, onBeforeSend, ...shared } = checked("Agent", options, AGENT);
    this.#kb = kb;
    this.#llm = llm;
    this.#onBeforeSend = onBeforeSend;
    this.#shared = shared;
  }

  /** Begins a pipeline: `agent.pipeline(question).search().answer().run()`. */
  pipeline(question, options) {
    if (typeof question !== "string") throw invalid("question", "a text", shown(question));
    const own = checked("pipeline", options, PIPELINE);
    const start = { question, ...this.#shared, ...own };
    // A limit that the pipeline does not name is the agent's.
    if (this.#shared.budget && own.budget) start.budget = { ...this.#shared.budget, ...own.budget };
    return new Pipeline(start, (run) => this.#begin(run));
  }

  /** A pipeline from the data that `toJSON` gave, with the functions that it names: `pipeline.functions`, or others. */
  pipelineFrom(data, functions) {
    if (typeof data !== "object" || data === null) throw invalid("pipeline", "the data of a pipeline", shown(data));
    const { question, steps, ...options } = data;
    return Pipeline.steps(this.pipeline(question, options), steps, functions);
  }

  async #begin({ pipeline, functions, onBeforeSend = this.#onBeforeSend, signal, onEvent }) {
    const { steps, names } = byIdentity(pipeline.steps, functions, this.#llm);
    const known = (llm) => pipeline.capability ?? capabilities.get(llm);
    const ofSteps = names.map(([llm, name]) => [name, known(llm)]).filter(([, capability]) => capability !== undefined);
    const data = { ...pipeline, steps, capabilities: Object.fromEntries(ofSteps) };
    if (known(this.#llm) !== undefined) data.capability = known(this.#llm);
    const result = await this.#kb.runPipeline(data, { llm: this.#llm, functions, onBeforeSend, signal, onEvent });
    const found = [[this.#llm, result.capability], ...names.map(([llm, name]) => [llm, result.capabilities?.[name]])];
    for (const [llm, capability] of found) if (llm && capability) capabilities.set(llm, capability);
    return result;
  }
}

/**
 * The steps, with one name for each LLM: a function that several were given goes by that of the first, and the agent's own by
 * none, so that a run finds out once how it takes JSON, and whether it is there. `names` are those of the others.
 */
function byIdentity(steps, functions, own) {
  const names = new Map();
  const named = ({ llm: name, ...step }) => {
    const llm = functions.get(name);
    if (llm === undefined || llm === own) return step;
    if (!names.has(llm)) names.set(llm, name);
    return { ...step, llm: names.get(llm) };
  };
  return { steps: steps.map(named), names: [...names] };
}
