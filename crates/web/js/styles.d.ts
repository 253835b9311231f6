// The types of the styles that decide in a loop; `index.d.ts` exports them all.

import type { StepOptions } from "./generated/pipeline-options.js";
import type { Context, ToolCall } from "./generated/run-types.js";
import type { Hit } from "./generated/search-types.js";
import type { Awaitable, CallContext, Changes, StepFunction } from "./pipeline.js";
import type { Run, RunResult } from "./run.js";
import type { Filter } from "./search.js";

/** What steps of a style are given for themselves, by their names in events. */
export type StyleSteps<Step extends string> = { [step in Step]?: StepOptions | undefined };

/** What `agent.react` has beside what every run has. */
export interface ReactOutcome {
  /** The documents that the answer cites, where `citations` is true. */
  sources?: { title: string; path: string; page: number | null; score: number }[];
  /** What was decided, and why, in turn. */
  reasoningSteps: string[];
  /** How many searches were made. */
  searchCount: number;
  /** How often the model decided. */
  iterations: number;
}

/** What comes of `agent.react`. */
export type ReactResult = RunResult & ReactOutcome;

/** What `agent.graph` has beside what every run has. */
export interface GraphOutcome {
  /** The conversation so far, with this question and its answer. */
  messages: { role: "user" | "assistant"; content: string }[];
  /** The question. */
  query: string;
  /** What was made of it: its intent, and what it is about. */
  queryAnalysis: { intent?: string; concepts?: string[] };
  /** The calls that were wanted first. */
  retrievalPlan: { tool: string; args: Record<string, any> }[];
  /** The passages that the answer was made from. */
  documents: Hit[];
  /** The calls that were made. */
  toolCallsMade: ToolCall[];
  /** How often calls were made. */
  iteration: number;
  /** How often they could have been. */
  maxIterations: number;
  /** Whether there is no answer. */
  needsMoreInfo: boolean;
}

/** What comes of `agent.graph`. */
export type GraphResult = RunResult & GraphOutcome;

/** Names the node that follows; nothing for what usually follows. */
export type GraphRouter = (state: Context, call: CallContext) => Awaitable<string | null | undefined | void>;

/** What a node that is taken alone is given: what a step of yours could change, and calls of tools that `execute_tools` is to make. */
export interface NodeInput extends Changes {
  /** The calls, in order. */
  calls?: { tool: string; args: Record<string, any> }[] | undefined;
}

/**
 * A run of the graph. It begins behind the code that made it: until then, in the same turn, it takes nodes and edges of yours. The
 * nodes of every graph are `rewrite` (where there is a history), `analyze_query`, `execute_tools`, `grade_results`, `synthesize` and
 * `ground`; a run begins at `start` and ends at `end`.
 */
export interface GraphRun extends Run<GraphResult> {
  /** Adds a node: it is given the state, and returns what it changes. An edge has to lead to it. */
  addNode(name: string, run: StepFunction): this;
  /**
   * Says what follows a node, in the place of what usually does: another one, or the one that a function names. No edge leads to a node
   * more often than `maxIterations` times; what usually follows comes then.
   */
  addEdge(from: string, to: string | GraphRouter): this;
  /**
   * Takes one node alone: from where `result.state` of another run is, or with what it is given. The result's `state` is what the run can
   * be gone on with, by the next `step` or by `agent.resume`.
   */
  step(name: string, from?: RunState | NodeInput): this;
}

/** What a tool of yours is told beside its arguments. */
export interface ToolCallContext {
  /** Aborted when nobody waits for the result any more. */
  signal: AbortSignal;
  /** How far the run has come; frozen. Documents that are never sent are not in it. */
  state: ToolState;
}

/** How far a run has come, as a tool of yours reads it. */
export interface ToolState {
  /** The question in words that stand by themselves. */
  question: string;
  /** The question as it was asked. */
  originalQuestion: string;
  /** What it was taken apart into. */
  subQuestions: string[];
  /** The collections of the run; null for all. */
  collections: string[] | null;
  /** The conditions of the run. */
  filters: Filter | null;
  /** How often the model has decided what to do next. */
  iteration: number;
  /** The searches so far, and how many chunks each found. */
  searches: { question: string; collection: string; chunks: number }[];
  /** The calls of tools so far, and the code of what failed. */
  calls: { tool: string; arguments: any; error: string | null }[];
  /** The passages found so far. */
  evidence: { id: string; docId: string; collection: string; title: string | null; page: number | null }[];
}

/** Plain JSON: what a run is gone on with in another tab, or on another day. It holds passages of the documents. */
export type RunState = { version: 1 } & Record<string, unknown>;
