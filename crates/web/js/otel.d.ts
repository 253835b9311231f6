/** A run of the agent as OpenTelemetry spans, by the semantic conventions for generative AI. */

import type { Run, RunEvent } from "./index.js";

/** What stands in the spans. */
export interface SpanOptions {
  /** Also puts prompts, replies, questions and error messages in. They hold what documents say: false unless named. */
  content?: boolean | undefined;
  /** What the agent is called. `vademecum` unless named. */
  agent?: string | undefined;
  /** Whose model it is, as the conventions call it, such as `openai`; left out unless named. */
  provider?: string | undefined;
}

/** What stands in the spans, and what they belong to. */
export interface TraceOptions extends SpanOptions {
  /** A context of the API; the active one unless named. */
  context?: unknown;
}

/** What an attribute may be. */
export type AttributeValue = string | number | boolean;
/** By the names of the conventions, or by `vademecum.…`. */
export type Attributes = Record<string, AttributeValue>;

/** A span as plain data. */
export interface SpanData {
  /** `invoke_agent {agent}`, `chat {model}`, `execute_tool {name}`, or a step's name. */
  name: string;
  /** `client` for calls of a model. */
  kind: "internal" | "client";
  /** Milliseconds from the beginning of the run. */
  startMs: number;
  /** The same of its end; of what had not ended, that of the last event. */
  endMs: number;
  /** The parent's place in the list; null for the run itself, which is the first. */
  parent: number | null;
  /** What is known of it. */
  attributes: Attributes;
  /** Whether it failed; the message with `content: true` alone. */
  status: { code: "unset" | "error"; message?: string };
  /** What happened in it beside calls. */
  events: { name: string; atMs: number; attributes: Attributes }[];
}

/** The spans of a run's events, a parent before its children. */
export function spans(events: RunEvent[], options?: SpanOptions): SpanData[];

/** Of the API's `Tracer`, what is called. */
export interface SpanTracer {
  /** As the API has it: `own` is given the span while it is the active one. */
  startActiveSpan(name: string, options: { kind?: number; attributes?: Attributes; startTime?: number }, own: (span: any) => void): void;
  /** The same under a context. */
  startActiveSpan(name: string, options: { kind?: number; attributes?: Attributes; startTime?: number }, context: any, own: (span: any) => void): void;
}

/**
 * Gives the spans of a run to a tracer once the run has ended, and resolves to them. Call it when the run begins. `context`, one
 * of the API, is what the run belongs to; the active one unless named.
 */
export function trace(run: Run, tracer: SpanTracer, options?: TraceOptions): Promise<SpanData[]>;
