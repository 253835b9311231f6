// The types of documents and of what is known of a library; `index.d.ts` exports them all.

/** Any JSON values by name. */
export type Metadata = Record<string, unknown>;

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
