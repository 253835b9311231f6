// The pipeline builder: checks steps when they are added, and stores them as data. Functions among their options are
// replaced by names when the data is requested.

import { invalid, meant } from "./error.js";
import { callable } from "./functions.js";
import { FUNCTIONS, RUN_START } from "./generated/agent-table.js";
import { SEARCH_RERANK_DEFAULTS } from "./generated/knowledge-base-table.js";
import { checked, shown } from "./options.js";
import { bound } from "./plain.js";
import { Run } from "./run.js";
import { ALIASES, STEPS } from "./steps.js";

/** Immutable: every step returns a new pipeline, so that pipelines can share their first steps. */
export class Pipeline {
  #start;
  #steps;
  #begin;
  #reranker;

  /**
   * @param {any} start
   * @param {(run: any) => Promise<any>} begin called with `{ pipeline, functions, onBeforeSend, signal, onEvent }`; returns the promise of the result
   * @param {{ steps?: any[], reranker?: any }} [parts] the steps so far, and what ranks where a step names nothing else
   */
  constructor(start, begin, { steps = [], reranker } = {}) {
    bound(this);
    this.#start = start;
    this.#steps = steps;
    this.#begin = begin;
    this.#reranker = reranker;
  }

  gate(options) {
    return this.#with("gate", options);
  }

  rewrite(options) {
    return this.#with("rewrite", options);
  }

  select(options) {
    return this.#with("select", options);
  }

  /** An alias of `select`. */
  route(options) {
    return this.select(options);
  }

  expand(options) {
    return this.#with("expand", options);
  }

  decompose(options) {
    return this.#with("decompose", options);
  }

  search(options) {
    return this.#with("search", options);
  }

  /** By the knowledge base's reranker, if the options name no other and no LLM. */
  rerank(options) {
    const named = options?.reranker ?? options?.llm ?? options?.prompt;
    const reranker = named ? options?.reranker : this.#reranker;
    if (!reranker) return this.#with("rerank", options);
    // A cross-encoder takes some milliseconds per passage.
    return this.#with("rerank", { ...(reranker.rate && { fetch: SEARCH_RERANK_DEFAULTS.top }), ...options, reranker });
  }

  reason(options) {
    return this.#with("reason", options);
  }

  answer(options) {
    return this.#with("answer", options);
  }

  ground(options) {
    return this.#with("ground", options);
  }

  /** A custom step: `async (context, { signal }) => changes`. */
  step(name, run) {
    STEPS.custom.name("step's name", name);
    STEPS.custom.function(`step ${name}`, run);
    return this.#with("custom", { name, function: run });
  }

  /** Returns the pipeline as plain data, with names in place of functions. */
  toJSON() {
    const named = (step, at) => ([option, value]) => [option, typeof value === "function" ? nameOf(step, at, option) : value];
    const steps = this.#steps.map(({ step, options }, at) => ({ step, ...Object.fromEntries(Object.entries(options).map(named(step, at))) }));
    return { ...this.#start, steps };
  }

  /** The functions by their names in the data. */
  get functions() {
    return Object.fromEntries([...this.#functions()].map(([name, { own }]) => [name, own]));
  }

  /** Starts a run. Errors of the pipeline as a whole reject the result. */
  run(options) {
    const ends = checked("run", options, RUN_START);
    const functions = new Map([...this.#functions()].map(([name, { option, own }]) => [name, callable(option, own)]));
    return new Run((onEvent) => this.#begin({ pipeline: this.toJSON(), functions, onEvent, ...ends }));
  }

  #functions() {
    return this.#steps.flatMap(({ step, options }, at) =>
      Object.entries(options)
        .filter(([, value]) => typeof value === "function")
        .map(([option, own]) => /** @type {[string, any]} */ ([nameOf(step, at, option), { option, own }])),
    );
  }

  #with(step, options) {
    const steps = [...this.#steps, { step, options: checked(step, options, STEPS[step], ofRun) }];
    return new Pipeline(this.#start, this.#begin, { steps, reranker: this.#reranker });
  }

  /** Returns the steps of saved data, with the functions that it refers to. */
  static steps(pipeline, steps, functions) {
    if (!Array.isArray(steps)) throw invalid("pipeline.steps", "an array of steps", shown(steps));
    const byName = functions instanceof Map ? functions : new Map(Object.entries(functions ?? {}));
    return steps.reduce((sofar, data, at) => {
      const { step: named, ...options } = data ?? {};
      const step = Object.hasOwn(ALIASES, named ?? "") ? ALIASES[named] : named;
      if (!Object.hasOwn(STEPS, step ?? "")) throw invalid(`pipeline.steps[${at}].step`, `one of ${Object.keys(STEPS).join(", ")}`, shown(step), meant(step, [...Object.keys(STEPS), ...Object.keys(ALIASES)], JSON.stringify));
      return sofar.#with(step, found(options, byName));
    }, pipeline);
  }
}

/** Search options that are set once, for all steps of a run. */
const OF_RUN = ["limit", "threshold", "filters"];

/** Returns the end of the message about an option that belongs to the run rather than to a step. */
function ofRun(key) {
  const option = OF_RUN.find((one) => meant(key, [one]));
  return option ? ` That is said once, for all steps: \`agent.pipeline(question, { ${option} })\`.` : "";
}

/** Counts from 1: the prompt of a second step that decomposes is `2.decompose.prompt`. */
const nameOf = (step, at, option) => `${at + 1}.${step}.${option}`;

function found(options, functions) {
  const resolved = ([option, value]) => {
    if (!FUNCTIONS.includes(option) || typeof value !== "string") return [option, value];
    const own = functions.get(value);
    if (typeof own !== "function" && !(option === "searcher" && own)) throw invalid("functions", `an object that holds the function \`${value}\`, which the pipeline names`, "without it");
    return [option, own];
  };
  return Object.fromEntries(Object.entries(options).map(resolved));
}
