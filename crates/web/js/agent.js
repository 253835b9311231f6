// The agent of the public API: builds pipelines as plain data, which the engine runs.

import { conversation, conversationFrom } from "./conversation.js";
import { invalid } from "./error.js";
import { callable } from "./functions.js";
import { AGENT_OPTIONS, FUNCTIONS, PIPELINE_OPTIONS, RESUME_OPTIONS } from "./generated/agent-table.js";
import { GraphRun, partsOf } from "./graph-run.js";
import { checked, func, oneOf, searcher, shown, text } from "./options.js";
import { Pipeline } from "./pipeline.js";
import { bound } from "./plain.js";
import { Run } from "./run.js";
import { holdersOf, shaped, STYLES, styleOf, toolOf } from "./styles.js";
import { Thread } from "./thread.js";

/** By LLM, whether it supports tools. */
const takesTools = new WeakMap();

/** By LLM, the detected form of requests for JSON, so that later runs need not detect it again. */
const capabilities = new WeakMap();

/** Answers questions from a knowledge base. Without `llm`, answers are quoted from the documents. */
export class Agent {
  #kb;
  #llm;
  #onBeforeSend;
  #onBeforeTool;
  #shared;
  #tools = new Map();

  constructor(kb, options) {
    if (typeof kb?.runPipeline !== "function") throw invalid("kb", "a KnowledgeBase", shown(kb));
    const { llm, onBeforeSend, onBeforeTool, ...shared } = checked("Agent", options, AGENT_OPTIONS);
    bound(this);
    this.#kb = kb;
    this.#llm = llm;
    this.#onBeforeSend = onBeforeSend;
    this.#onBeforeTool = onBeforeTool;
    this.#shared = shared;
    kb.expectRun?.();
  }

