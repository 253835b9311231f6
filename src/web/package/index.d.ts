/** Private retrieval and question answering that runs wholly in a browser tab. */

export * from "./agent.js";
export * from "./conversation.js";
export * from "./styles.js";
export * from "./trust.js";
export * from "./evaluate.js";

import type { Case, EvaluateOptions, EvaluationReport, MadeCase, MakeCasesOptions } from "./evaluate.js";

/** What every failing call rejects with. */
export class VademecumError extends Error {
  /** Stable; listed in the README. */
  readonly code: string;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
}

export interface Progress {
  /** `model` counts bytes, `read` documents, `embed` chunks. */
  phase: "model" | "read" | "embed";
  loaded: number;
  /** 0 where it is not known. */
  total: number;
}

export interface WorkOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export interface OnnxOptions {
  /** Address of the model file. Relative addresses count from the page. */
  model: string;
  /** Address of the `tokenizer.json` that was published with it. */
  tokenizer: string;
  /** Folder with the three files of the ONNX runtime; `ort/` beside the package unless named. */
  runtime?: string;
  /** Encoders side by side, each with a copy of the model. 1 unless named. */
  workers?: number;
  /** The least cosine the agent asks of a vector hit. 0.5 unless named; it differs between models. */
  threshold?: number;
  /** Longer texts are cut, and flagged. 128 unless named. */
  maxTokens?: number;
  /** Put before every query. */
  queryPrefix?: string;
  /** Put before every document. */
  documentPrefix?: string;
  /** What tells this model from others in a kept library; the end of the model's address and its options unless named. */
  id?: string;
}

declare const embedder: unique symbol;
/** A description of an embedder; made by `Embedder`. */
export interface EmbedderDescription {
  readonly [embedder]: true;
}

export type EmbedFunction = (
  texts: string[],
  context: { kind: "query" | "document"; signal: AbortSignal },
) => Promise<ArrayLike<number>[]> | ArrayLike<number>[];

export const Embedder: {
  /** A sentence encoder in ONNX form, run in workers. */
  onnx(options: OnnxOptions): EmbedderDescription;
  /**
   * A function of yours. Vectors are scaled to length 1. `id` tells them from another's in a kept library: without it
   * all functions count as the same.
   */
  custom(embed: EmbedFunction, options?: { threshold?: number; concurrency?: number; id?: string }): EmbedderDescription;
};

/** A half-open range. */
export interface Span {
  start: number;
  end: number;
}

export type Metadata = Record<string, unknown>;

export type DocumentInput = {
  /** Unique within its collection. Adding an id again replaces the document. */
  id: string;
  title?: string;
  /** Kept and returned, never fetched. */
  url?: string;
  /** Guessed from the id's extension unless named. */
  format?: "text" | "markdown" | "html";
  /** Any JSON values. Filters read them; objects are reached as `author.name`. */
  metadata?: Metadata;
  /** Searched, cited and quoted here, while no LLM is shown anything of it. Stands in `metadata.neverSend`. */
  neverSend?: boolean;
} & (
  | { text: string; bytes?: undefined; pages?: undefined }
  | { /** A file's bytes, UTF-8. */ bytes: Uint8Array; text?: undefined; pages?: undefined }
  | { /** Plain text page by page; hits tell their page. */ pages: string[]; text?: undefined; bytes?: undefined }
);

export interface Chunk {
  /** `collection/document#ordinal` */
  id: string;
  docId: string;
  collection: string;
  title: string | null;
  url: string | null;
  text: string;
  /** The headings above, outermost first. */
  headings: string[];
  /** The page it begins on, from 1, where the document has pages. */
  page: number | null;
  /** `document.text.slice(span.start, span.end) === text` */
  span: Span;
  /** The same in UTF-8 bytes. */
  bytes: Span;
  /** Whether the embedder saw only the beginning. */
  truncated: boolean;
  metadata: Metadata;
}

export interface Arm {
  /** From 1. */
  rank: number;
  score: number;
  /** How the vector arm searched. */
  method?: VectorMethod;
}

/** `exact` compares every vector; `sketch` cuts by one bit a dimension first; `hnsw` walks a graph. */
export type VectorMethod = "exact" | "sketch" | "hnsw";

export type FilterOperator =
  | "=" | "!=" | ">" | ">=" | "<" | "<=" | "in" | "not_in" | "like" | "contains" | "exists" | "between";
type FilterValue = string | number | boolean | null | (string | number | boolean)[];
/**
 * `{ year: 2023 }`, `{ total: { ">": 1000 } }`, `{ total: { operator: ">", value: 1000 } }`, a list of
 * `{ field, operator, value }`, and `{ and: […] }`, `{ or: […] }`, `{ not: … }` of these. The README has the table.
 */
export type Filter =
  | { [field: string]: FilterValue | Filter | Filter[] | { operator: FilterOperator; value: FilterValue } | { [operator: string]: FilterValue } }
  | ({ field: string; operator: FilterOperator; value?: FilterValue } | Filter)[];

export interface Facet {
  value: string | number | boolean;
  /** Documents. */
  count: number;
}

