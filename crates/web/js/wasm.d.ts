/// <reference lib="esnext.disposable" />
/**
 * The index without documents, synchronous, for numbers in and numbers out. Start the module first: `await init()`. What is added gets
 * the ids 0, 1, 2, …
 */

/** The module's file, by its address, or what was read of it. */
export type ModuleSource = string | URL | Request | Response | BufferSource | WebAssembly.Module;

/** Starts the module, once: later calls find it started. Fetches `vademecum-index_bg.wasm` beside the script unless `module_or_path` says from where. */
export default function init(from?: { module_or_path: ModuleSource | Promise<ModuleSource> }): Promise<unknown>;
/** The same with bytes that are there already. */
export function initSync(from: { module: BufferSource | WebAssembly.Module }): unknown;

/** How vectors are searched. */
export interface VectorSearchOptions {
  /** `exact` compares every vector; `sketch` cuts by one bit a dimension first; `hnsw` walks a graph. Chosen by a rule unless named. */
  method?: "exact" | "sketch" | "hnsw" | undefined;
  /** How many nodes of a graph are kept in sight, from 1: more finds more and takes longer. */
  ef?: number | undefined;
  /** How many vectors the sketch leaves to be compared, from 1. */
  candidates?: number | undefined;
}

/** What was found, the best first. */
export interface Found {
  /** Places in the order of adding, from 0. */
  ids: Uint32Array;
  /** Cosines, or BM25. */
  scores: Float32Array;
  /** How vectors were searched. */
  method?: "exact" | "sketch" | "hnsw";
}

/** Vectors of one length, searched by cosine. */
export class VectorIndex {
  /** An empty one for vectors of `dimensions` numbers. */
  constructor(dimensions: number);
  /** Adds vectors, row after row; they are scaled to length 1. `vector_shape` where a number is not finite. */
  add(vectors: Float32Array | number[]): void;
  /** Makes the sketches that searching many vectors is quick by. */
  build(): void;
  /** Builds the HNSW graph, takes it in use and returns its bytes; nothing where there are too few vectors. Minutes for tens of thousands. */
  graph(): Uint8Array | undefined;
  /** Takes a graph in use that was built over the same vectors. */
  setGraph(bytes: Uint8Array | number[]): void;
  /** The `limit` nearest. */
  search(query: Float32Array | number[], limit: number, options?: VectorSearchOptions | null): Found;
  /** As bytes. Refused while it is empty. */
  save(): Uint8Array;
  /** Back from bytes. `library_corrupt` where they are damaged. */
  static load(bytes: Uint8Array | number[]): VectorIndex;
  /** Bytes in memory, by what for. */
  memory(): { vectors: number; sketch: number; graph: number };
  /** Frees its memory. Nothing may be called after it. */
  free(): void;
  /** Frees its memory at the end of a block with `using`. */
  [Symbol.dispose](): void;
}

/** Texts, searched by BM25. */
export class KeywordIndex {
  /** An empty one for texts of a language, by its English name or ISO 639-1 code; English unless named. */
  constructor(language?: string | null);
  /** Adds texts; before `build` only. */
  add(texts: string[]): void;
  /** Compresses what was added; nothing can be added afterwards. */
  build(): void;
  /** The `limit` best. */
  search(query: string, limit: number): Found;
  /** As bytes. */
  save(): Uint8Array;
  /** Back from bytes. `library_corrupt` where they are damaged. */
  static load(bytes: Uint8Array | number[]): KeywordIndex;
  /** Frees its memory. Nothing may be called after it. */
  free(): void;
  /** Frees its memory at the end of a block with `using`. */
  [Symbol.dispose](): void;
}
