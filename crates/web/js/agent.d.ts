// The types of the agent; `index.d.ts` exports them all.

import type { Conversation, ConversationData, ConversationOptions } from "./conversation.js";
import type { KnowledgeBase } from "./knowledge-base.js";
import type { Capability, Llm, ToolSchema } from "./llm.js";
import type { Pipeline, PipelineData, PipelineFunction } from "./pipeline.js";
import type { By, Run } from "./run.js";
import type { Filter } from "./search.js";
import type { GraphOptions, GraphRun, InvestigateOptions, ReactOptions, ReactResult, ResumeOptions, RunState, Tool } from "./styles.js";
import type { OnBeforeSend, OnBeforeTool } from "./trust.js";

/** What a run may spend; what is absent is not limited. */
export interface Budget {
  /** Calls of LLM functions, retries and repairs included. */
  llmCalls?: number | undefined;
  /** Tokens of all prompts and replies. */
  tokens?: number | undefined;
  /** Milliseconds from the beginning of the run. */
  ms?: number | undefined;
  /** Searches. */
  toolCalls?: number | undefined;
}

/** What every run may be told, for all of an agent's runs or for one. */
export interface RunOptions {
  /** Named in every request. */
  model?: string | undefined;
  /** Found out, and remembered for each `llm` function, unless named: then it is that of every LLM of the run. */
  capability?: Capability | undefined;
  /** What a run may spend. One that is named for a run goes before the agent's, limit by limit. */
  budget?: Budget | undefined;
  /** How many searches, or calls of your functions, go on at once. 4 unless named. */
  concurrency?: number | undefined;
  /** The most bytes of text and of calls that a reply of an LLM may have, 1 MiB unless named; a longer one is `llm_reply`. */
  maxReplyBytes?: number | undefined;
  /** Makes an LLM's failure the run's `error`. False unless named: then the step goes on by a rule, and `failures` says why. */
  strict?: boolean | undefined;
}

/** What an agent is made with. */
export interface AgentOptions extends RunOptions {
  /** For every run that names none of its own. */
  onBeforeSend?: OnBeforeSend | undefined;
  /** For every run that names none of its own. Without it, a tool that is not `safe` runs only while the model has read no passage. */
  onBeforeTool?: OnBeforeTool | undefined;
  /** Without it, every step goes by a rule, and answers are made of the documents' own sentences. */
  llm?: Llm | undefined;
}

/** A question that was answered before, in the same conversation. */
export interface Turn {
  /** What was asked. */
  question: string;
  /** What was answered; empty unless named. */
  answer?: string | undefined;
  /** The answer is of documents that no LLM may read: none is shown it. */
  withheld?: boolean | undefined;
  /** What an LLM is told was answered, where the answer is withheld: a result's `told`. */
  told?: string | undefined;
  /** Who answered: a result's `answeredBy`. A model may be shown whatever it has said itself. */
  answeredBy?: By | undefined;
  /** Sums up the turns before it: `question` is empty, and `answer` the summary. */
  summary?: boolean | undefined;
}

/** What a run looks in, and how it is limited. */
export interface PipelineOptions extends RunOptions {
  /** The most chunks each search keeps. 5 unless named. */
  limit?: number | undefined;
  /** The least cosine of a vector hit; what the embedder names, if it does, unless named. */
  threshold?: number | undefined;
  /** Searched where the search step names none. */
  collections?: string[] | undefined;
  /** Only chunks of documents whose metadata this wants. */
  filters?: Filter | undefined;
  /** What was asked and answered before. */
  history?: readonly Turn[] | undefined;
  /** The tokens that `history` may have, by estimate: older turns are summed up. 1,500 unless named. */
  historyTokens?: number | undefined;
}

/**
 * Answers questions from a knowledge base, with a language model of yours or by rules. It keeps nothing of its runs but which forms
 * of requests its models take.
 */
export class Agent {
  /** An option that is misspelt or of the wrong kind is refused with `invalid_argument`, here and in every method. */
  constructor(kb: KnowledgeBase, options?: AgentOptions);
  /** Begins a pipeline: `agent.pipeline(question).search().answer().run()`. */
  pipeline(question: string, options?: PipelineOptions): Pipeline;
  /** A pipeline from its data, with the functions that it names: those of `pipeline.functions`, or others. */
  pipelineFrom(data: PipelineData, functions?: Record<string, PipelineFunction> | Map<string, PipelineFunction>): Pipeline;
  /** The model decides: it calls tools until it answers, or may decide no more. */
  react(question: string, options?: ReactOptions): Run<ReactResult>;
  /** Plans, then searches and reviews until there is enough; may end with a question for the user. */
  investigate(question: string, options?: InvestigateOptions): Run;
  /** Analyses the question, makes the calls it wants, grades what was found, and writes the answer. */
  graph(question: string, options?: GraphOptions): GraphRun;
  /** A tool that models may call in these styles. One of the same name is replaced. */
  tool(tool: Tool): this;
  /** The tools that the model of a style is shown, yours included, as an OpenAI-compatible endpoint takes them. */
  toolSchema(style: "react" | "investigate" | "graph"): Promise<ToolSchema[]>;
  /** Goes on with a run that was stopped: `result.state`, or the last checkpoint; with the user's answer where it asked. */
  resume(saved: RunState, answer?: string, options?: ResumeOptions): Run;
  /** Questions of which the later ones use what was asked and answered before. */
  conversation(options?: ConversationOptions): Conversation;
  /** A conversation from its data, with the functions that it names: those of `chat.functions`, or others. It is not kept. */
  conversationFrom(data: ConversationData, functions?: Record<string, Function> | Map<string, Function>): Conversation;
}
