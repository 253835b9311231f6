/** Hooks for React 18 and later. They survive strict mode: a library is opened once, and closed when no component uses it. */

import type { AgentOptions, PipelineOptions } from "../generated/agent-options.js";
import type { MemoryOptions, OpenOptions } from "../generated/knowledge-base-options.js";
import type { Citation, RunEvent, StepError } from "../generated/run-types.js";
import type { Hit, SearchResponse } from "../generated/search-types.js";
import type { SearchOptions } from "../generated/search-options.js";
import type { Agent } from "../agent.js";
import type { KnowledgeBase } from "../knowledge-base.js";
import type { Run, RunResult } from "../run.js";

/** Options of `useKnowledgeBase`: those of `KnowledgeBase.open`, or of `KnowledgeBase.memory` without a name. */
export interface UseKnowledgeBaseOptions extends OpenOptions, MemoryOptions {
  /** Opens it in another way, as with `vademecum/lite`. Default: `KnowledgeBase.open` of `vademecum`, or `KnowledgeBase.memory` without a name. */
  open?: ((name: string | null, options: OpenOptions & MemoryOptions) => Promise<KnowledgeBase>) | undefined;
}

/** A knowledge base, or why there is none. */
export interface UsedKnowledgeBase {
  /** The knowledge base, once it is open. The hook closes it. */
  kb: KnowledgeBase | null;
  /** Whether it is there. */
  status: "opening" | "ready" | "failed";
  /** Why it could not be opened, or failed later. */
  error: Error | null;
  /** Opens it again after a failure. */
  retry: () => void;
}

/**
 * Opens a library by name. All components that name it share one, with the options of the first; it is closed a moment after the last of them is
 * unmounted. Without a name, the library is in memory, for this component and those that it hands it to.
 */
export function useKnowledgeBase(name: string | null, options?: UseKnowledgeBaseOptions): UsedKnowledgeBase;

/** Options of `useSearch`. They may be written out in the component: their contents are compared, not their identity. */
export interface UseSearchOptions extends Omit<SearchOptions, "signal"> {
  /** Milliseconds without a change before a search. Default: 100. */
  debounceMs?: number | undefined;
}

/** A search and its state. */
export interface UsedSearch {
  /** `idle` without a query. */
  status: "idle" | "searching" | "ready" | "failed";
  /** The hits; while the next search runs, those of the last one. */
  hits: Hit[];
  /** The whole response. */
  response: SearchResponse | null;
  /** Why it failed. */
  error: Error | null;
}

/** Searches whenever the query, the options or the knowledge base change, and ends the search before. An attached library is searched as well. */
export function useSearch(kb: { search(query: string, options?: any): Promise<{ hits: Hit[] }> } | null, query: string, options?: UseSearchOptions): UsedSearch;

/** Options of `useAsk`: those of the agent and of its runs. The latest ones count when a question is asked. */
export interface UseAskOptions extends Omit<AgentOptions, keyof PipelineOptions>, PipelineOptions {
  /** Begins the run. Default: `agent.pipeline(question, options).search().answer().ground().run({ signal })`. */
  run?: ((agent: Agent, question: string, options: PipelineOptions & { signal: AbortSignal }) => Run) | undefined;
}

/** A question, its answer, and what is known of the run. */
export interface UsedAsk {
  /** `clarify`: the run asks back, and the next `ask` is the reply. */
  status: "idle" | "running" | "done" | "clarify" | "stopped" | "failed";
  /** The question. */
  question: string;
  /** The answer, while it is written and when it is complete; empty where there is none. */
  answer: string;
  /** Its citations. */
  citations: Citation[];
  /** The events of the run so far. */
  events: RunEvent[];
  /** The result, once there is one. */
  result: RunResult | null;
  /** Why it failed. */
  error: Error | StepError | null;
  /** Asks, after stopping the run before. Resolves to null where it failed or was overtaken. The function stays the same. */
  ask: (question: string) => Promise<RunResult | null>;
  /** Stops the run. The function stays the same. */
  stop: () => void;
}

/** Asks a knowledge base, one question at a time. */
export function useAsk(kb: KnowledgeBase | null, options?: UseAskOptions): UsedAsk;
