// The agent's types; `index.d.ts` exports them all.

import type { Conversation, ConversationData, ConversationOptions } from "./conversation.js";
import type { Chunk, Filter, Hit, KnowledgeBase, Metadata, Span } from "./index.js";
import type { LedgerEntry, OnBeforeSend, Removed, Suspicion } from "./trust.js";
import type { Clarification, Coverage, GraphOptions, GraphResult, InvestigateOptions, Output, ReactOptions, ReactResult, Relaxation, ResumeOptions, RunStart, RunState, Tool } from "./styles.js";

// The language model ------------------------------------------------------------------------------------------------

export interface ChatMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  /** The calls of the model's turn, where it has tools. */
  tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
  /** The call that a tool's message answers. */
  tool_call_id?: string;
}

/** An OpenAI-compatible chat-completions body: `JSON.stringify` it, and send it. */
export interface ChatRequest {
  model?: string;
  messages: ChatMessage[];
  /** Where JSON is asked for, and the endpoint is known or hoped to take a format. */
  response_format?: { type: "json_object" } | { type: "json_schema"; json_schema: { name: string; schema: object } };
  tools?: { type: "function"; function: { name: string; description?: string; parameters: object } }[];
  tool_choice?: "auto" | { type: "function"; function: { name: string } };
  stream: boolean;
}

/** A completion, or one chunk of a streamed one; of its many fields these are read. */
export interface Completion {
  choices: {
    message?: { content?: unknown; tool_calls?: unknown };
    delta?: { content?: unknown; tool_calls?: unknown };
    /** `length` and `content_filter`: the reply was cut off. */
    finish_reason?: string | null;
  }[];
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null;
}

/** Text, a chunk of a completion, or bytes of server-sent events; null and undefined are no text. */
export type LlmDelta = string | Completion | Uint8Array | null | undefined;
export type LlmReply = Response | Completion | string | AsyncIterable<LlmDelta> | Iterable<LlmDelta> | ReadableStream<LlmDelta>;
export interface LlmContext {
  /** Aborted when nobody waits for the reply any more: the run was stopped, or is out of time. */
  signal: AbortSignal;
  /** The step that asks. */
  step: string;
}
/** A language model: one `fetch` is enough. An error with a `status`, or a `response` that has one, is that HTTP error. */
export type Llm = (request: ChatRequest, context: LlmContext) => LlmReply | Promise<LlmReply>;

/** How an endpoint takes requests for JSON, from the strictest form to the plainest. */
export type Capability = "tools" | "schema" | "json" | "text";

// The agent ---------------------------------------------------------------------------------------------------------

/** What a run may spend; what is absent is not limited. */
export interface Budget {
  /** Calls of LLM functions, retries and repairs included. */
  llmCalls?: number;
  /** Tokens of all prompts and replies. */
  tokens?: number;
  /** Milliseconds from the beginning of the run. */
  ms?: number;
  /** Searches. */
  toolCalls?: number;
}

interface RunOptions {
  /** Named in every request. */
  model?: string;
  /** Found out, and remembered for each `llm` function, unless named: then it is that of every LLM of the run. */
  capability?: Capability;
  budget?: Budget;
  /** How many searches, or calls of your functions, go on at once. 4 unless named. */
  concurrency?: number;
}

export interface AgentOptions extends RunOptions {
  /** For every run that names none of its own. */
  onBeforeSend?: OnBeforeSend;
  /** Without it, every step goes by a rule, and answers are made of the documents' own sentences. */
  llm?: Llm;
}

/** A question that was answered before, in the same conversation. */
export interface Turn {
  question: string;
  answer?: string;
  /** The answer is of documents that no LLM may read: none is shown it. */
  withheld?: boolean;
  /** Sums up the turns before it: `question` is empty, and `answer` the summary. */
  summary?: boolean;
}

export interface PipelineOptions extends RunOptions {
  /** The most chunks each search keeps. 5 unless named. */
  limit?: number;
  /** The least cosine of a vector hit; the embedder's own unless named. */
  threshold?: number;
  /** Searched where the search step names none. */
  collections?: string[];
  /** Only chunks of documents whose metadata this wants. */
  filters?: Filter;
  /** What was asked and answered before. */
  history?: Turn[];
  /** The tokens that `history` may have, by estimate: older turns are summed up. 1,500 unless named. */
  historyTokens?: number;
}

