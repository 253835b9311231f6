// Declarations of packages that the documents use and that are not installed for tests, reduced to the members used.

declare module "@opentelemetry/api" {
  export const trace: { getTracer(name: string): import("vademecum/otel").SpanTracer };
}

declare module "react" {
  export function createElement(tag: unknown, properties?: Record<string, any> | null, ...children: unknown[]): unknown;
  export function useState<T>(initial: T): [T, (next: T) => void];
}

declare module "pdfjs-dist" {
  export const GlobalWorkerOptions: { workerSrc: string };
  interface TextItem { str: string; hasEOL: boolean }
  interface MarkedContent { type: string }
  interface Page { getTextContent(): Promise<{ items: (TextItem | MarkedContent)[] }> }
  export function getDocument(from: { data: Uint8Array }): {
    promise: Promise<{ numPages: number; getPage(number: number): Promise<Page> }>;
    destroy(): Promise<void>;
  };
}

type SaidTo<Role extends string> = { role: Role; content: string }[];

declare module "@mlc-ai/web-llm" {
  interface Request { messages: SaidTo<"system" | "user" | "assistant">; stream?: boolean; response_format?: { type?: "json_object"; schema?: string } }
  type Reply = import("vademecum").Completion | AsyncIterable<import("vademecum").Completion>;
  interface Options { initProgressCallback?: (report: { progress: number; text: string }) => void; appConfig?: { model_list: { model_id: string; model: string; model_lib: string }[] } }
  export function CreateWebWorkerMLCEngine(worker: unknown, model: string, options?: Options): Promise<{
    chat: { completions: { create(request: Request): Promise<Reply> } };
    interruptGenerate(): void;
  }>;
  export class WebWorkerMLCEngineHandler {
    onmessage(message: MessageEvent): void;
  }
}

declare module "@huggingface/transformers" {
  export const env: { allowLocalModels: boolean; allowRemoteModels: boolean; localModelPath: string; backends: { onnx: { wasm?: { wasmPaths?: string } } } };
  export class InterruptableStoppingCriteria {
    interrupt(): void;
  }
  export class TextStreamer {
    constructor(tokenizer: unknown, options?: { skip_prompt?: boolean; callback_function?: (text: string) => void });
  }
  type Chat = { role: string; content: string }[];
  interface Generate {
    (chat: Chat, options?: { max_new_tokens?: number; stopping_criteria?: InterruptableStoppingCriteria; streamer?: TextStreamer }): Promise<{ generated_text: Chat }[]>;
    tokenizer: unknown;
  }
  export function pipeline(task: "text-generation", model: string, options?: { device?: "webgpu" | "wasm"; dtype?: string }): Promise<Generate>;
}

declare module "@wllama/wllama" {
  interface Request {
    messages: SaidTo<"system" | "user" | "assistant">;
    stream: true;
    max_tokens?: number;
    abortSignal?: AbortSignal;
    response_format?: import("vademecum").ChatRequest["response_format"];
  }
  export class Wllama {
    constructor(paths: { default: string });
    setCompat(compat: null): void;
    loadModel(files: Blob[], options?: { n_ctx?: number }): Promise<void>;
    loadModelFromUrl(address: string, options?: { n_ctx?: number }): Promise<void>;
    createChatCompletion(request: Request): Promise<AsyncIterable<import("vademecum").Completion>>;
  }
}

/** Chrome's built-in model, which is missing in TypeScript's DOM types. */
declare class LanguageModel {
  static availability(options?: LanguageModelLanguages): Promise<"unavailable" | "downloadable" | "downloading" | "available">;
  static create(options?: LanguageModelLanguages & { monitor?: (download: EventTarget & { addEventListener(type: "downloadprogress", heard: (event: ProgressEvent) => void): void }) => void }): Promise<LanguageModel>;
  clone(options?: { signal?: AbortSignal }): Promise<LanguageModel>;
  promptStreaming(prompt: string, options?: { signal?: AbortSignal; responseConstraint?: Record<string, unknown> }): ReadableStream<string>;
  destroy(): undefined;
}
interface LanguageModelLanguages {
  expectedOutputs?: { type: "text"; languages?: string[] }[];
}

declare module "esbuild" {
  export function build(options: {
    entryPoints: string[];
    bundle?: boolean;
    splitting?: boolean;
    format?: "esm";
    target?: string;
    outdir?: string;
    entryNames?: string;
  }): Promise<unknown>;
}
