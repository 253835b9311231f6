// The types of searches; `index.d.ts` exports them all.

import type { Chunk } from "./documents.js";
import type { Mode, VectorMethod } from "./generated/search-options.js";

/** What one of the two ways to search thought of a hit. */
export interface Arm {
  /** From 1. */
  rank: number;
  /** BM25, or cosine. */
  score: number;
  /** How the vector arm searched. */
  method?: VectorMethod;
}

/** How a field is compared. `like` takes `%` for anything and `_` for one letter; `between` a list of two. */
export type FilterOperator =
  | "=" | "!=" | ">" | ">=" | "<" | "<=" | "in" | "not_in" | "like" | "contains" | "exists" | "between";
/** What a field is compared with. A date is a text in ISO 8601; null stands for documents without the field. */
export type FilterValue = string | number | boolean | null | (string | number | boolean)[];
/**
 * `{ year: 2023 }`, `{ total: { ">": 1000 } }`, `{ total: { operator: ">", value: 1000 } }`, a list of
 * `{ field, operator, value }`, and `{ and: […] }`, `{ or: […] }`, `{ not: … }` of these; the guide to search has the table.
 */
export type Filter =
  | { [field: string]: FilterValue | Filter | Filter[] | { operator: FilterOperator; value: FilterValue } | { [operator: string]: FilterValue } }
  | (FilterCondition | (Filter & { operator?: undefined }))[];

/** A condition in a list of them. `exists` means `true` without a value. */
export interface FilterCondition {
  /** The metadata field; one inside another is `author.name`. */
  field: string;
  /** How it is compared. */
  operator: FilterOperator;
  /** With what. */
  value?: FilterValue | undefined;
}

/** A value of a metadata field, and how often there is one. */
export interface Facet {
  /** As it stands in the metadata. */
  value: string | number | boolean;
  /** Documents. */
  count: number;
}

/** A chunk that was found. */
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

/** What a search found. */
export interface SearchResponse {
  /** The best first. */
  hits: Hit[];
  /**
   * How many chunks matched, before the limit: exact up to 1,000 keyword matches, at least that beyond. By vector every
   * chunk matches more or less, so that arm counts only what it hands on.
   */
  total: number;
  /** Milliseconds in the engine. */
  tookMs: number;
  /** The arms that really searched. */
  mode: Mode;
  /** The least cosine that was asked of vector hits. */
  threshold: number;
  /** Why hybrid mode had to do without vectors, if its embedder failed. */
  degraded?: { code: string; message: string };
}

/** Chunks and their vectors. */
export interface ChunkVectors {
  /** Number of chunks that have a vector, before the limit. */
  total: number;
  /** Length of a vector; 0 where there is none. */
  dimensions: number;
  /** The chunks, in the order they were added. */
  chunks: EmbeddedChunk[];
  /**
   * Their vectors, one after the other: that of `chunks[i]` begins at `i * dimensions`. Each is of length 1 and rounded to 8 bits, as
   * the index keeps it.
   */
  values: Float32Array;
}

/** A chunk that has a vector. */
export interface EmbeddedChunk {
  /** The chunk's id. */
  chunkId: string;
  /** The id of its document. */
  docId: string;
  /** The collection of that document. */
  collection: string;
}
