// The types of rerankers and readers; `index.d.ts` exports them all.

import type { PairModelOptions } from "./generated/embedder-options.js";
import type { WorkOptions } from "./generated/knowledge-base-options.js";
import type { Hit } from "./generated/search-types.js";
import type { Awaitable, CallContext } from "./pipeline.js";

// Without this, all that stands at the top of a file of types is visible.
export {};

/**
 * One score a chunk, in their order, more is better; or ids, the best first; or ids with scores. Chunks whose ids are left
 * out come last.
 */
export type Reranker = (
  question: string,
  chunks: Hit[],
  context: CallContext,
) => Awaitable<ArrayLike<number> | string[] | { id: string; score: number }[]>;
/** A passage: its text, or a chunk. */
export type Passage = string | { text: string };

/** What every model of questions and passages has. */
export interface PairModel {
  /** Loads the model, which the first call would do. */
  load(options?: WorkOptions): Promise<void>;
  /** What computes the model, once it is loaded; null before. */
  stats(): { backend: "kernel" | "onnxruntime" | null; instructions: string | null };
  /** Ends its workers. A later call starts others. */
  close(): void;
  /** The same as `close`. */
  [Symbol.dispose](): void;
}

/** A cross-encoder: a `reranker` of pipelines and styles, and of searches. */
export interface OnnxReranker extends PairModel {
  /** Relevance of each chunk to the question, from 0 to 1. */
  (question: string, chunks: readonly Passage[], context?: { signal?: AbortSignal }): Promise<number[]>;
  /**
   * Relevance of each passage to the question, from 0 to 1: the logistic function of the model's logit, or the share of the second of
   * two logits. With `deadlineMs`, passages that are not rated in that time are null.
   */
  rate(
    question: string,
    passages: readonly Passage[],
    options?: { signal?: AbortSignal; deadlineMs?: number },
  ): Promise<(number | null)[]>;
}

/** An answer within a passage. */
export interface ReadAnswer {
  /** Where it begins, in UTF-16 code units. */
  start: number;
  /** Where it ends. */
  end: number;
  /** Probability that the passage has an answer, against none. */
  probability: number;
}

/** Finds in each chunk the words that answer; null where none does. */
export type Reader = (question: string, chunks: Hit[], context: CallContext) => Awaitable<(ReadAnswer | null)[]>;
/** A model for extractive question answering: a `reader` of answers. */
export interface OnnxReader extends PairModel {
  /** The most probable answer of each chunk; null where it has no word. */
  (question: string, chunks: readonly Passage[], context?: { signal?: AbortSignal }): Promise<(ReadAnswer | null)[]>;
  /** The most probable answer of each passage; null where it has no word. */
  read(question: string, passages: readonly Passage[], options?: { signal?: AbortSignal }): Promise<(ReadAnswer | null)[]>;
}

/** Makes rerankers of models. */
export const Reranker: {
  /** A cross-encoder in the form of ONNX or safetensors, run in workers; where there are none, in place. */
  onnx(options: PairModelOptions): OnnxReranker;
};

/** Makes readers of models. */
export const Reader: {
  /** A model with the outputs `start_logits` and `end_logits`, run in workers; where there are none, in place. */
  onnx(options: PairModelOptions): OnnxReader;
};
