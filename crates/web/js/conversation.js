// Conversations: later questions take earlier questions and answers into account.

import { styleOptions } from "./agent-kinds.js";
import { invalid, VademecumError } from "./error.js";
import { ANSWERERS, CONVERSATION_DEFAULTS, CONVERSATION_OPTIONS, FUNCTIONS, RUN_START } from "./generated/agent-table.js";
import { any, checked, func, shown } from "./options.js";
import { bound, plain } from "./plain.js";
import { Run } from "./run.js";
import { wrongState } from "./storage/conversations.js";
import { Thread } from "./thread.js";

const VERSION = 1;
/** The name of a custom style in saved data, and in the functions that belong to it. */
const OWN_STYLE = "style";

const { keep: _, turns: history, ...KEPT } = CONVERSATION_OPTIONS;
const SAVED = { ...KEPT, version: any, turns: plain, history, pending: plain };
/** Options for a resumed run; all others are part of its state. */
const RESUMED = ["budget", ...Object.keys(RUN_START)];

export class Conversation {
  #agent;
  #given;
  #thread;
  #asked = { options: {} }; // the options of the pending question, with its run

  /** @param thread holds the turns */
  constructor(agent, given, thread) {
    bound(this);
    this.#agent = agent;
    this.#given = given;
    this.#thread = thread;
    const { style } = given;
    if (typeof style === "string" && typeof agent[style] !== "function") {
      const there = ANSWERERS.filter((one) => typeof agent[one] === "function").map((one) => `"${one}"`);
      throw invalid("conversation.style", `${there.join(", ")} or a function`, `"${style}", which this agent has not`);
    }
    thread.load().catch(() => {}); // reported to callers of `ask` and `ready`
  }

  /** Calls `listener` at every change; returns a function that unsubscribes. Does not use `this`. */
  subscribe = (listener) => this.#thread.subscribe(func("listener", listener));

  /** All turns, oldest first: the same list until one is added. */
  get turns() {
    return this.#thread.turns;
  }

  /** The history that the next question will see. */
  get history() {
    return this.#thread.history;
  }

  /** The question that the user has to answer before the last run can continue, or null. */
  get pending() {
    return this.#thread.pending?.clarification ?? null;
  }

  /** Resolves when the stored turns are loaded. */
  get ready() {
    return this.#thread.load().then(() => {});
  }

  /**
   * Asks a question after all earlier ones; or replies, if the user was asked something. A run that fails, is aborted or asks
   * the user adds no turn; with `keepPartial`, one that was aborted while it answered does.
   */
  ask(question, options) {
    if (typeof question !== "string") throw invalid("question", "a string", shown(question));
    const { signal, ...own } = options === undefined || options === null ? {} : styleOptions("ask", options);
    const id = newId();
    const { times, clarified } = this.#thread;
    return new Run(
      (onEvent) =>
        this.#thread.next(signal, async () => {
          const before = this.#thread.history;
          // A question queued before the clarification is not a reply to it.
          const pending = clarified === this.#thread.clarified ? this.#thread.pending : null;
          const given = { ...(pending?.runId === this.#asked.runId && this.#asked.options), ...own };
          const run = await (pending ? this.#resume(pending, question, given, signal) : this.#begin(question, { ...own, history: before }, signal));
          if (typeof run?.result?.then !== "function") throw notARun(run);
          const [result] = await Promise.all([run.result, passOn(run, onEvent)]);
          const isPart = this.#given.keepPartial === true && typeof result.partial === "string";
          if (hasFailed(result) && !isPart) return result;
          const asked = pending?.question ?? question;
          if (result.terminatedBy === "clarify") this.#asked = { runId: id, options: given };
          const failure = await this.#note(id, asked, result, before, times);
          return failure ? { ...result, failures: [...(result.failures ?? []), asFailure(failure)] } : result;
        }),
      id,
    );
  }

  /** Discards the clarification: the next `ask` is a new question. */
  async dismiss() {
    await this.#thread.dismiss();
  }

  /** Deletes all turns, including stored ones, and discards running questions. */
  async clear() {
    await this.#thread.anew();
  }

  /** Returns another conversation with the same turns, which is not stored. */
  fork() {
    return new Conversation(this.#agent, this.#given, new Thread(this.#thread.state));
  }

  /** Returns the conversation as plain data, with names in place of functions. */
  toJSON() {
    const { style, options, tokens, keepPartial } = this.#given;
    const named = mapped("options", options, (path, value) => (typeof value === "function" ? path : value));
    return { version: VERSION, style: typeof style === "function" ? OWN_STYLE : style, options: named, tokens, ...(keepPartial && { keepPartial }), ...this.#thread.state };
  }

  /** The functions by their names in the data. */
  get functions() {
    const { style, options } = this.#given;
    const all = [[OWN_STYLE, style]];
    mapped("options", options, (path, value) => void all.push([path, value]));
    return Object.fromEntries(all.filter(([, value]) => typeof value === "function"));
  }

  #begin(question, own, signal) {
    const { style, tokens, options } = this.#given;
    const given = { historyTokens: tokens, ...options, ...own };
    if (typeof style === "function") return style(this.#agent, question, given, { signal });
    if (style !== "pipeline") return this.#agent[style](question, { ...given, ...(signal && { signal }) });
    return this.#agent.pipeline(question, given).rewrite().decompose().search().answer().ground().run({ signal });
  }

  #resume({ state }, answer, own, signal) {
    const { functions, ...options } = { ...this.#given.options, ...own };
    const all = Object.entries(options);
    const taken = all.filter(([name]) => RESUMED.includes(name));
    const named = [];
    mapped("style", options, (path, value) => typeof value === "function" && FUNCTIONS.includes(path.split(".").at(-1)) && named.push([path, value]));
    return this.#agent.resume(state, answer, { ...Object.fromEntries(taken), signal, functions: { ...Object.fromEntries(named), ...functions } });
  }

  /** Adds the result of a question to the thread. Returns the error of storing it, or null. */
  async #note(runId, question, result, before, times) {
    if (result.terminatedBy !== "clarify") {
      const sofar = Array.isArray(result.history) ? result.history : before;
      return this.#thread.add(turnOf(runId, question, result), [...sofar, inHistory(question, result)], times);
    }
    const { clarification, state } = result;
    if (!clarification || !state) return null; // from a custom style: there is no state to resume
    return this.#thread.ask(JSON.parse(JSON.stringify({ runId, question, clarification, state })), times);
  }
}

const DEFAULTS = { style: "pipeline", options: {}, ...CONVERSATION_DEFAULTS };

/** @param threads returns the thread of a stored conversation: `(name, initial turns)` */
export function conversation(agent, options, threads) {
  const { keep, turns = [], ...given } = checked("conversation", options, CONVERSATION_OPTIONS);
  const said = turns.map((turn) => ({ answer: "", ...turn }));
  const start = { turns: said.filter((turn) => !turn.summary), history: said };
  return new Conversation(agent, { ...DEFAULTS, ...given }, keep === undefined ? new Thread(start) : threads(keep, start));
}

/** Restores the data of `toJSON`, with the functions that it refers to. */
export function conversationFrom(agent, data, functions) {
  const byName = functions instanceof Map ? functions : new Map(Object.entries(functions ?? {}));
  const found = (name) => {
    const own = byName.get(name);
    if (typeof own === "function") return own;
    throw invalid("functions", `an object that holds the function \`${name}\`, which the conversation names`, "without it");
  };
  if (typeof data !== "object" || data === null) throw invalid("conversation", "the data of a conversation", shown(data));
  if (data.version !== VERSION) throw invalid("conversation.version", String(VERSION), shown(data.version));
  const wrong = wrongState(data);
  if (wrong) throw invalid("conversation", "the data of a conversation", wrong);
  const own = data.style === OWN_STYLE ? { style: found(OWN_STYLE) } : {};
  const { turns, history, pending, options = {}, version: _, ...rest } = checked("conversation", { ...data, ...own }, SAVED);
  const resolved = mapped("options", options, (path, value) => (value === path ? found(value) : value));
  return new Conversation(agent, { ...DEFAULTS, ...rest, options: resolved }, new Thread({ turns, history, pending }));
}

async function passOn(run, onEvent) {
  if (typeof run[Symbol.asyncIterator] !== "function") return;
  for await (const event of run) onEvent(event);
}

/** Maps every value of the options with its path, including those of a style's steps. */
function mapped(where, options, change) {
  const deep = (path, value) => (`${path}.`.includes(".steps.") && typeof value === "object" && value !== null ? mapped(path, value, change) : change(path, value));
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, deep(`${where}.${name}`, value)]));
}