export interface Hit extends Chunk {
  /**
   * BM25 with what a closer look adds in keyword mode, cosine in vector mode, in [0, 1] in hybrid mode; with `hops` above 1 in
   * [0, 1] in any mode.
   */
  score: number;
  /**
   * With `explain: true`: what each arm thought of it for the question itself, and the ids of the chunks it was reached through,
   * the first one first; none where the question alone scores as much or more.
   */
  explain?: { keyword: Arm | null; vector: Arm | null; via: string[] };
}

export type Mode = "keyword" | "vector" | "hybrid";

export interface SearchOptions {
  /** All collections unless named. */
  collections?: string[];
  /** Only chunks of the documents with these ids. */
  documents?: string[];
  /** `hybrid` unless named. */
  mode?: Mode;
  /** 10 unless named. */
  limit?: number;
  /** Vector hits with a lower cosine are dropped; keyword hits never are. 0 unless named. */
  threshold?: number;
  /** Only chunks of documents whose metadata this wants; applied inside both arms. */
  filters?: Filter;
  /** The last word may be unfinished. */
  prefix?: boolean;
  /** A word that no document has may stand for one that differs by a slip or two. */
  typos?: boolean;
  /** What stands in double quotes must be there, in both arms; otherwise chunks that have it come first among those found by words. */
  strictPhrases?: boolean;
  /** How hybrid mode joins its arms: by how scores are distributed (`dbsf`) unless named. */
  fusion?: "dbsf" | "minmax" | "rrf";
  /** How much each arm counts in hybrid mode; equally much unless named. */
  weights?: { keyword?: number; vector?: number };
  /** How vectors are searched; chosen by a rule unless named. */
  method?: VectorMethod;
  /** How many nodes of an HNSW graph are kept in sight: more finds more and takes longer. */
  ef?: number;
  /**
   * 1 unless named, 4 at most. Above 1, the best passages are followed: to documents whose title they name or to which they
   * link, to passages that name them, and to whatever answers what they leave open of the question. For questions whose
   * answer has to be put together from several passages; every hop embeds a few more texts, in one call.
   */
  hops?: number;
  explain?: boolean;
  signal?: AbortSignal;
}

export interface SearchResponse {
  hits: Hit[];
  /**
   * How many chunks matched, before the limit: exact up to 1,000 keyword matches, at least that beyond. By vector every
   * chunk matches more or less, so that arm counts only what it hands on.
   */
  total: number;
  tookMs: number;
  /** The arms that really searched. */
  mode: Mode;
  /** Why hybrid mode had to do without vectors, if its embedder failed. */
  degraded?: { code: string; message: string };
}

export interface Added {
  documents: number;
  chunks: number;
  /** Ids of chunks whose end the embedder did not see. */
  truncated: string[];
}

export interface StoredDocument {
  id: string;
  title?: string;
  url?: string;
  /** The readable text that spans point into; for HTML, what was extracted. */
  text: string;
  metadata?: Metadata;
  chunks: Chunk[];
}

export interface Stats {
  documents: number;
  chunks: number;
  /** Chunks that can be found by vector. */
  embedded: number;
  /** Chunks still to be embedded. */
  pending: number;
  /** Distinct keyword terms. */
  terms: number;
  collections: CollectionStats[];
  /** What of the index is built. */
  index: {
    segments: number;
    /** Chunks deleted and not yet merged away. */
    deleted: number;
    /** Segments whose vectors have an HNSW graph. */
    graphs: number;
    /** Segments large enough for a graph that have none yet. */
    graphsPending: number;
    /** Bytes of vectors, by what for. */
    memory: { vectors: number; sketch: number; graph: number };
    /** Bytes of keyword postings. */
    words: number;
  };
  /** Where it is kept; null for one in memory. `usage` and `quota` are the browser's own account, of the whole origin. */
  library: { kind: StorageKind; readOnly: boolean; usage: number | null; quota: number | null } | null;
}

export interface CollectionStats {
  name: string;
  description: string;
  /** What its words are stemmed as; null before the first document. */
  language: string | null;
  /** The types of its metadata fields: a name where declared, a list of those seen otherwise. */
  schema: Record<string, FieldType | FieldType[]>;
  documents: number;
  chunks: number;
}

export type FieldType = "string" | "number" | "date" | "boolean";
export type StorageKind = "opfs" | "indexeddb" | "memory";

export interface CollectionOptions {
  /** What it holds, for people and for the agent. */
  description?: string;
  /** What its words are stemmed as, by English name or ISO 639-1 code; found out from the first documents unless named. */
  language?: string;
  /** Types of metadata fields; those declared earlier stay. Such as `{ year: "number", signed: "date" }`. Any field may hold a list. */
  schema?: Record<string, FieldType | `${FieldType}[]`>;
}

export interface OpenOptions extends MemoryOptions {
  /** Where it is kept: OPFS where that works, else IndexedDB, unless named. */
  storage?: StorageKind;
}

