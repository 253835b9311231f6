// The types of self-evaluation; `index.d.ts` exports them all.

import type { Agent, Llm, RunResult, Usage } from "./agent.js";
import type { Filter, SearchResponse, Span } from "./index.js";
import type { LedgerEntry, OnBeforeSend } from "./trust.js";

/** A question of which it is known what should be found. */
export interface Case {
  question: string;
  /** Documents, or documents with grades from 1: more is better. */
  relevant: string[] | Record<string, number>;
  /** Where to look; everywhere unless named. */
  collection?: string;
  collections?: string[];
  /** A right answer, or several, each right by itself. */
  answer?: string;
  answers?: string[];
  /** Only chunks of documents whose metadata this wants. */
  filters?: Filter;
  /** Who wrote it, if `makeCases` made it. */
  by?: "llm" | "rule";
}

export interface MadeCase extends Case {
  relevant: string[];
  collection: string;
  by: "llm" | "rule";
}

export interface MakeCasesOptions {
  /** From 1 to 1,000, 50 unless named; fewer are made where the documents give no more. */
  count?: number;
  /** Which documents and passages are taken. 1 unless named. */
  seed?: number;
  /** All collections unless named. */
  collections?: string[];
  /** Writes questions in words of its own. Passages are sent to it. */
  llm?: Llm;
  /** Sees each request before it goes to `llm`, and denies it unless it returns the payload. */
  onBeforeSend?: OnBeforeSend;
  /** Is given each request that was handed to `llm`, or was not let go. */
  onSend?: (entry: LedgerEntry) => void;
  signal?: AbortSignal;
}

/** What a strategy of yours returns: what it found, best first, and perhaps what it answered. */
export interface StrategyOutcome {
  hits?: { docId: string; id?: string; score?: number }[];
  evidence?: { docId: string; id?: string; score?: number }[];
  answer?: string | null;
  citations?: { docId: string; at?: Span }[];
  usage?: Partial<Usage>;
}
export interface StrategyContext {
  signal: AbortSignal;
  collections?: string[];
  filters?: Filter;
}
/** A search's response and a run's result will do as well. */
export interface Strategy {
  name: string;
  run(question: string, context: StrategyContext): Promise<StrategyOutcome | SearchResponse | RunResult>;
}

/** Searches, a pipeline by rules or by the agent's LLM, and the agent's other ways where it has them. */
export type StrategyName = "keyword" | "vector" | "hybrid" | "hops" | "pipeline" | "react" | "investigate" | "graph";

export interface EvaluateOptions {
  /** `keyword`, `vector`, `hybrid` and `pipeline` unless named. */
  strategies?: (StrategyName | Strategy)[];
  /** Asked by all but the searches. Without one, `pipeline` goes by rules. */
  agent?: Agent;
  /** How many documents of a ranking are looked at, up to 100. 10 unless named. */
  k?: number;
  signal?: AbortSignal;
  onProgress?: (progress: { done: number; total: number; strategy: string }) => void;
}

/** `recall@1`, `recall@5`, `recall@10`, `ndcg@10`, `mrr@10`, `allSupport@10` (with the `k` of the report), each from 0 to 1. */
export interface CaseMetrics {
  [ranking: `${"recall" | "ndcg" | "mrr" | "allSupport"}@${number}`]: number;
  /** The share of citations that name a relevant document; null where nothing was cited. */
  citationPrecision: number | null;
  /** Null where no right answer is known, or none was asked for. */
  exactMatch: number | null;
  f1: number | null;
  llmCalls: number;
  promptTokens: number;
  completionTokens: number;
  ms: number;
}
/** Means; `ms` is null where every run failed. */
export type StrategyMetrics = Omit<CaseMetrics, "ms"> & { ms: { mean: number | null; p50: number | null; p95: number | null } };

export interface StrategyReport {
  name: string;
  metrics: StrategyMetrics;
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
  version: 1;
  /** The library's fingerprint. */
  index: string;
  k: number;
  /** How many. */
  cases: number;
  library: { documents: number; chunks: number; embedded: number };
  strategies: StrategyReport[];
  plots: { title: string; unit: "share" | "calls" | "tokens" | "ms" | "runs"; bars: { label: string; value: number }[] }[];
}
