// The types of conversations; `index.d.ts` exports them all.

import type { Agent } from "./agent.js";
import type { Turn } from "./generated/agent-options.js";
import type { By, Citation } from "./generated/run-types.js";
import type { ResumeOptions } from "./generated/styles-options.js";
import type { Clarification } from "./generated/styles-types.js";
import type { Run } from "./run.js";
import type { RunState } from "./styles.js";

/** The conversation's `options` and those of the question, with the history. They may be a pipeline's as they are. */
export interface StyleOptions {
  /** What was said before. */
  history: readonly Turn[];
  /** The tokens that it may have. */
  historyTokens: number;
  /** Those of the conversation, and those of the question. */
  [option: string]: any;
}
/** A way to answer of yours, such as another pipeline. */
export type AgentStyle = (agent: Agent, question: string, options: StyleOptions, call: { signal?: AbortSignal }) => Run | Promise<Run>;

/** A question of a conversation, and what came of it. */
export interface ConversationTurn extends Turn {
  /** Empty where there was none. */
  answer: string;
  /** That of `chat.ask(…)`. Turns that were given to begin with have none of what follows. */
  runId?: string;
  /** When it was answered, in milliseconds since 1970. */
  at?: number;
  /** In words that stand by themselves, where a step put it so. */
  rewrittenQuestion?: string;
  /** Who wrote the answer. */
  answeredBy?: By;
  /** What the answer cites. */
  citations?: Citation[];
  /** The answer was stopped before its end; its citations were not checked. */
  partial?: true;
}

/** Plain data: JSON, and back by `agent.conversationFrom`. Functions are in it by name. */
export interface ConversationData {
  /** Of this form. */
  version: 1;
  /** The style's name; `style` for a function of yours. */
  style: string;
  /** Given to the style with every question. */
  options: Record<string, unknown>;
  /** The tokens of the history. */
  tokens: number;
  /** Whether answers that were stopped are turns. */
  keepPartial?: true;
  /** Every turn, the first one first. */
  turns: ConversationTurn[];
  /** What the next question is shown of them. */
  history: Turn[];
  /** The question that waits for the user's answer, where one does. */
  pending?: { question: string; clarification: Clarification; state: RunState; runId?: string };
}

/** The style's options; of an answer, those that `agent.resume` takes are used. */
export interface AskOptions extends ResumeOptions {
  /** An option of the style. */
  [option: string]: any;
}

/** A run of a conversation. */
export interface ConversationRun extends Run {
  /** Its turn has the same as `runId`. */
  readonly id: string;
}

/** Questions of which the later ones use what was asked and answered before. They are answered one after the other. */
export interface Conversation {
  /** Every turn, the first one first. The list is frozen, and the same until a turn is added: then it is another one. */
  readonly turns: readonly ConversationTurn[];
  /** What the next question is shown of it, as unchanging as `turns`. */
  readonly history: readonly Turn[];
  /** Resolves when what is kept is here; rejects with `conversation_corrupt` where it cannot be read. */
  readonly ready: Promise<void>;
  /** What the user is asked, where the last run ended with `clarify`: the next `ask` is the answer. Null otherwise. */
  readonly pending: Clarification | null;
  /**
   * Calls `listener` whenever `turns`, `history` or `pending` have changed; the function that it returns ends that. Needs no
   * `this`: `useSyncExternalStore(chat.subscribe, () => chat.turns)`.
   */
  readonly subscribe: (listener: () => void) => () => void;
  /** After all that was asked before; or the answer to `pending`. `options` go before the conversation's. */
  ask(question: string, options?: AskOptions): ConversationRun;
  /** Forgets what is `pending`: the next `ask` is a question of its own. */
  dismiss(): Promise<void>;
  /** Forgets every turn, also what is kept of them. */
  clear(): Promise<void>;
  /** Another one that begins with what was said so far, and is kept nowhere. */
  fork(): Conversation;
  /** All of it as plain data, for `agent.conversationFrom`. */
  toJSON(): ConversationData;
  /** The functions by the names they have in the data. */
  readonly functions: Record<string, (...given: any[]) => any>;
}
