// The types of what leaves the device, and of what is suspicious in what came in; `index.d.ts` exports them all.

import type { ChatRequest, LlmContext } from "./agent.js";
import type { Span } from "./index.js";

/** A chunk whose text stands in a request. */
export interface LedgerSource {
  chunkId: string;
  docId: string;
  collection: string;
}
/** A request that was handed to an LLM function, or was not let go. */
export interface LedgerEntry {
  step: string;
  /** Milliseconds from the beginning of the run. */
  at: number;
  sent: boolean;
  /** As it was handed over; where it was not sent, as it would have been. */
  request: ChatRequest;
  /** Of its JSON in UTF-8. */
  bytes: number;
  /** Whether `onBeforeSend` sent another than it was given. */
  changed: boolean;
  /** What of the documents stood in it before `onBeforeSend`. */
  sources: LedgerSource[];
  /** Why it was not sent. */
  reason?: string;
}
/**
 * Asked before each request is sent, retries included. What it returns is sent: the payload, or another. Anything else, and an
 * error, denies it, and the step goes on without the LLM.
 */
export type OnBeforeSend = (payload: ChatRequest, context: LlmContext) => ChatRequest | null | false | Promise<ChatRequest | null | false>;

export type SuspicionKind =
  | "instruction" | "role" | "tool" | "fence" | "hidden" | "invisible" | "homoglyphs" | "encoded" | "link" | "citation";

/** Something in a passage that looks as if it were meant for a model and not for a reader. */
export interface Suspicion {
  chunkId: string;
  docId: string;
  collection: string;
  kind: SuspicionKind;
  /** How sure it is, in [0, 1]. */
  score: number;
  /** Where it stands in the document's text; absent where it stands in its title, its id, a heading or its metadata. */
  span?: Span;
  /** The suspicious text, or how it begins. */
  text: string;
}

/** Something that was taken out of an answer, because it could carry something away. */
export interface Removed {
  kind: "html" | "image" | "link" | "address";
  text: string;
}
