/** LLM functions for tests: of people who use this package, and of the package itself. None needs a model or a network. */

import type { ChatRequest, KnowledgeBase, Llm, LlmContext, LlmReply, Run, RunResult } from "./index.js";

/** What is said in turn. */
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

/** A question of which the right answer is known. */
export interface OracleCase {
  /** As it will be asked. */
  question: string;
  /** What is said at `answer`. */
  answer: string;
  /** `#1` in a question is the answer to the first. */
  subQuestions?: { question: string; answer?: string }[] | undefined;
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

/** Which replies are given. */
export interface AdversarialOptions {
  /** One kind, or several; all unless named. */
  only?: AdversarialKind | AdversarialKind[] | undefined;
}

/**
 * Every kind of bad reply, or `only` those named, again and again, in an order that the seed decides; `played` lists those
 * so far.
 */
export function adversarial(
  seed?: number,
  options?: AdversarialOptions,
): Llm & { readonly kinds: AdversarialKind[]; readonly played: AdversarialKind[] };

/** What a step searched for, and the ids of the chunks it found, the best first; null where the search failed. */
export interface RecordedSearch {
  /** The step that searched. */
  step: string;
  /** The tool, where a model called one. */
  tool?: string;
  /** `question`, `collection` and `limits`; of a tool, its arguments. */
  arguments: Record<string, any>;
  /** Their ids, the best first. */
  chunks: string[] | null;
}
/** Plain JSON. */
export interface Bundle {
  /** Of this form. */
  version: 1;
  /** What was asked and said, in turn. */
  exchanges: { step: string; request: ChatRequest; reply: Record<string, unknown> }[];
  /** The runs that were watched: the fingerprint of what they searched, and their searches in the order they ended. */
  runs: { index: string; searches: RecordedSearch[] }[];
}
/** Waits for a run of an agent over `kb`, notes what it searched, and gives its result. */
export type Watch = (run: Run, kb: KnowledgeBase) => Promise<RunResult>;
/**
 * The same LLM, with everything written down while it passes through. `bundle()` is what there is so far: what the LLM was
 * asked and said, and what the runs that were watched searched. Functions of yours, a searcher among them, are not recorded.
 */
export function recorder(llm: Llm): Llm & { watch: Watch; bundle(): Bundle };

/** What is not as it was recorded; `null` stands for a search that was not made, or failed. */
export type Difference =
  /** The library holds something else. */
  | { what: "index"; recorded: string; now: string }
  | { what: "search"; step: string; arguments: Record<string, any>; recorded: string[] | null; now: string[] | null }
  /** A request that was never recorded; between two bundles, one that only one of them holds. */
  | { what: "request"; step: string; recorded?: ChatRequest | null; now?: ChatRequest | null }
  /** Between two bundles: another reply to the same request. */
  | { what: "reply"; step: string; recorded: Record<string, unknown>; now: Record<string, unknown> }
  /** One run more than were recorded. */
  | { what: "run" };
/**
 * Says what was recorded wherever a step asks the same again; another request is an error that says so. A reply that was cut
 * off breaks where its recording ends. Runs are watched in the order they were recorded in, and what differs ends none of them:
 * `differences()` lists it, causes first.
 */
export function replay(bundle: Bundle): Llm & { watch: Watch; differences(): Difference[] };
/** What differs between two bundles: of the same question before and after a change, say. */
export function diff(before: Bundle, now: Bundle): Difference[];
