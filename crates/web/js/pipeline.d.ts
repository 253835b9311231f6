// The types of pipelines and of functions of yours in them; `index.d.ts` exports them all.

import type { PipelineOptions } from "./generated/agent-options.js";
import type { Chunk } from "./generated/documents-types.js";
import type { AnswerOptions, DecomposeOptions, GroundOptions, ReasonOptions, RerankOptions, SearchStepOptions, SelectOptions, StepOptions } from "./generated/pipeline-options.js";
import type { Context } from "./generated/run-types.js";
import type { Hit } from "./generated/search-types.js";
import type { RunStart } from "./generated/styles-options.js";
import type { Llm } from "./llm.js";
import type { Reader, Reranker } from "./pair-models.js";
import type { Searchers } from "./remote.js";
import type { Run } from "./run.js";
import type { Filter } from "./search.js";

/** Now or later. */
export type Awaitable<T> = T | Promise<T>;
/** What a function of yours is told beside its inputs. */
export interface CallContext {
  /** Aborted when nobody waits for the result any more. */
  signal: AbortSignal;
}

/** Writes a step's prompt from its inputs, such as `question` and `chunks`. */
export type PromptFunction = (inputs: Record<string, any>, context: CallContext) => Awaitable<string>;
/** Writes a prompt about what was found for a question; `tried` are the queries so far, where another is wanted. */
export type ChunksPromptFunction = (question: string, chunks: Hit[], context: CallContext & { tried?: string[] }) => Awaitable<string>;

/** A chunk as a searcher of yours returns it. */
export type FoundChunk = { id: string; text: string; score?: number } & Partial<Omit<Chunk, "id" | "text">>;
/** What a search is to keep to. */
export interface SearcherLimits extends CallContext {
  /** The most chunks. */
  limit: number;
  /** The least cosine of a vector hit. */
  threshold?: number;
  /** Only chunks of documents whose metadata this wants. */
  filters?: Filter;
  /** Only chunks of the documents with these ids, where a model wants to search within one. */
  documents?: string[];
  /** How many passages long a chain of evidence may be; `"auto"` leaves it to the searcher. */
  hops: number | "auto";
  /** By words or by meaning alone, where a plan of `decompose({ phases: 2 })` says so. */
  mode?: "keyword" | "semantic";
}
/** Searches one collection in the place of the knowledge base. */
export type SearcherFunction = (question: string, collection: string, limits: SearcherLimits) => Awaitable<FoundChunk[]>;
/** Searches in the place of the knowledge base: a function, or an object whose method `search` is one. */
export type Searcher = SearcherFunction | { search: SearcherFunction };
/** Makes searchers of servers. */
export const Searcher: Searchers;
/** What a step of yours may change; what has another name stands in `custom` of the context. */
export interface Changes {
  /** The question in other words; null takes them back. */
  rewrittenQuestion?: string | null | undefined;
  /** What is searched in its place. */
  expandedQuery?: string | null | undefined;
  /** Why those collections. */
  selectionReasoning?: string | null | undefined;
  /** The answer, whose citations are resolved anew. */
  answer?: string | null | undefined;
  /** What is searched in the question's place, one after the other. */
  subQuestions?: string[] | undefined;
  /** Where later steps search. */
  collections?: string[] | undefined;
  /** Whether no search is needed. */
  skipRetrieval?: boolean | undefined;
  /** The most chunks each search keeps. */
  limit?: number | undefined;
  /** The least cosine of a vector hit; null for any. */
  threshold?: number | null | undefined;
  /** Only chunks of documents whose metadata this wants; null for all. */
  filters?: Filter | null | undefined;
  /** The chunks to answer from. */
  evidence?: FoundChunk[] | undefined;
  /** What other steps of yours are to find in `custom`. */
  [other: string]: unknown;
}
/** A step of yours: is given what flows through the steps, and returns what it changes. `function_result` where that is of another shape. */
export type StepFunction = (context: Context, call: CallContext) => Awaitable<Changes | null | undefined | void>;
/** Any function of yours in a pipeline. */
export type PipelineFunction = PromptFunction | ChunksPromptFunction | Searcher | Reader | Reranker | StepFunction | Llm;

/** Plain data: JSON, and back by `agent.pipelineFrom`. Functions are in it by name. */
export interface PipelineData extends PipelineOptions {
  /** What is asked. */
  question: string;
  /** In their order, each with its options. */
  steps: { step: string; [option: string]: unknown }[];
}

/** Immutable: every step gives a new pipeline. Any subset, in any order. */
export interface Pipeline {
  /** Decides whether anything needs to be looked up. */
  gate(options?: StepOptions): Pipeline;
  /** Puts the question into words that stand by themselves. */
  rewrite(options?: StepOptions): Pipeline;
  /** Chooses collections. */
  select(options?: SelectOptions): Pipeline;
  /** Another name of `select`. */
  route(options?: SelectOptions): Pipeline;
  /** Adds words that mean the same. */
  expand(options?: StepOptions): Pipeline;
  /** Takes the question apart. */
  decompose(options?: DecomposeOptions): Pipeline;
  /** Finds passages for every question in every collection. */
  search(options?: SearchStepOptions): Pipeline;
  /** Puts what was found in order, and keeps the best. */
  rerank(options?: RerankOptions): Pipeline;
  /** Asks what is still missing, and looks for it. */
  reason(options?: ReasonOptions): Pipeline;
  /** Writes the answer, with citations that are checked. */
  answer(options?: AnswerOptions): Pipeline;
  /** Finds what supports each sentence of the answer. */
  ground(options?: GroundOptions): Pipeline;
  /** A step of yours. */
  step(name: string, run: StepFunction): Pipeline;
  /** Begins. What is wrong with the pipeline as a whole rejects the run's `result`. */
  run(options?: RunStart): Run;
  /** The pipeline as plain data. */
  toJSON(): PipelineData;
  /** The functions by the names they have in the data, such as `2.decompose.prompt`. */
  readonly functions: Record<string, PipelineFunction>;
}
