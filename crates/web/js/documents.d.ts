// The types of documents and of what is known of a library; `index.d.ts` exports them all.

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

