// The types of the agent; `index.d.ts` exports them all.

import type { Conversation, ConversationData } from "./conversation.js";
import type { AgentOptions, PipelineOptions } from "./generated/agent-options.js";
import type { ConversationOptions } from "./generated/conversation-options.js";
import type { GraphOptions, InvestigateOptions, ReactOptions, ResumeOptions, Tool } from "./generated/styles-options.js";
import type { KnowledgeBase } from "./knowledge-base.js";
import type { ToolSchema } from "./llm.js";
import type { Pipeline, PipelineData, PipelineFunction } from "./pipeline.js";
import type { Run } from "./run.js";
import type { GraphRun, ReactResult, RunState } from "./styles.js";

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
