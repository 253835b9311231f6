// The types of collections that are kept elsewhere; `index.d.ts` exports them all.

import type { FieldType } from "./generated/documents-types.js";
import type { ChromaOptions } from "./generated/searcher-options.js";
import type { Metadata } from "./documents.js";
import type { Awaitable, CallContext, SearcherFunction } from "./pipeline.js";
import type { FilterOperator, FilterValue } from "./search.js";
import type { Mode } from "./generated/search-options.js";

/**
 * A condition in the one form that a remote collection has to know: every spelling of a filter is rewritten to it. `in` and `not_in` have
 * a list, `between` a list of two, `exists` a boolean.
 */
export type RemoteFilter =
  /** All of them; without any, every document. */
  | { and: RemoteFilter[]; or?: undefined; not?: undefined; field?: undefined }
  /** One of them; without any, no document. */
  | { or: RemoteFilter[]; and?: undefined; not?: undefined; field?: undefined }
  /** Not this one. */
  | { not: RemoteFilter; and?: undefined; or?: undefined; field?: undefined }
  /** One field; inside of another one it is `author.name`. */
  | { field: string; operator: FilterOperator; value: FilterValue; and?: undefined; or?: undefined; not?: undefined };

/** What a remote collection is asked for. */
export interface RemoteRequest {
  /** The question; null where `leaves.query` is false. */
  query: string | null;
  /** The question's vector, of length 1; null by words alone, without an embedder that is ready, and where `leaves.vector` is false. */
  vector: Float32Array | null;
  /** The id of the embedder that made it. */
  embedder: string | null;
  /** The most hits. In hybrid mode more than the caller wants, since rankings are fused. */
  limit: number;
  /** Only passages of documents whose metadata fulfil this. */
  filters: RemoteFilter | null;
  /** By words, by vector, or by both. */
  mode: Mode;
  /** The least cosine of a hit by its vector. */
  threshold: number;
  /** Only passages of documents with these ids. */
  documents: string[] | null;
}

/** A passage of a remote collection. */
export interface RemotePassage {
  /** Its id, of which no two hits have the same. The id of a chunk of this package is kept, with the collection's name in it. */
  id: string;
  /** The id of its document. Default: by `id`, where that is one of this package, else `id` itself. */
  docId?: string | null | undefined;
  /** Its number within the document, from 0. With it, the chunk's id is `collection/docId#ordinal`, else `collection/id#0`. */
  ordinal?: number | null | undefined;
  /** The text. */
  text: string;
  /** The document's title. */
  title?: string | null | undefined;
  /** The document's address. */
  url?: string | null | undefined;
  /** The headings above it, outermost first. */
  headings?: string[] | null | undefined;
  /** The page it begins on, from 1. */
  page?: number | null | undefined;
  /** Where it is in the document's text, in UTF-16 code units. */
  span?: { start: number; end: number } | null | undefined;
  /** The document's metadata. `neverSend: true` keeps it from models. */
  metadata?: Metadata | null | undefined;
}

/**
 * A passage that was found. Of a collection that gives no `keyword` scores, the passages are rated by their words on the device; in mode
 * `vector` each needs its `vector` score.
 */
export interface RemoteHit extends RemotePassage {
  /** Score by words, such as BM25, from 0. */
  keyword?: number | null | undefined;
  /** Cosine with the question, from -1 to 1. */
  vector?: number | null | undefined;
}

/** What a remote collection answers. */
export interface RemoteReply {
  /** At most `limit`. */
  hits: RemoteHit[];
  /** How many passages match, if that is known. */
  total?: number | null | undefined;
  /** What could not be searched, where the hits are of the rest alone: it is told in `sources`. */
  missing?: { code: string; message: string } | null | undefined;
  /** Whether conditions are left to be checked on the device; up to 1,000 hits are taken then. */
  unfiltered?: boolean | null | undefined;
}

/** A document of a remote collection, as one text or as passages. */
export type RemoteDocument = Omit<RemotePassage, "text"> & ({ text: string; passages?: undefined } | { passages: RemotePassage[]; text?: undefined });

/** Where a question goes, and what of it. */
export interface RemoteLeaves {
  /** The address, for reports, the ledger and `onBeforeSend`. */
  url: string;
  /** Whether the collection receives the question. Default: true. */
  query?: boolean | undefined;
  /** Whether it receives the question's vector. Default: true. */
  vector?: boolean | undefined;
}

/**
 * A collection that is kept elsewhere: on a server, or in another library. `kb.attach` searches it together with the others. What it
 * returns is checked field by field: a mistake is `remote_reply`, which names the place, and no hit of that reply is used.
 */
export interface RemoteCollection {
  /** What it holds, for people and for the agent. */
  readonly description?: string | undefined;
  /** Types of its metadata fields. Without them, a filter may name any field. */
  readonly schema?: Record<string, FieldType | `${FieldType}[]`> | undefined;
  /** The id of the embedder that made its vectors; compared with the library's. Absent or null: they are taken to be comparable. */
  readonly embedder?: string | null | undefined;
  /** Where the question goes. Null: nothing leaves the device. Absent: it leaves, to an address that is not known. */
  readonly leaves?: RemoteLeaves | null | undefined;
  /** Searches. The signal is aborted when nobody waits any more. */
  search(request: RemoteRequest, context: CallContext): Awaitable<RemoteReply>;
  /** The documents with these ids, those that there are. Without it, documents cannot be read whole. */
  get?(ids: string[], context: CallContext): Awaitable<RemoteDocument[]>;
}

/** What is sent of a search. */
export interface RemoteSearch {
  /** The collection's name. */
  collection: string;
  /** Its address. */
  url: string;
  /** The question, if it is sent. */
  query?: string | null;
  /** The length of the question's vector, if that is sent. */
  dimensions?: number | null;
  /** By words, by vector, or by both. */
  mode?: Mode;
  /** The most hits. */
  limit?: number;
  /** The least cosine. */
  threshold?: number;
  /** Conditions on metadata. */
  filters?: RemoteFilter | null;
  /** Ids of documents to search in. */
  documents?: string[] | null;
  /** The id of a document that is fetched whole, in place of a search. */
  document?: string;
}

/** A search that is to be sent, as `onBeforeSend` sees it. */
export interface SearchPayload {
  /** What is sent. It can be sent as it is or not at all. */
  search: RemoteSearch;
  /** Absent: this is no request to an LLM. */
  messages?: undefined;
}

/** Asked before a search of a remote collection is sent. The payload lets it go; anything else, and an error, denies it. */
export type OnBeforeSearch = (payload: SearchPayload, context: CallContext) => Awaitable<SearchPayload | null | false>;

/** What `Searcher.chroma` makes: for `kb.attach`, and for the option `searcher` of steps. */
export interface ChromaCollection extends RemoteCollection {
  /** Searches. */
  search: RemoteCollection["search"] & SearcherFunction;
  /** The documents with these ids. */
  get(ids: string[], context: CallContext): Awaitable<RemoteDocument[]>;
}

/** Makes searchers. */
export interface Searchers {
  /**
   * A collection of a Chroma server, 1.5 or later. The question is embedded on the device, and its vector sent. Rejects with
   * `remote_unavailable`, `remote_busy`, `remote_refused`, `remote_version`, `remote_collection`, `remote_dimensions`, `remote_reply`,
   * `remote_timeout`, `remote_failed` or `embedder_mismatch`.
   */
  chroma(options: ChromaOptions): ChromaCollection;
}
