// Names that code blocks of the documents may use without an import. A declaration in a block shadows the one here.

declare const KnowledgeBase: typeof import("vademecum").KnowledgeBase;
declare const Embedder: typeof import("vademecum").Embedder;
declare const Agent: typeof import("vademecum").Agent;

declare const kb: import("vademecum").KnowledgeBase;
declare const agent: import("vademecum").Agent;
declare const llm: import("vademecum").Llm;
declare const question: string;
declare const signal: AbortSignal;
declare const run: import("vademecum").Run;
declare const result: import("vademecum").RunResult;
declare const file: File;