export class Agent {
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
  graph(question: string, options?: GraphOptions): Run<GraphResult>;
  /** A tool that models may call in these styles. One of the same name is replaced. */
  tool(tool: Tool): this;
  /** Goes on with a run that was stopped: `result.state`, or the last checkpoint; with the user's answer where it asked. */
  resume(saved: RunState, answer?: string, options?: ResumeOptions): Run;
  /** Questions of which the later ones use what was asked and answered before. */
  conversation(options?: ConversationOptions): Conversation;
  /** A conversation from its data, with the functions that it names: those of `chat.functions`, or others. It is not kept. */
  conversationFrom(data: ConversationData, functions?: Record<string, Function> | Map<string, Function>): Conversation;
}

// The pipeline ------------------------------------------------------------------------------------------------------

type Awaitable<T> = T | Promise<T>;
interface CallContext {
  /** Aborted when nobody waits for the result any more. */
  signal: AbortSignal;
}

/** Writes a step's prompt from its inputs, such as `question` and `chunks`. */
export type PromptFunction = (inputs: Record<string, any>, context: CallContext) => Awaitable<string>;
/** Writes a prompt about what was found for a question; `tried` are the queries so far, where another is wanted. */
export type ChunksPromptFunction = (question: string, chunks: Hit[], context: CallContext & { tried?: string[] }) => Awaitable<string>;

/** A chunk as a searcher of yours returns it. */
export type FoundChunk = { id: string; text: string; score?: number } & Partial<Omit<Chunk, "id" | "text">>;
export interface SearcherLimits extends CallContext {
  limit: number;
  threshold?: number;
  filters?: Filter;
  /** How many passages long a chain of evidence may be. */
  hops: number;
  /** By words or by meaning alone, where a plan of `decompose({ phases: 2 })` says so. */
  mode?: "keyword" | "semantic";
}
/** Searches in the place of the knowledge base. */
export type Searcher = (question: string, collection: string, limits: SearcherLimits) => Awaitable<FoundChunk[]>;
/**
 * One score a chunk, in their order, more is better; or ids, the best first; or ids with scores. Chunks whose ids are left
 * out come last.
 */
export type Reranker = (
  question: string,
  chunks: Hit[],
  context: CallContext,
) => Awaitable<ArrayLike<number> | string[] | { id: string; score: number }[]>;
/** What a step of yours may change; what has another name stands in `custom` of the context. */
export interface Changes {
  rewrittenQuestion?: string | null;
  expandedQuery?: string | null;
  selectionReasoning?: string | null;
  answer?: string | null;
  subQuestions?: string[];
  collections?: string[];
  skipRetrieval?: boolean;
  limit?: number;
  threshold?: number | null;
  filters?: Filter | null;
  /** The chunks to answer from. */
  evidence?: FoundChunk[];
  [other: string]: unknown;
}
export type StepFunction = (context: Context, call: CallContext) => Awaitable<Changes | null | undefined | void>;
export type PipelineFunction = PromptFunction | ChunksPromptFunction | Searcher | Reranker | StepFunction | Llm;

export interface StepOptions {
  /** Writes this step's prompt. */
  prompt?: PromptFunction;
  /** Asked by this step, in the place of the agent's. */
  llm?: Llm;
}
export interface SelectOptions extends StepOptions {
  /** Those to choose from, perhaps with what is in them; the pipeline's, or all, unless named. */
  collections?: (string | { name: string; description?: string })[];
}
export interface DecomposeOptions extends StepOptions {
  /** The most sub-questions, from 2. 4 unless named. */
  max?: number;
  /** 2: choose collections and intent first, then plan by their fields alone. */
  phases?: 1 | 2;
}
export interface SearchStepOptions {
  /** Goes before `collections`, these before the pipeline's, and these before `default`. */
  collection?: string;
  collections?: string[];
  searcher?: Searcher;
  /** How many passages long a chain of evidence may be, up to 4. 1 unless named. */
  hops?: number;
  /** Judges what was found, and searches again with other words. */
  selfCorrect?: boolean;
  /** How many queries `selfCorrect` tries for one question; if none is enough, it searches once more, without the threshold. 3 unless named. */
  maxIterations?: number;
  sufficientPrompt?: ChunksPromptFunction;
  rewritePrompt?: ChunksPromptFunction;
  llm?: Llm;
}
export interface RerankOptions extends StepOptions {
  /** How many chunks are kept. 8 unless named. */
  keep?: number;
  /** How many are ranked. 100 by a function, 30 by an LLM unless named. */
  fetch?: number;
  /** How many the LLM rates at once, up to 50. 10 unless named. */
  batch?: number;
  reranker?: Reranker;
}
export interface ReasonOptions extends StepOptions {
  /** The most follow-up queries an LLM may ask. 3 unless named. */
  maxIterations?: number;
  /** How many passages long a chain of evidence may be that the engine looks for by itself, up to 4. 2 unless named. */
  hops?: number;
  searcher?: Searcher;
}
export interface AnswerOptions extends StepOptions {
  /** `[1]`, or the document's id. `number` unless named. */
  citations?: "number" | "doc";
  /** About how many tokens of passages the LLM is shown; the last are left out. 3,000 unless named. */
  maxTokens?: number;
}
export interface GroundOptions extends StepOptions {
  /** Has the LLM put right what nothing supports. */
  correct?: boolean;
  /** Takes out of the answer what nothing supports. */
  drop?: boolean;
}