const hasFailed = ({ error, terminatedBy }) => Boolean(error) || ["error", "aborted"].includes(terminatedBy);

function turnOf(runId, question, result) {
  const { rewrittenQuestion, answeredBy, citations = [] } = result;
  return {
    runId,
    at: Date.now(),
    ...inHistory(question, result),
    citations,
    ...(rewrittenQuestion && { rewrittenQuestion }),
    ...(answeredBy && { answeredBy }),
    ...(result.partial !== undefined && { partial: true }),
  };
}

function inHistory(question, result) {
  const turn = { question, answer: result.answer ?? result.partial ?? result.told ?? "" };
  // A model may see its own earlier text, whatever it contains.
  if (!isWithheld(result)) return result.answeredBy === "llm" ? { ...turn, answeredBy: "llm" } : turn;
  return { ...turn, withheld: true, ...(typeof result.told === "string" && { told: result.told }) };
}

/**
 * Returns whether the answer may contain words that must not be sent: then no LLM sees it later. An LLM was shown none of them; a rule
 * quotes, with citations; the sources of a function's answer, and of a partial one, are unknown.
 */
function isWithheld({ answer, answeredBy, partial, output, citations = [], contextUsed = [], evidence = [], results = [] }) {
  // Rows contain metadata of documents beside their texts.
  if (output?.withheld) return true;
  const secret = [...contextUsed, ...evidence, ...results.flatMap(({ chunks }) => chunks)].filter(({ metadata }) => metadata?.neverSend === true);
  if (answeredBy === "function" || partial !== undefined) return secret.length > 0;
  const cited = new Set(citations.map(({ chunkId }) => chunkId));
  return secret.some(({ id, text }) => cited.has(id) || quotes(answer ?? "", text));
}

/** Minimum length of a sentence, in letters, that counts as a quotation rather than a coincidence. */
const TELLING = 24;

function quotes(answer, text) {
  const flat = (one) => one.replace(/\s+/g, " ").trim();
  const said = flat(answer);
  return text.split(/[.!?\n]/).some((sentence) => flat(sentence).length >= TELLING && said.includes(flat(sentence)));
}

const asFailure = ({ code, message, retryable }) => ({ code, step: "conversation", message, retryable: retryable === true });

const notARun = (run) =>
  new VademecumError(`The function for the style of a conversation must return a run, such as \`agent.pipeline(…).search().answer().run()\`, but returned ${shown(run)}.`, {
    code: "function_result",
  });

/** Returns 64 random bits. */
const newId = () => Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(16).padStart(8, "0")).join("");
