/** A run of the agent as OpenTelemetry spans, by the semantic conventions for generative AI. */

import type { Run, RunEvent } from "./index.js";

export interface SpanOptions {
  /** Also puts prompts, replies, questions and error messages in. They hold what documents say: false unless named. */
  content?: boolean;
  /** What the agent is called. `vademecum` unless named. */
  agent?: string;
  /** Whose model it is, as the conventions call it, such as `openai`; left out unless named. */
  provider?: string;
}

export type AttributeValue = string | number | boolean;
export type Attributes = Record<string, AttributeValue>;

export interface SpanData {
  /** `invoke_agent {agent}`, `chat {model}`, `execute_tool {name}`, or a step's name. */
  name: string;
  kind: "internal" | "client";
  /** Milliseconds from the beginning of the run. */
  startMs: number;
  endMs: number;
  /** The parent's place in the list; null for the run itself, which is the first. */
  parent: number | null;
  attributes: Attributes;
  status: { code: "unset" | "error"; message?: string };
  events: { name: string; atMs: number; attributes: Attributes }[];
}

/** The spans of a run's events, a parent before its children. */
export function spans(events: RunEvent[], options?: SpanOptions): SpanData[];

/** Of the API's `Tracer`, what is called. */
export interface SpanTracer {
  startActiveSpan(name: string, options: { kind?: number; attributes?: Attributes; startTime?: number }, own: (span: any) => void): void;
  startActiveSpan(name: string, options: { kind?: number; attributes?: Attributes; startTime?: number }, context: any, own: (span: any) => void): void;
}

/**
 * Gives the spans of a run to a tracer once the run has ended, and resolves to them. Call it when the run begins. `context`, one
 * of the API, is what the run belongs to; the active one unless named.
 */
export function trace(run: Run, tracer: SpanTracer, options?: SpanOptions & { context?: unknown }): Promise<SpanData[]>;
