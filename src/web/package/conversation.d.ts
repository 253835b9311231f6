// The types of conversations; `index.d.ts` exports them all.

import type { Agent, By, Citation, Run, Turn } from "./agent.js";
import type { Clarification, ResumeOptions, RunState } from "./styles.js";

/** The conversation's `options` and those of the question, with the history. They may be a pipeline's as they are. */
export interface StyleOptions {
  history: Turn[];
  historyTokens: number;
  [option: string]: any;
}
/** A way to answer of yours, such as another pipeline. */
export type AgentStyle = (agent: Agent, question: string, options: StyleOptions, call: { signal?: AbortSignal }) => Run | Promise<Run>;

export interface ConversationOptions {
  /** `pipeline` unless named: `rewrite`, `decompose`, `search`, `answer`, `ground`. The others are the agent's methods of these names. */
  style?: "pipeline" | "react" | "investigate" | "graph" | AgentStyle;
  /** Given to the style with every question, such as `{ collections: ["plans"] }`. */
  options?: Record<string, any>;
  /** The tokens of the history, by estimate: what is over is summed up. 1,500 unless named. */
  tokens?: number;
  /** Kept with the library under this name, of up to 200 characters, and gone on with where it is there. */
  keep?: string;
  /** What was said before; of a kept conversation, only where it is new. */
  turns?: Turn[];
}

/** A question of a conversation, and what came of it. */
export interface ConversationTurn extends Turn {
  answer: string;
  /** That of `chat.ask(…)`. Turns that were given to begin with have none of what follows. */
  runId?: string;
  /** When it was answered, in milliseconds since 1970. */
  at?: number;
  rewrittenQuestion?: string;
  answeredBy?: By;
  citations?: Citation[];
}

/** Plain data: JSON, and back by `agent.conversationFrom`. Functions are in it by name. */
export interface ConversationData {
  version: 1;
  style: string;
  options: Record<string, unknown>;
  tokens: number;
  turns: ConversationTurn[];
  history: Turn[];
  /** The question that waits for the user's answer, where one does. */
  pending?: { question: string; clarification: Clarification; state: RunState; runId?: string };
}

/** The style's options; of an answer, those that `agent.resume` takes are used. */
export interface AskOptions extends ResumeOptions {
  [option: string]: any;
}

export interface ConversationRun extends Run {
  /** Its turn has the same as `runId`. */
  readonly id: string;
}

export interface Conversation {
  /** Every turn, the first one first. */
  readonly turns: ConversationTurn[];
  /** What the next question is shown of it. */
  readonly history: Turn[];
  /** Resolves when what is kept is here; rejects with `conversation_corrupt` where it cannot be read. */
  readonly ready: Promise<void>;
  /** What the user is asked, where the last run ended with `clarify`: the next `ask` is the answer. Null otherwise. */
  readonly pending: Clarification | null;
  /** After all that was asked before; or the answer to `pending`. `options` go before the conversation's. */
  ask(question: string, options?: AskOptions): ConversationRun;
  /** Forgets what is `pending`: the next `ask` is a question of its own. */
  dismiss(): Promise<void>;
  /** Forgets every turn, also what is kept of them. */
  clear(): Promise<void>;
  /** Another one that begins with what was said so far, and is kept nowhere. */
  fork(): Conversation;
  toJSON(): ConversationData;
  /** The functions by the names they have in the data. */
  readonly functions: Record<string, (...given: any[]) => any>;
}
