// The types of searches; `index.d.ts` exports them all.

import type { Chunk } from "./documents.js";

/** What one of the two ways to search thought of a hit. */
export interface Arm {
  /** From 1. */
  rank: number;
  /** BM25, or cosine. */
  score: number;
  /** How the vector arm searched. */
  method?: VectorMethod;
}

/** `exact` compares every vector; `sketch` cuts by one bit a dimension first; `hnsw` walks a graph. */
export type VectorMethod = "exact" | "sketch" | "hnsw";

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

/** By words (BM25), by meaning (cosine), or by both. */
export type Mode = "keyword" | "vector" | "hybrid";

/** How and where is searched. What is misspelt is refused. */
export interface SearchOptions {
  /** All collections unless named. */
  collections?: string[] | undefined;
  /** Only chunks of the documents with these ids. */
  documents?: string[] | undefined;
  /** `hybrid` unless named. */
  mode?: Mode | undefined;
  /** 10 unless named. */
  limit?: number | undefined;
  /** Vector hits with a lower cosine are dropped; keyword hits never are. 0 unless named. */
  threshold?: number | undefined;
  /** Only chunks of documents whose metadata this wants; applied inside both arms. */
  filters?: Filter | undefined;
  /** The last word may be unfinished. */
  prefix?: boolean | undefined;
  /** A word that no document has may stand for one that differs by a slip or two. */
  typos?: boolean | undefined;
  /** What stands in double quotes must be there, in both arms; otherwise chunks that have it come first among those found by words. */
  strictPhrases?: boolean | undefined;
  /** How hybrid mode joins its arms: by how scores are distributed (`dbsf`) unless named. */
  fusion?: "dbsf" | "minmax" | "rrf" | undefined;
  /** How much each arm counts in hybrid mode; equally much unless named. */
  weights?: { keyword?: number | undefined; vector?: number | undefined } | undefined;
  /** How vectors are searched; chosen by a rule unless named. */
  method?: VectorMethod | undefined;
  /** How many nodes of an HNSW graph are kept in sight: more finds more and takes longer. */
  ef?: number | undefined;
  /**
   * 1 unless named, 4 at most. Above 1, the best passages are followed: to documents whose title they name or to which they
   * link, to passages that name them, and to whatever answers what they leave open of the question. For questions whose
   * answer has to be put together from several passages; every hop embeds a few more texts, in one call.
   */
  hops?: number | undefined;
  /** Whether hits say what each arm thought of them. False unless named. */
  explain?: boolean | undefined;
  /** Ends it: the call rejects with `aborted`. */
  signal?: AbortSignal | undefined;
}

/** Which documents are listed. */
export interface ListOptions {
  /** All collections unless named. */
  collections?: string[] | undefined;
  /** Only documents whose metadata this wants. */
  filters?: Filter | undefined;
  /** How many are passed over. 0 unless named. */
  offset?: number | undefined;
  /** The most that are listed, from 1. 100 unless named; `total` counts all. */
  limit?: number | undefined;
}

/** Of which documents values are counted. */
export interface FacetOptions {
  /** All collections unless named. */
  collections?: string[] | undefined;
  /** Only documents whose metadata this wants. */
  filters?: Filter | undefined;
  /** The most values, the most frequent first. 20 unless named. */
  limit?: number | undefined;
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

/** What is on a map. */
export interface MapOptions {
  /** Only chunks of these collections; of all unless named. */
  collections?: string[] | undefined;
  /** The most chunks to place, evenly chosen. 5,000 unless named. */
  limit?: number | undefined;
}

/** Where chunks lie. */
export interface ChunkMap {
  /** How many chunks have a vector. */
  total: number;
  /** The share of what distinguishes their vectors that the plane shows, from 0 to 1: how far the map can be trusted. */
  explained: number;
  /** In the order they were added. */
  points: MapPoint[];
}

/** A chunk on a map. */
export interface MapPoint {
  /** The chunk's id. */
  chunkId: string;
  /** The id of its document. */
  docId: string;
  /** The collection of that document. */
  collection: string;
  /** From -1 to 1, along the direction in which the vectors differ most. */
  x: number;
  /** Along the one that comes next, to the same scale. */
  y: number;
}
