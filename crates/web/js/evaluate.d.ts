// The types of self-evaluation; `index.d.ts` exports them all.

import type { Span } from "./generated/documents-types.js";
import type { Usage } from "./generated/run-types.js";
import type { SearchResponse } from "./generated/search-types.js";
import type { RunResult } from "./run.js";
import type { Filter } from "./search.js";

/** What a strategy of yours returns: what it found, best first, and perhaps what it answered. */
export interface StrategyOutcome {
  /** What was found, the best first. */
  hits?: { docId: string; id?: string; score?: number }[] | undefined;
  /** The same by another name; `hits` goes before. */
  evidence?: { docId: string; id?: string; score?: number }[] | undefined;
  /** What was answered; null for a run that came to no answer, absent where none was asked for. */
  answer?: string | null | undefined;
  /** Whether it says that the documents do not answer. */
  abstained?: boolean | undefined;
  /** The estimated probability that the passages answer, from 0 to 1. */
  confidence?: number | undefined;
  /** The documents that the answer cites; `at` is where it does. */
  citations?: { docId: string; at?: Span }[] | undefined;
  /** The rows of an answer: the collection and id of the document of each, as in a run's result. */
  output?: { documents: [string, string][] } | undefined;
  /** What it cost. */
  usage?: Partial<Usage> | undefined;
}
/** What a strategy of yours is told beside the question. */
export interface StrategyContext {
  /** Aborted when nobody waits for it any more. */
  signal: AbortSignal;
  /** Where to look; everywhere where absent. */
  collections?: string[];
  /** Only chunks of documents whose metadata this wants. */
  filters?: Filter;
}
/** A search's response and a run's result will do as well. */
export interface Strategy {
  /** What it is called in the report. */
  name: string;
  /** Asks one question. */
  run(question: string, context: StrategyContext): Promise<StrategyOutcome | SearchResponse | RunResult>;
}

/** `recall@1`, `recall@5`, `recall@10`, `ndcg@10`, `mrr@10`, `allSupport@10` (with the `k` of the report), each from 0 to 1. */
export interface CaseMetrics {
  /** A measure of the ranking; null for an unanswerable question. */
  [ranking: `${"recall" | "ndcg" | "mrr" | "allSupport"}@${number}`]: number | null;
  /** The share of citations that name a relevant document; null where nothing was cited. */
  citationPrecision: number | null;
  /** Null where no right answer is known, or none was asked for. */
  exactMatch: number | null;
  /** Words in common with the right answer, from 0 to 1; null as `exactMatch` is. */
  f1: number | null;
  /** Whether the answer contains a right one, 1 or 0; null as `exactMatch` is. */
  goldInAnswer: number | null;
  /** The same of its first sentence. */
  goldInFirstSentence: number | null;
  /** Whether a question that the documents answer got an answer, 1 or 0; null of unanswerable ones, and of searches. */
  answered: number | null;
  /** Whether an unanswerable question got an answer, 1 or 0; null for the others, and for searches. */
  falseAnswers: number | null;
  /** Whether the rows are all relevant documents and no others, 1 or 0; null for cases without `rows`, and for searches. */
  exactRows: number | null;
  /** Number of rows that are not relevant; null as `exactRows` is. */
  wrongRows: number | null;
  /** Number of relevant documents that are not among the rows; null as `exactRows` is. */
  missingRows: number | null;
  /** Characters of the answer, without citations; null without one. */
  answerLength: number | null;
  /** Calls of LLM functions. */
  llmCalls: number;
  /** Tokens of all prompts. */
  promptTokens: number;
  /** Tokens of all replies. */
  completionTokens: number;
  /** Milliseconds. */
  ms: number;
}
/** Means; `ms` is null where every run failed. */
export type StrategyMetrics = Omit<CaseMetrics, "ms"> & {
  ms: { mean: number | null; p50: number | null; p95: number | null };
  /**
   * The probability that `confidence` is higher for a question that the documents answer than for an unanswerable one; null without
   * both kinds, or without a `confidence`.
   */
  abstentionArea: number | null;
  /** The share of unanswerable questions that reach the `confidence` which 95 % of the others reach; null as `abstentionArea` is. */
  falseAnswersAt95: number | null;
};

/** How one strategy did. */
export interface StrategyReport {
  /** What it is called. */
  name: string;
  /** The means of its cases. */
  metrics: StrategyMetrics;
  /** Each case. */
  perCase: {
    question: string;
    metrics: CaseMetrics;
    /** The first `k` documents. */
    ranking: string[];
    /** The code of what failed. */
    failure?: string;
  }[];
  /** Runs that failed. They count as nothing found; their time is left out. */
  failures: { question: string; code: string; message: string }[];
}

/** Plain JSON. */
export interface EvaluationReport {
  /** Of this form. */
  version: 1;
  /** The library's fingerprint. */
  index: string;
  /** How many documents of a ranking were looked at. */
  k: number;
  /** How many. */
  cases: number;
  /** How much was searched. */
  library: { documents: number; chunks: number; embedded: number };
  /** Each strategy, in the order in which they were named. */
  strategies: StrategyReport[];
  /** What a page draws: one a metric, with one bar a strategy. */
  plots: { title: string; unit: "share" | "calls" | "tokens" | "ms" | "runs"; bars: { label: string; value: number }[] }[];
}