  /** Starts a pipeline: `agent.pipeline(question).search().answer().run()`. */
  pipeline(question, options) {
    if (typeof question !== "string") throw invalid("question", "a string", shown(question));
    const own = checked("pipeline", options, PIPELINE_OPTIONS);
    // Limits that the pipeline does not set are the agent's.
    const budget = this.#shared.budget && own.budget && { ...this.#shared.budget, ...own.budget };
    return new Pipeline({ question, ...this.#shared, ...own, ...(budget && { budget }) }, (run) => this.#begin(run), { reranker: this.#kb.reranker });
  }

  /** Restores a pipeline from the data of `toJSON`, with the functions that it refers to: `pipeline.functions`, or others. */
  pipelineFrom(data, functions) {
    if (typeof data !== "object" || data === null) throw invalid("pipeline", "the data of a pipeline", shown(data));
    const { question, steps, ...options } = data;
    return Pipeline.steps(this.pipeline(question, options), steps, functions);
  }

  /** The model decides: it calls tools until it answers. */
  react(question, options) {
    return this.#answer("react", question, options);
  }

  /** Plans, searches and reviews until the evidence is sufficient; may end with a question for the user. */
  investigate(question, options) {
    return this.#answer("investigate", question, options);
  }

  /** Analyses the question, makes the planned calls, grades the results, and writes the answer. */
  graph(question, options) {
    return /** @type {GraphRun} */ (this.#answer("graph", question, options, (begin) => new GraphRun(begin)));
  }

  /** Registers a tool for models: `{ name, description, parameters, execute }`. Replaces a tool of the same name. */
  tool(definition) {
    const { data, own } = toolOf(definition);
    this.#tools.set(data.name, { data, own });
    return this;
  }

  /** Returns the tools that a style's model is shown, including the user's, in the format of OpenAI-compatible endpoints. */
  async toolSchema(style) {
    oneOf(...Object.keys(STYLES))("style", style);
    return this.#kb.toolSchema(style, [...this.#tools.values()].map(({ data }) => data));
  }

  /**
   * Resumes a stopped run, with the user's reply if it asked a question: `saved` is its `result.state`, or
   * that of its last checkpoint. `functions` contains the user's functions that the state refers to.
   */
  resume(saved, answer, options) {
    const { functions: own = {}, budget: limits, ...ends } = checked("resume", options, RESUME_OPTIONS);
    if (answer !== undefined && answer !== null) text("answer", answer);
    const functions = new Map(Object.entries(own).map(([name, value]) => [name, restored(name, value)]));
    const { style, steps = [], question = "resume" } = saved?.pipeline ?? {};
    // Without a function that it refers to, a run would silently fall back to a rule.
    const named = [...holdersOf(style), ...(Array.isArray(steps) ? steps : [])].flatMap((one) => FUNCTIONS.map((option) => one?.[option]).filter((name) => typeof name === "string" && name !== "llm"));
    for (const part of [...listOf(style?.nodes), ...listOf(style?.edges)]) named.push(...[part?.function, part?.router].filter((name) => typeof name === "string"));
    const missing = named.find((name) => !functions.has(name));
    if (missing) throw invalid("functions", `an object that holds the function \`${missing}\`, which the saved run names`, "without it");
    const spent = limits || this.#shared.budget;
    const pipeline = { question, steps: [], resume: { state: saved, ...(answer && { answer }) }, ...(spent && { budget: { ...this.#shared.budget, ...limits } }) };
    return new Run((onEvent) => this.#begin({ pipeline, functions, onEvent, style, ...ends }));
  }

  #answer(name, question, options, runOf = (begin) => new Run(begin)) {
    if (typeof question !== "string") throw invalid("question", "a string", shown(question));
    const given = checked(name, options, STYLES[name]);
    const { signal, onCheckpoint, onBeforeSend, onBeforeTool, ...rest } = given;
    /** @param {[string, any]} entry */
    const isOwn = ([option]) => !Object.hasOwn(PIPELINE_OPTIONS, option);
    const { style, functions } = styleOf(name, Object.fromEntries(Object.entries(rest).filter(isOwn)));
    const shared = Object.fromEntries(Object.entries(rest).filter((entry) => !isOwn(entry)));
    const budget = this.#shared.budget && shared.budget && { ...this.#shared.budget, ...shared.budget };
    const pipeline = { question, ...this.#shared, ...shared, ...(budget && { budget }), steps: [], style };
    const called = (all) => new Map([...all].map(([name, { option, own }]) => [name, callable(option, own)]));
    return runOf((onEvent, parts) => {
      const own = parts ? partsOf(parts) : { only: null, style: {}, functions: [] };
      const whole = { ...pipeline, style: { ...style, ...own.style }, ...(own.only && { only: own.only }) };
      const all = called([...functions, ...own.functions]);
      return this.#begin({ pipeline: whole, functions: all, onBeforeSend, onBeforeTool, signal, onEvent, onCheckpoint, style });
    });
  }

  /** Starts a conversation, or, with `keep`, continues the one stored under that name. */
  conversation(options) {
    return conversation(this, options, (name, start) => this.#kb.thread(name, start, Thread));
  }

  /** Restores a conversation from the data of `toJSON`, with the functions that it refers to. */
  conversationFrom(data, functions) {
    return conversationFrom(this, data, functions);
  }

  async #begin({ pipeline, functions, onBeforeSend = this.#onBeforeSend, onBeforeTool = this.#onBeforeTool, signal, onEvent, onCheckpoint, style }) {
    const { steps, names } = byIdentity(pipeline.steps, functions, this.#llm);
    for (const { llm } of holdersOf(style)) if (llm) names.push([functions.get(llm), llm]);
    const tools = [...this.#tools.values()];
    for (const { data, own } of tools) functions.set(data.function, own);
    const unkept = [];
    const keep = async (state) => onCheckpoint?.(state);
    const lost = (thrown) => unkept.push({ code: "function_failed", step: "checkpoint", message: `\`onCheckpoint\` failed: ${thrown?.message ?? thrown}`, retryable: false });
    const listen = (event) => (event.type === "checkpoint" ? void keep(event.state).catch(lost) : onEvent(event));
    const known = (llm) => pipeline.capability ?? capabilities.get(llm);
    const ofSteps = names.map(([llm, name]) => [name, known(llm)]).filter(([, capability]) => capability !== undefined);
    const data = { ...pipeline, steps, capabilities: Object.fromEntries(ofSteps) };
    if (tools.length > 0) data.tools = tools.map(({ data }) => data);
    if (onCheckpoint) data.checkpoints = true;
    const asked = style?.llm ? functions.get(style.llm) : this.#llm;
    if (asked && takesTools.has(asked)) data.takesTools = takesTools.get(asked);
    if (known(this.#llm) !== undefined) data.capability = known(this.#llm);
    const result = await this.#kb.runPipeline(data, { llm: this.#llm, functions, onBeforeSend, onBeforeTool, signal, onEvent: listen });
    const found = [[this.#llm, result.capability], ...names.map(([llm, name]) => [llm, result.capabilities?.[name]])];
    for (const [llm, capability] of found) if (llm && capability) capabilities.set(llm, capability);
    if (asked && typeof result.takesTools === "boolean") takesTools.set(asked, result.takesTools);
    if (unkept.length > 0) result.failures = [...(result.failures ?? []), ...unkept];
    return shaped(style, result);
  }
}

const listOf = (value) => (Array.isArray(value) ? value : []);

/** Wraps a function that saved data refers to in the form in which the engine calls it. */
function restored(name, value) {
  const option = optionOf(name);
  return callable(option, (option === "searcher" ? searcher : func)(`functions.${name}`, value));
}

/** Returns the kind of a function in saved data: `2.decompose.prompt` is a prompt. */
function optionOf(name) {
  const option = name.split(".").at(-1);
  if ([...FUNCTIONS, "node", "edge"].includes(option)) return option;
  throw invalid("functions", "names as the saved data has them, such as `2.decompose.prompt`", shown(name));
}

/**
 * Returns the steps with one name per LLM: a function given to several steps has the name of the first, and the agent's own
 * none, so that a run detects its capabilities and failures only once. `names` are those of the others.
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
