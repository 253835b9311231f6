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

/** Every kind of bad reply, again and again, in an order that the seed decides; `played` lists those so far. */
export function adversarial(seed?: number): Llm & { readonly kinds: string[]; readonly played: string[] };

/** Plain JSON. */
export interface Bundle {
  version: 1;
  exchanges: { step: string; request: ChatRequest; reply: Record<string, unknown> }[];
}
/** The same LLM, with everything written down while it passes through. `bundle()` is what there is so far. */
export function recorder(llm: Llm): Llm & { bundle(): Bundle };
/** Says what was recorded wherever a step asks the same again; another request is an error that says so. */
export function replay(bundle: Bundle): Llm;
