// The types of what leaves the device, and of what is suspicious in what came in; `index.d.ts` exports them all.

import type { ChatRequest, LlmContext } from "./llm.js";
import type { RemoteSearch, SearchPayload } from "./remote.js";

/** A chunk whose text stands in a request. */
export interface LedgerSource {
  /** The chunk. */
  chunkId: string;
  /** Its document. */
  docId: string;
  /** The collection of that. */
  collection: string;
}
/**
 * What was handed over to a function of yours, or was not let go: a request to an LLM, where it has a `tool`, a call of a tool, or, where it
 * has a `search`, a search of a remote collection.
 */
export type LedgerEntry = LedgerRequest | LedgerTool | LedgerSearch;
/** A request that was handed to an LLM function, or was not let go. */
export interface LedgerRequest {
  /** Absent. */
  tool?: undefined;
  /** Absent. */
  search?: undefined;
  /** The step that asks. */
  step: string;
  /** Milliseconds from the beginning of the run. */
  at: number;
  /** Whether it was handed over. */
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
/** A call of a tool of yours, which was made or denied. */
export interface LedgerTool {
  /** The step that calls. */
  step: string;
  /** Milliseconds from the beginning of the run. */
  at: number;
  /** Whether the tool was run. */
  sent: boolean;
  /** The tool, and what a model wrote for it. */
  tool: ToolRequest;
  /** Whether the model had read text of documents or of tools, or an earlier answer, when it wrote that. */
  tainted: boolean;
  /** The passages that it had been shown. */
  sources: LedgerSource[];
  /** Of the arguments' JSON in UTF-8. */
  bytes: number;
  /** Why it was not run. */
  reason?: string;
  /** Absent. */
  request?: undefined;
  /** Absent. */
  search?: undefined;
}
/** A search of a remote collection, which was sent or was not let go. */
export interface LedgerSearch {
  /** The step that searches. */
  step: string;
  /** Milliseconds from the beginning of the run. */
  at: number;
  /** Whether it was handed over. */
  sent: boolean;
  /** What was sent, or would have been. */
  search: RemoteSearch;
  /** Of its JSON in UTF-8, without the vector. */
  bytes: number;
  /** Why it was not sent. */
  reason?: string;
  /** Absent. */
  sources?: undefined;
  /** Absent. */
  tool?: undefined;
  /** Absent. */
  request?: undefined;
}
/** A call of a tool of yours that a model asks for. */
export interface ToolRequest {
  /** The tool's name. */
  name: string;
  /** As the model wrote them; a copy. */
  args: any;
}
/** What is told beside a call of a tool. */
export interface ToolContext {
  /** Whether the model had read text of documents or of tools, or an earlier answer, when it asked for the call. */
  tainted: boolean;
  /** The passages that it had been shown in this run. Empty where `tainted` comes from an earlier answer or a tool's result. */
  sources: LedgerSource[];
  /** Aborted when nobody waits for the decision any more. */
  signal: AbortSignal;
}
/**
 * Asked before each call of a tool of yours, `safe` ones included. `true` lets it run. Anything else, and an error, denies it: the
 * model is told so in the place of the result, and goes on.
 */
export type OnBeforeTool = (call: ToolRequest, context: ToolContext) => boolean | Promise<boolean>;
/** What is told beside a request that is to be sent. */
export interface SendContext extends LlmContext {
  /** What of the documents stands in it. */
  sources: LedgerSource[];
}
/** What is to be sent: a request to an LLM, or a search of a remote collection, which has a `search`. */
export type SendPayload = (ChatRequest & { search?: undefined }) | SearchPayload;
/**
 * Asked before each request is sent, retries included, and before each search of a remote collection. What it returns is sent: the payload, or,
 * of a request, another. Anything else, and an error, denies it, and the step goes on without the LLM, or without that collection.
 */
export type OnBeforeSend = { bivariant(payload: SendPayload, context: SendContext): SendPayload | ChatRequest | null | false | Promise<SendPayload | ChatRequest | null | false> }["bivariant"];
