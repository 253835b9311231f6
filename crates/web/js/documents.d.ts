// The types of documents and of what is known of a library; `index.d.ts` exports them all.

import type { StorageKind } from "./generated/documents-options.js";
import type { Span } from "./generated/documents-types.js";
import type { Pooling } from "./generated/embedder-options.js";

/** Any JSON values by name. */
export type Metadata = Record<string, unknown>;

/** A document to be added: its text, the bytes of a file, or its pages. */
export type DocumentInput = {
  /** Unique within its collection. Adding an id again replaces the document. */
  id: string;
  title?: string | undefined;
  /** Kept and returned, never fetched. */
  url?: string | undefined;
  /** Guessed from the id's extension unless named. */
  format?: "text" | "markdown" | "html" | undefined;
  /** Any JSON values. Filters read them; objects are reached as `author.name`. */
  metadata?: Metadata | undefined;
  /** What it is about, in your words: searched by its words, and told to models that look for documents. Stands in `metadata.vademecumSummary`, a name that `metadata` must not use itself. */
  summary?: string | undefined;
  /** Searched, cited and quoted here, while no LLM is shown anything of it. Stands in `metadata.neverSend`. */
  neverSend?: boolean | undefined;
} & (
  | { text: string; bytes?: undefined; pages?: undefined }
  | { /** A file's bytes, UTF-8. */ bytes: ArrayBuffer | ArrayBufferView | Blob; text?: undefined; pages?: undefined }
  | { /** Plain text page by page; hits tell their page. */ pages: string[]; text?: undefined; bytes?: undefined }
);

/** A passage of a document: what is searched, found and cited. */
export interface Chunk {
  /** `collection/document#ordinal`, with `%` and `/` percent-encoded in the collection's name: no two chunks share one. */
  id: string;
  /** The id of its document. */
  docId: string;
  /** The collection that holds the document. */
  collection: string;
  /** The document's, where it has one. */
  title: string | null;
  /** The document's, as it was given; in hits and results of runs null unless it leads by `http`, `https` or `mailto`, or is relative. */
  url: string | null;
  /** The very characters of the document. */
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
  /** The document's. */
  metadata: Metadata;
}

/** What the id of a chunk is made of. */
export interface ChunkPlace {
  /** The collection that holds the document. */
  collection: string;
  /** The id of the document. */
  docId: string;
  /** Which of the document's chunks it is, from 0. */
  ordinal: number;
}

/** What the id of a chunk is made of; null for a text that no chunk of a `KnowledgeBase` has as its id. */
export function parseChunkId(id: string): ChunkPlace | null;

/** What a call of `add` added. */
export interface Added {
  /** How many. */
  documents: number;
  /** How many they were cut into. */
  chunks: number;
  /** Ids of chunks whose end the embedder did not see. */
  truncated: string[];
}

/** A document as it is kept. */
export interface StoredDocument {
  /** As it was given. */
  id: string;
  /** As it was given. */
  title?: string;
  /** As it was given. */
  url?: string;
  /** The readable text that spans point into; for HTML, what was extracted. */
  text: string;
  /** As it was given. */
  summary?: string;
  /** As it was given. */
  metadata?: Metadata;
  /** In their order. */
  chunks: Chunk[];
}

/** What is in a knowledge base, and what is built of it. */
export interface Stats {
  /** How many, in all collections. */
  documents: number;
  /** How many, in all collections. */
  chunks: number;
  /** Chunks that can be found by vector. */
  embedded: number;
  /** Chunks still to be embedded. */
  pending: number;
  /** Distinct keyword terms. */
  terms: number;
  /** Each collection, `default` among them. */
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
  /**
   * What embeds; null without one. `threshold` is the least cosine that the agent asks of vector hits, and `pooling` how
   * `Embedder.onnx` makes vectors, once its model is loaded; null where there is none.
   */
  embedder: { id: string; threshold: number | null; pooling: Pooling | null } | null;
  /** Where it is kept; null for one in memory. `usage` and `quota` are the browser's own account, of the whole origin. */
  library: { kind: StorageKind; readOnly: boolean; usage: number | null; quota: number | null } | null;
  /** What of a damaged library is not here; only where it was opened with `salvage`. */
  lost?: Lost;
}

/** What could not be read of a damaged library. */
export interface Lost {
  /** How many documents are not there; what a version before this one saved is not counted. */
  documents: number;
  /** How many chunks are not there, counted in the same way. */
  chunks: number;
  /** The files that are damaged, and how. Where these are vectors and graphs, no document is lost: both are made again. */
  files: { file: string; reason: string }[];
}

/** What a call of `import` took in. */
export interface Imported {
  /** How many. */
  documents: number;
  /** What of a damaged file was not; only with `salvage`. */
  lost?: Lost;
}

/** What is declared of a collection, and what was found in it. */
export interface CollectionStats {
  /** As it was declared. */
  name: string;
  /** What it holds; empty where nothing was said. */
  description: string;
  /** What its words are stemmed as; null before the first document. */
  language: string | null;
  /** The types of its metadata fields: a name where declared, a list of those seen otherwise. */
  schema: Record<string, FieldType | FieldType[]>;
  /** How many. */
  documents: number;
  /** How many. */
  chunks: number;
}

/** What a metadata field holds. A `date` is ISO 8601, such as `2023`, `2023-04` or `2023-04-01T12:00:00Z`. */
export type FieldType = "string" | "number" | "date" | "boolean";
/** How many there are, and the first of them. */
export interface DocumentList {
  /** How many fulfil the filter. */
  total: number;
  /** Those from `offset` on, `limit` at most; `chunks` is how many each has. */
  documents: { id: string; collection: string; title: string | null; url: string | null; metadata: Metadata; chunks: number }[];
}