/** Plain data: JSON, and back by `agent.pipelineFrom`. Functions are in it by name. */
export interface PipelineData extends PipelineOptions {
  question: string;
  steps: { step: string; [option: string]: unknown }[];
}

/** Immutable: every step gives a new pipeline. Any subset, in any order. */
export interface Pipeline {
  /** Decides whether anything needs to be looked up. */
  gate(options?: StepOptions): Pipeline;
  /** Puts the question into words that stand by themselves. */
  rewrite(options?: StepOptions): Pipeline;
  /** Chooses collections. */
  select(options?: SelectOptions): Pipeline;
  /** Another name of `select`. */
  route(options?: SelectOptions): Pipeline;
  /** Adds words that mean the same. */
  expand(options?: StepOptions): Pipeline;
  /** Takes the question apart. */
  decompose(options?: DecomposeOptions): Pipeline;
  /** Finds passages for every question in every collection. */
  search(options?: SearchStepOptions): Pipeline;
  /** Puts what was found in order, and keeps the best. */
  rerank(options?: RerankOptions): Pipeline;
  /** Asks what is still missing, and looks for it. */
  reason(options?: ReasonOptions): Pipeline;
  /** Writes the answer, with citations that are checked. */
  answer(options?: AnswerOptions): Pipeline;
  /** Finds what supports each sentence of the answer. */
  ground(options?: GroundOptions): Pipeline;
  /** A step of yours. */
  step(name: string, run: StepFunction): Pipeline;
  run(options?: RunStart): Run;
  /** The pipeline as plain data. */
  toJSON(): PipelineData;
  /** The functions by the names they have in the data, such as `2.decompose.prompt`. */
  readonly functions: Record<string, PipelineFunction>;
}

// What comes of it --------------------------------------------------------------------------------------------------

export interface Citation {
  /** The place in `contextUsed`, from 1, and the number in the answer where it cites by number. */
  number: number;
  /** Where it stands in the answer. */
  at: Span;
  chunkId: string;
  docId: string;
  collection: string;
  title: string | null;
  url: string | null;
  headings: string[];
  /** The page it begins on, from 1, where the document has pages. */
  page?: number;
  /** Where the chunk stands in its document. */
  span: Span;
  /** Where the very words stand, if the answer quotes them. */
  quote?: Span;
}

export interface StepError {
  code: string;
  step: string;
  message: string;
  retryable: boolean;
  /** What a function of yours threw, where that is why. */
  cause?: { name?: string; message: string; code?: string };
}

export interface Usage {
  llmCalls: number;
  promptTokens: number;
  completionTokens: number;
  /** Whether some of it is estimated from the text. */
  estimated: boolean;
}

/** Who did it: the LLM, a rule, or a function of yours. */
export type By = "llm" | "rule" | "function";

/** What a step decided, and why. */
export interface Thought {
  step: string;
  by: By;
  text: string;
}

/** A call in the audit log. */
export interface ToolCall {
  step: string;
  /** `search`, `llm`, `function`, or the name of a tool that a model was given. */
  tool: string;
  arguments: Record<string, any>;
  /** In short; null where it failed. Of an LLM `{ content, usage: { promptTokens, completionTokens, estimated } }`. */
  result: Record<string, any> | null;
  durationMs: number;
  error?: StepError;
}

/** A sentence of the answer, and what supports it. */
export interface GroundedSentence {
  text: string;
  /** Where it stands in the answer. */
  at: Span;
  supported: boolean;
  /** How much of it the chunk holds, in [0, 1]. */
  score: number;
  /** Whether the chunk says it in the very same words; absent where it is put in others. */
  verbatim?: boolean;
  /** Names, numbers and quotations that no support holds. */
  missing?: string[];
  /** Of a sentence without support, the nearest. */
  chunkId?: string;
  docId?: string;
  /** Where the supporting words stand in the chunk's document. */
  span?: Span;
}

