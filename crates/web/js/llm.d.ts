// The types of language models; `index.d.ts` exports them all.

/** One message of a chat. */
export interface ChatMessage {
  /** Who says it. */
  role: "system" | "user" | "assistant" | "tool";
  /** What is said. */
  content: string;
  /** The calls of the model's turn, where it has tools. */
  tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
  /** The call that a tool's message answers. */
  tool_call_id?: string;
}

/** A function that a model may call, as an OpenAI-compatible endpoint takes it. */
export interface ToolSchema {
  /** Always `function`. */
  type: "function";
  /** What the model is told of it. */
  function: { name: string; description?: string; parameters: object };
}

/** An OpenAI-compatible chat-completions body: `JSON.stringify` it, and send it. */
export interface ChatRequest {
  /** The agent's `model`, where it has one. */
  model?: string;
  /** The first one first. */
  messages: ChatMessage[];
  /** Where JSON is asked for, and the endpoint is known or hoped to take a format. */
  response_format?: { type: "json_object" } | { type: "json_schema"; json_schema: { name: string; schema: object } };
  /** What the model may call. */
  tools?: ToolSchema[];
  /** Whether it may choose, or has to call the one named. */
  tool_choice?: "auto" | { type: "function"; function: { name: string } };
  /** Whether deltas are wanted. A whole reply will do as well. */
  stream: boolean;
}

/** A completion, or one chunk of a streamed one; of its many fields these are read. */
export interface Completion {
  /** The first one is read. */
  choices: {
    message?: { content?: unknown; tool_calls?: unknown } | undefined;
    delta?: { content?: unknown; tool_calls?: unknown } | undefined;
    /** `length` and `content_filter`: the reply was cut off. */
    finish_reason?: string | null | undefined;
  }[];
  /** What it cost; estimated from the text where absent. */
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null | undefined;
}

/** Text, a chunk of a completion, or bytes of server-sent events; null and undefined are no text. */
export type LlmDelta = string | Completion | Uint8Array | null | undefined;
/** What an LLM function may return: a `fetch` response (JSON or server-sent events), a parsed completion, the text, or deltas as they come. */
export type LlmReply = Response | Completion | string | AsyncIterable<LlmDelta> | Iterable<LlmDelta> | ReadableStream<LlmDelta>;
/** What an LLM function is told beside the request. */
export interface LlmContext {
  /** Aborted when nobody waits for the reply any more: the run was stopped, or is out of time. */
  signal: AbortSignal;
  /** The step that asks. */
  step: string;
}
/** A language model: one `fetch` is enough. An error with a `status`, or a `response` that has one, is that HTTP error. */
export type Llm = (request: ChatRequest, context: LlmContext) => LlmReply | Promise<LlmReply>;
