/** LLM functions for tests: of people who use this package, and of the package itself. None needs a model or a network. */

import type { ChatRequest, Llm, LlmContext, LlmReply } from "./index.js";

export type ScriptedReply = LlmReply | Error | object;

/**
 * Replies in turn. A reply is whatever an LLM function may return; an error, which is thrown; any other object, whose JSON
 * is said; or a function of one of these. One request too many is an error.
 */
export function scripted(
  replies: (ScriptedReply | ((request: ChatRequest, context: LlmContext) => ScriptedReply | Promise<ScriptedReply>))[],
): Llm & { readonly requests: { step: string; request: ChatRequest }[] };

/** Made of rules: fills JSON by the names and types of its fields, and answers by the first sentence of the first passage. */
export function heuristic(): Llm;

export interface OracleCase {
  question: string;
  answer: string;
  /** `#1` in a question is the answer to the first. */
  subQuestions?: { question: string; answer?: string }[];
}
/** Knows a labelled set's answers: gold sub-questions at `decompose`, the gold answer at `answer`, else as `heuristic()`. */
export function oracle(cases: OracleCase[]): Llm;

/** A kind of bad reply. */
export type AdversarialKind =
  /** JSON in a code fence, or with prose around it. */
  | "fencedJson" | "prose"
  /** JSON that is not what was asked for, or no JSON. */
  | "wrongKeys" | "wrongTypes" | "nestedQuotes" | "truncatedJson"
  /** Nothing, or far too much: a megabyte of words or of `[`, 100,000 citations or sentences. */
  | "empty" | "megabyte" | "brackets" | "citations" | "sentences"
  /** Names that do not exist, the same query each time, citations of nothing. */
  | "unknownCollections" | "sameQuery" | "fakeCitations"
  /** Streams that break, or never end. */
  | "cutStream" | "endlessStream"
  /** An error at once, and a rejected promise. */
  | "thrown" | "rejected"
  /** A good reply of the wrong content type, or with the highest `usage` that 32 bits hold; a page of HTML with an HTTP error. */
  | "wrongContentType" | "usage" | "htmlError";

/**
 * Every kind of bad reply, or `only` those named, again and again, in an order that the seed decides; `played` lists those
 * so far.
 */
export function adversarial(
  seed?: number,
  options?: { only?: AdversarialKind | AdversarialKind[] },
): Llm & { readonly kinds: AdversarialKind[]; readonly played: AdversarialKind[] };

/** Plain JSON. */
export interface Bundle {
  version: 1;
  exchanges: { step: string; request: ChatRequest; reply: Record<string, unknown> }[];
}
/** The same LLM, with everything written down while it passes through. `bundle()` is what there is so far. */
export function recorder(llm: Llm): Llm & { bundle(): Bundle };
/** Says what was recorded wherever a step asks the same again; another request is an error that says so. */
export function replay(bundle: Bundle): Llm;