/** `clarify`: the user is asked something; `agent.resume(result.state, answer)` goes on. */
export type TerminatedBy = "completed" | "budget" | "clarify" | "error" | "aborted";

/** Exactly one `done` ends every run, and nothing comes after it. `at` is when, in milliseconds from the beginning of the run. */
export type RunEvent = { at: number } & (
  | { type: "start"; step: string; metadata: Metadata }
  | { type: "stop"; step: string; durationMs: number; metadata: Metadata }
  /** With a `fallback` the step goes on that way, and tokens that came before are void; without, the run ends. */
  | { type: "failed"; step: string; durationMs: number; error: StepError; fallback?: string }
  | { type: "token"; step: string; text: string }
  | { type: "tool"; step: string; call: ToolCall }
  /** A request was sent, or denied. */
  | { type: "send"; step: string; entry: LedgerEntry }
  | { type: "citation"; step: string; citation: Citation }
  /** The run ends here, and goes on with the user's answer. */
  | { type: "clarify"; step: string; clarification: Clarification }
  /** A model is shown a passage with something suspicious in it. */
  | { type: "suspicion"; step: string; suspicion: Suspicion }
  | { type: "done"; terminatedBy: TerminatedBy; usage: Usage; durationMs: number }
);

/** What flows through the steps. */
export interface Context {
  question: string;
  /** What was said before, within `historyTokens`: hand it on with the next question. */
  history?: Turn[];
  limit: number;
  threshold: number | null;
  filters?: Filter;
  /** Whether no search is needed. */
  skipRetrieval: boolean;
  rewrittenQuestion?: string;
  expandedQuery?: string;
  /** Those chosen for the run, if any. */
  collections: string[] | null;
  selectionReasoning?: string;
  subQuestions?: string[];
  /** What decomposition in two phases made of the question. */
  plan?: Record<string, any>;
  /** Absent if no search step ran. */
  results?: { question: string; collection: string; chunks: Hit[]; iterations: number }[];
  /** The chunks in the order that a later step gave them. */
  evidence?: Hit[];
  answer: string | null;
  answeredBy?: By;
  /** What the answer was made from: `[n]` names the n-th. */
  contextUsed: Hit[];
  citations: Citation[];
  /** What was cited and names no passage; it was removed from the answer. */
  invalidCitations: string[];
  /** What was taken out of the answer: tags, pictures, and addresses that its evidence does not hold. */
  removed?: Removed[];
  grounding?: GroundedSentence[];
  /** What was given up to find anything at all. */
  relaxations?: Relaxation[];
  clarification?: Clarification;
  /** The answer as rows, where a list or a table is wanted. */
  output?: Output;
  /** The steps that were taken, in order. */
  stepsTaken: string[];
  /** What steps of yours left for others. */
  custom?: Record<string, any>;
}

export interface RunResult extends Context {
  /** What is suspicious in the passages that LLMs were shown. */
  suspicions?: Suspicion[];
  reasoningTrace: Thought[];
  /** Every call of an LLM, a searcher or a function. */
  toolCalls: ToolCall[];
  /** Every request that was handed to an LLM function, or that `onBeforeSend` did not let go, in turn. */
  ledger: LedgerEntry[];
  usage: Usage;
  /** What each part of the question, and each condition, is covered by; absent where nothing was searched. */
  coverage?: Coverage[];
  /** What `agent.resume` goes on from, where the run has not come to its end. */
  state?: RunState;
  /** Whether the library had changed when this run was gone on with. */
  indexChanged?: boolean;
  /** Whether the LLM was found to take tools; absent where none were offered. */
  takesTools?: boolean;
  /** How the agent's LLM was found to take requests for JSON. */
  capability?: Capability;
  /** How those of steps were, by their names in the pipeline's data; a function that several steps have goes by the first. */
  capabilities?: Record<string, Capability>;
  /** What ran out first. */
  budgetExhausted?: keyof Budget;
  /**
   * What failed and was gone on after: the LLM in the answer step, for one, whose answer is then quoted; with the code
   * `llm_cut_off`, an answer that ends too early; `never_sent` and `send_denied`, a step that did without it.
   */
  failures?: StepError[];
  /** The step that ended the run by failing, if one did. */
  error: StepError | null;
  terminatedBy: TerminatedBy;
}

/** A run under way. Every iteration sees every event. */
export interface Run<Result extends RunResult = RunResult> extends AsyncIterable<RunEvent> {
  /** Rejects on misuse alone. */
  readonly result: Promise<Result>;
}
