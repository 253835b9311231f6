// The types of what comes of a run; `index.d.ts` exports them all.

import type { Budget, Turn } from "./generated/agent-options.js";
import type { Span } from "./generated/documents-types.js";
import type { Capability } from "./generated/llm-types.js";
import type { By, Citation, RunEvent, StepError, Thought, ToolCall, Usage } from "./generated/run-types.js";
import type { Clarification, Relaxation } from "./generated/styles-types.js";
import type { Suspicion } from "./generated/trust-types.js";
import type { Filter, Hit } from "./search.js";
import type { Coverage, Output, RunState } from "./styles.js";
import type { LedgerEntry, Removed } from "./trust.js";

/** A sentence of the answer, and what supports it. */
export interface GroundedSentence {
  /** The sentence. */
  text: string;
  /** Where it stands in the answer. */
  at: Span;
  /** Whether a passage holds what it claims. */
  supported: boolean;
  /** How much of it the chunk holds, in [0, 1]. */
  score: number;
  /** Whether the chunk says it in the very same words; absent where it is put in others. */
  verbatim?: boolean;
  /** Names, numbers and quotations that no support holds. */
  missing?: string[];
  /** Of a sentence without support, the nearest. */
  chunkId?: string;
  /** The document of that chunk. */
  docId?: string;
  /** Where the supporting words stand in the chunk's document. */
  span?: Span;
}

/** What flows through the steps. */
export interface Context {
  /** What was asked. */
  question: string;
  /** What was said before, within `historyTokens`: hand it on with the next question. */
  history?: Turn[];
  /** The most chunks each search keeps. */
  limit: number;
  /** The least cosine that was asked of vector hits; null where none was. */
  threshold: number | null;
  /** Only chunks of documents whose metadata this wants. */
  filters?: Filter;
  /** Whether no search is needed. */
  skipRetrieval: boolean;
  /** The question in words that stand by themselves. */
  rewrittenQuestion?: string;
  /** The question with words that mean the same. */
  expandedQuery?: string;
  /** Those chosen for the run, if any. */
  collections: string[] | null;
  /** Why those collections. */
  selectionReasoning?: string;
  /** What the question was taken apart into: itself alone where it is simple. */
  subQuestions?: string[];
  /** What decomposition in two phases made of the question. */
  plan?: Record<string, any>;
  /** Absent if no search step ran. */
  results?: { question: string; collection: string; chunks: Hit[]; iterations: number }[];
  /** The chunks in the order that a later step gave them. */
  evidence?: Hit[];
  /** Null where there is none. */
  answer: string | null;
  /** Who wrote it. */
  answeredBy?: By;
  /** The answer without the passages that are never sent, where a rule has quoted those: what an LLM is told of it later. */
  told?: string;
  /**
   * Passages of documents marked `neverSend` that the question finds as well, in a run with an LLM: for the user alone. No step
   * knows of them but `answer`, where it goes by its rule and quotes them.
   */
  withheld?: Hit[];
  /** What the answer was made from: `[n]` names the n-th. */
  contextUsed: Hit[];
  /** Where it cites, in its order. */
  citations: Citation[];
  /** What was cited and names no passage; it was removed from the answer. */
  invalidCitations: string[];
  /** What was taken out of the answer: tags, pictures, and addresses that its evidence does not hold. */
  removed?: Removed[];
  /** What supports each of its sentences, after `ground`. */
  grounding?: GroundedSentence[];
  /** What was given up to find anything at all. */
  relaxations?: Relaxation[];
  /** What the user was asked. */
  clarification?: Clarification;
  /** The answer as rows, where a list, a table, a count or a sum is wanted. */
  output?: Output;
  /** The steps that were taken, in order. */
  stepsTaken: string[];
  /** What steps of yours left for others. */
  custom?: Record<string, any>;
}

/** What every run leaves, however it ended. */
export interface RunOutcome extends Omit<Context, "clarification"> {
  /** What is suspicious in the passages that LLMs were shown. */
  suspicions?: Suspicion[];
  /** What was decided, and why, in turn. */
  reasoningTrace: Thought[];
  /** Every call of an LLM, a searcher or a function. */
  toolCalls: ToolCall[];
  /** Every request that was handed to an LLM function, and every call of a tool of yours, or that was not let go, in turn. */
  ledger: LedgerEntry[];
  /** What it cost. */
  usage: Usage;
  /** What each part of the question, and each condition, is covered by; absent where nothing was searched. */
  coverage?: Coverage[];
  /** Whether the library had changed when this run was gone on with. */
  indexChanged?: boolean;
  /** Whether the LLM was found to take tools; absent where none were offered. */
  takesTools?: boolean;
  /** How the agent's LLM was found to take requests for JSON. */
  capability?: Capability;
  /** How those of steps were, by their names in the pipeline's data; a function that several steps have goes by the first. */
  capabilities?: Record<string, Capability>;
  /** Where calls or tokens are limited: how many calls of an LLM each step wanted, and how many were planned before the run began. Of a looping style, `rerank` is what ranking its searches by an LLM asks. */
  budgetPlan?: { step: string; wanted: number; planned: number }[];
  /** What ran out first. */
  budgetExhausted?: keyof Budget;
  /**
   * What failed and was gone on after: the LLM in the answer step, for one, whose answer is then quoted; with the code
   * `llm_cut_off`, an answer that ends too early; `never_sent` and `send_denied`, a step that did without it; `tool_denied`, a tool that was not run.
   */
  failures?: StepError[];
}

/**
 * How a run ended, and what goes with that: compare `terminatedBy`. `error` is the step that ended it by failing, `state` what
 * `agent.resume` goes on from, `clarification` what the user is asked.
 */
export type Ending =
  /** Every step ran. There is a `state` where only one node of a graph was taken. */
  | { terminatedBy: "completed"; error: null; state?: RunState; clarification?: undefined; partial?: undefined }
  /** Every step ran, some with less than they would have had; `budgetExhausted` says what ran out. */
  | { terminatedBy: "budget"; error: null; state?: RunState; clarification?: undefined; partial?: undefined }
  /** The user is asked something first. */
  | { terminatedBy: "clarify"; error: null; state: RunState; clarification: Clarification; partial?: undefined }
  /** A step failed. */
  | { terminatedBy: "error"; error: StepError; state?: RunState; clarification?: Clarification; partial?: undefined }
  /** The signal was aborted. `partial` is what the step that was writing the answer had passed on as tokens, its citations unchecked. */
  | { terminatedBy: "aborted"; error: StepError | null; state?: RunState; clarification?: Clarification; partial?: string };

/** What comes of a run. */
export type RunResult = RunOutcome & Ending;

/** A run under way. Every iteration sees every event. */
export interface Run<Result extends RunResult = RunResult> extends AsyncIterable<RunEvent> {
  /** Rejects on misuse alone. */
  readonly result: Promise<Result>;
}
