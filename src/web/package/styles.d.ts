// The types of the styles that decide in a loop; `index.d.ts` exports them all.

import type { Budget, Llm, PipelineFunction, PipelineOptions, PromptFunction, RunResult, ToolCall } from "./agent.js";
import type { Hit } from "./index.js";
import type { OnBeforeSend } from "./trust.js";

/** What every run may be given when it begins. */
export interface RunStart {
  signal?: AbortSignal;
  /** Sees every request before it is sent. */
  onBeforeSend?: OnBeforeSend;
  /** Is given, after every step, what the run can be gone on with by `agent.resume`: keep it, and a closed tab loses nothing. */
  onCheckpoint?: (state: RunState) => void;
}

interface StyleRunOptions extends PipelineOptions, RunStart {
  /** Asked in the place of the agent's. */
  llm?: Llm;
  /** How many chunks a search finds. 6 unless named; 10 for `investigate`. */
  topK?: number;
  /** How many passages long a chain of evidence may be that a search follows, up to 4. 2 unless named. */
  hops?: number;
}

export interface ReactOptions extends StyleRunOptions {
  /** How often the model decides what to do next, from 1 to 10. 3 unless named. */
  maxIterations?: number;
  /** Whether the result lists its `sources`. */
  citations?: boolean;
  /** Writes the opening of the conversation, from `question` and `tools`. */
  prompt?: PromptFunction;
}

export interface InvestigateOptions extends StyleRunOptions {
  /** The most calls of tools, from 1 to 10. 4 unless named. */
  maxToolCalls?: number;
  /** The most queries of a plan. 4 unless named. */
  maxQueries?: number;
  /** Tokens of passages that the answer is written from. 3,000 unless named. */
  maxTokens?: number;
  /** How passages that are of no use are left out: the last that do not fit, or those that the LLM names. `window` unless named. */
  prune?: "window" | "llm";
  /** Whether the user may be asked. True unless named. */
  clarify?: boolean;
  /** `doc` unless named. */
  citations?: "number" | "doc";
}

export interface GraphOptions extends StyleRunOptions {
  /** How often calls are made, from 1 to 10. 3 unless named. */
  maxIterations?: number;
  /** The most calls at once. 4 unless named. */
  maxCalls?: number;
  /** Tokens of passages that the answer is written from. 3,000 unless named. */
  maxTokens?: number;
}

export interface ReactResult extends RunResult {
  /** The documents that the answer cites, where `citations` is true. */
  sources?: { title: string; path: string; page: number | null; score: number }[];
  reasoningSteps: string[];
  searchCount: number;
  iterations: number;
}

export interface GraphResult extends RunResult {
  messages: { role: "user" | "assistant"; content: string }[];
  query: string;
  queryAnalysis: { intent?: string; concepts?: string[] };
  retrievalPlan: { tool: string; args: Record<string, any> }[];
  documents: Hit[];
  toolCallsMade: ToolCall[];
  iteration: number;
  maxIterations: number;
  needsMoreInfo: boolean;
}

export interface Tool {
  /** What a model calls it: letters, digits, `_` and `-`. */
  name: string;
  /** When to use it. */
  description?: string;
  /** The JSON schema of its arguments. */
  parameters?: object;
  /** Text or plain data is told to the model; a list of `{ id, text }` becomes evidence that can be cited. What it throws is told, too. */
  execute: (args: any, call: { signal: AbortSignal }) => unknown;
}

/** A question for the user, where going on would be guessing. */
export interface Clarification {
  type: "no_results" | "overload";
  /** In a sentence or two. */
  question: string;
  missingInfo: string;
  /** How many documents fulfil all conditions. */
  total: number;
  /** What would narrow it. */
  facets: { field: string; values: { value: unknown; count: number }[] }[];
  /** Answers that are understood as they are: give `id` or `label` to `agent.resume`. */
  options: { id: string; label: string; change: unknown }[];
  tried: Relaxation[];
}

/** Something that was given up, because nothing was found with it. */
export interface Relaxation {
  /** `threshold`, or a condition as `field operator value`. */
  without: string;
  field?: string;
  /** How many chunks, or for a condition documents, there are without it. */
  found: number;
  /** Whether the run went on without it; a condition is given up only where the user says so. */
  used: boolean;
}

/** A part of the question, or a condition, and what covers it. */
export interface Coverage {
  kind: "subQuestion" | "constraint";
  text: string;
  status: "covered" | "partial" | "gap";
  /** How much of the question's words the chunks hold, in [0, 1]. */
  share: number;
  /** Ids, the best first. */
  chunks: string[];
  /** Words of the question that no chunk holds. */
  missing: string[];
}

/** The answer as rows, one a document. */
export interface Output {
  format: "natural_language" | "table" | "list";
  /** How many rows there would be, were they not cut. */
  total: number;
  /** `title`, then metadata fields. */
  columns: string[];
  rows: unknown[][];
  /** Collection and id of each row's document. */
  documents: [string, string][];
  /** The same as RFC 4180 has it; what a spreadsheet would take for a formula is marked as text. */
  csv: string;
  /** Whether a row is of a document that is never sent. */
  withheld?: boolean;
}

/** Plain JSON: what a run is gone on with in another tab, or on another day. It holds passages of the documents. */
export type RunState = { version: 1 } & Record<string, unknown>;

export interface ResumeOptions extends RunStart {
  /** What may be spent from here on. */
  budget?: Budget;
  /** Functions that the state names: those of `pipeline.functions`. Tools are the agent's. */
  functions?: Record<string, PipelineFunction>;
}