export interface MemoryOptions {
  embedder?: EmbedderDescription;
  /** Told of the model's bytes as they come. */
  onProgress?: (progress: Progress) => void;
  /** The most text one document may have. 16 MB unless named. */
  maxDocumentBytes?: number;
  /** The most tokens a chunk is embedded as, title and heading included: what the model takes unless named, else 128. */
  chunkTokens?: number;
  /** How many tokens of whole sentences a chunk repeats of the one before. 0 unless named. */
  chunkOverlap?: number;
  /** Keep 32-bit vectors beside the 8-bit ones and rank by them: a little more exact, at four times the memory. */
  exactVectors?: boolean;
  /** From how many vectors a segment gets an HNSW graph, built in a worker of its own. 20,000 unless named. */
  graphFrom?: number;
  /** A library whose vectors another embedder made is embedded anew instead of refused. */
  reembed?: boolean;
}

/** How many there are, and the first of them. */
export interface DocumentList {
  total: number;
  documents: { id: string; collection: string; title: string | null; url: string | null; metadata: Metadata; chunks: number }[];
}

export interface ChunkMap {
  /** How many chunks have a vector; a map of more than its limit shows some of them, evenly chosen. */
  total: number;
  /** The share of what distinguishes the vectors that the plane shows, from 0 to 1. Little of it is left of most encoders' vectors. */
  explained: number;
  /** In the order they were added; `x` and `y` are from -1 to 1, to the same scale. */
  points: { chunkId: string; docId: string; collection: string; x: number; y: number }[];
}

export class KnowledgeBase {
  private constructor();
  /**
   * A knowledge base that is kept in this browser under a name, and is empty the first time. The first to open it
   * writes; in another tab it can be read meanwhile, and written once the first has closed it.
   */
  static open(name: string, options?: OpenOptions): Promise<KnowledgeBase>;
  /** The names of the libraries that are kept in this browser. */
  static list(): Promise<string[]>;
  /** Deletes a kept library for good. Refused while it is open for writing. */
  static delete(name: string): Promise<void>;
  /** Asks the browser not to clear what is kept when it is short of space; whether it agreed. */
  static persist(): Promise<boolean>;
  /** A knowledge base that keeps nothing: it is gone with the page. */
  static memory(options?: MemoryOptions): Promise<KnowledgeBase>;
  /** Resolves when the model is there. After a failure, this begins anew. */
  loadEmbedder(options?: WorkOptions): Promise<void>;
  /** Declares a collection, or changes what is declared of it. `default` is always there. */
  collection(name: string, options?: CollectionOptions): Promise<void>;
  add(collection: string, documents: DocumentInput[], options?: WorkOptions): Promise<Added>;
  add(documents: DocumentInput[], options?: WorkOptions): Promise<Added>;
  /** Embeds what has no vector yet, and says how many chunks that were. */
  embedPending(options?: WorkOptions): Promise<number>;
  search(query: string, options?: SearchOptions): Promise<SearchResponse>;
  /** The documents that fulfil a filter, in the order they were added, without their texts. */
  documents(options?: { collections?: string[]; filters?: Filter; offset?: number; limit?: number }): Promise<DocumentList>;
  /** How many documents have each value of a metadata field, the most frequent first, at most 20 unless `limit` says. */
  facets(field: string, options?: { collections?: string[]; filters?: Filter; limit?: number }): Promise<Facet[]>;
  /**
   * A map to look at: the chunks that have a vector, placed on the plane on which their vectors differ most, at most 5,000 of
   * them unless `limit` says. The same library has the same map.
   */
  map(options?: { collections?: string[]; limit?: number }): Promise<ChunkMap>;
  /** Everything as one file: documents, vectors and all. */
  export(): Promise<Uint8Array>;
  /**
   * Takes in what `export` gave; a document whose id is here already is replaced. Then embeds what has no vector, which
   * the signal ends.
   */
  import(file: Uint8Array | ArrayBuffer | Blob, options?: WorkOptions): Promise<{ documents: number }>;
  /** Says how many were there. */
  remove(collection: string, ids: string[]): Promise<number>;
  remove(ids: string[]): Promise<number>;
  document(collection: string, id: string): Promise<StoredDocument>;
  document(id: string): Promise<StoredDocument>;
  stats(): Promise<Stats>;
  /**
   * Changes with what searches find: with documents, their collections and metadata, and the vectors there are. Two libraries
   * that hold the same have the same.
   */
  fingerprint(): Promise<string>;
  /** Asks questions of which it is known what should be found, in several ways, and says how good each way is. */
  evaluate(cases: Case[], options?: EvaluateOptions): Promise<EvaluationReport>;
  /**
   * Questions made of the documents themselves, where nobody has labelled any. The same documents and seed give the same. With an
   * `llm`, passages are sent to it, but for those of documents whose metadata has `neverSend: true`.
   */
  makeCases(options?: MakeCasesOptions): Promise<MadeCase[]>;
  /** The ids the embedder's tokenizer gives a text. */
  tokenIds(text: string): Promise<number[]>;
  /** The names of the conversations that are kept here, in order. */
  conversations(): Promise<string[]>;
  /** Deletes a kept conversation for good; no error where there is none. */
  deleteConversation(name: string): Promise<void>;
  /** Saves what is kept, and frees everything. Every later call rejects with the code `closed`. */
  close(): Promise<void>;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}
