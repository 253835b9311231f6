// The types of a knowledge base; `index.d.ts` exports them all.

import type { VademecumError } from "./error.js";
import type { EvaluationReport } from "./evaluate.js";
import type { MakeCasesOptions } from "./generated/cases-options.js";
import type { CollectionOptions, DocumentInput } from "./generated/documents-options.js";
import type { Added, DocumentList, Imported, Stats, StoredDocument } from "./generated/documents-types.js";
import type { Case, EvaluateOptions } from "./generated/evaluate-options.js";
import type { MadeCase } from "./generated/evaluate-types.js";
import type { ImportOptions, MemoryOptions, OpenOptions, WorkOptions } from "./generated/knowledge-base-options.js";
import type { FacetOptions, ListOptions, SearchOptions, VectorsOptions } from "./generated/search-options.js";
import type { RemoteOptions } from "./generated/searcher-options.js";
import type { ChunkVectors, Facet, SearchResponse } from "./generated/search-types.js";
import type { AttachedLibrary } from "./parts.js";
import type { RemoteCollection } from "./remote.js";

/** What the package uses of a `Worker`. */
export interface WorkerLike {
  /** The worker's. */
  postMessage(message: any): void;
  /** The worker's. */
  addEventListener(type: string, listener: (event: any) => void, options?: any): void;
  /** The worker's. */
  terminate(): void;
}

/** A worker of yours: its address, which counts from the page, or a function that makes one. */
export type OwnWorker = string | URL | (() => WorkerLike);

/** What a knowledge base tells its listeners, by name. */
export interface KnowledgeBaseEvents {
  /** The engine's worker crashed, for `reason`, and was started again with the library as it was saved. */
  restarted: { reason: string };
  /** The engine crashed, in its worker or in place, and is not started again: every later call rejects with `error`. */
  failed: { error: VademecumError };
  /** The library, which another tab had open for writing, can be written here. */
  writable: Record<string, never>;
}

/** Documents, their index, and an embedder where there is one. The engine runs in a worker (`vademecum`) or in place (`vademecum/direct`). */
export class KnowledgeBase {
  private constructor();
  /**
   * A knowledge base that is kept in this browser under a name, and is empty the first time. The first to open it
   * writes; in another tab it can be read meanwhile, and written once the first has closed it. Rejects with `storage_unavailable`
   * where nothing can be kept, `library_corrupt`, `library_newer`, or `embedder_mismatch`. A library that this page is just opening
   * or closing is opened after that.
   */
  static open(name: string, options?: OpenOptions): Promise<KnowledgeBase>;
  /** The names of the libraries that are kept in this browser, in order. */
  static list(): Promise<string[]>;
  /** Deletes a kept library for good; no error where there is none. Rejects with `library_in_use` while it is open for writing. */
  static delete(name: string): Promise<void>;
  /** Asks the browser not to clear what is kept when it is short of space; whether it agreed. */
  static persist(): Promise<boolean>;
  /** A knowledge base that keeps nothing: it is gone with the page, and with a crash of the engine's worker. */
  static memory(options?: MemoryOptions): Promise<KnowledgeBase>;
  /** Calls `listener` whenever that happens; the function that it returns takes the listener off again. */
  on<Event extends keyof KnowledgeBaseEvents>(event: Event, listener: (payload: KnowledgeBaseEvents[Event]) => void): () => void;
  /**
   * Resolves when the model is there, at once without one. After a failure, this begins anew. Rejects with `model_unavailable`,
   * `model_corrupt`, `model_unfit`, `tokenizer_invalid`, `tokenizer_mismatch`, `worker_failed`, or, where a kept library's vectors were
   * pooled otherwise, `embedder_mismatch`.
   */
  loadEmbedder(options?: WorkOptions): Promise<void>;
  /** Declares a collection, or changes what is declared of it. `default` is always there. Rejects with `read_only`. */
  collection(name: string, options?: CollectionOptions): Promise<void>;
  /**
   * Adds documents, or replaces those whose ids are there. All or nothing until the text is in, and searchable by words from the
   * first `embed` progress on; resolves when vectors are there, too, and all is saved.
   * Rejects with `duplicate_id`, `empty_document`, `not_utf8`, `document_too_large`, `metadata_type`, `unknown_collection` or
   * `read_only`, and nothing is added; with `storage_full` or `storage_failed` when the text cannot be saved: it is found until the
   * library is closed, and saved with the next change that finds room (`remove` takes it back); with `embedder_failed` or `aborted`
   * after that: `embedPending` goes on.
   */
  add(collection: string, documents: DocumentInput | DocumentInput[], options?: WorkOptions): Promise<Added>;
  /** Adds to the collection `default`. */
  add(documents: DocumentInput | DocumentInput[], options?: WorkOptions): Promise<Added>;
  /** Embeds what has no vector yet, after a failure or an abort, and says how many chunks that were. */
  embedPending(options?: WorkOptions): Promise<number>;
  /**
   * Finds passages by words, by meaning, or by both. Rejects with `empty_question`, `unknown_collection`, `no_embedder` (vector
   * search without one), and `filter_invalid`, `filter_type`, `unknown_field` or `unknown_operator`.
   */
  search(query: string, options?: SearchOptions): Promise<SearchResponse>;
  /**
   * Attaches a collection that is kept elsewhere, under a name that no other collection has, until it is detached or the knowledge base is
   * closed. Searches and the agent search it together with the others, in one ranking; `sources` of the response tells what became of
   * it. Rejects with `invalid_argument`, and in the lite build with `unsupported`.
   */
  attach(name: string, collection: RemoteCollection | AttachedLibrary, options?: RemoteOptions): Promise<void>;
  /**
   * Attaches a library in parts by the address of its `manifest.json`, and closes it when it is detached. Its own embedder has to be that of the
   * knowledge base. Rejects as `attach` of `vademecum/parts` does.
   */
  attach(name: string, manifest: string | URL, options?: RemoteOptions): Promise<void>;
  /** The same under the name of the folder that the manifest is in. */
  attach(manifest: string | URL, options?: RemoteOptions): Promise<void>;
  /** Detaches it, and says whether there was one of that name. */
  detach(name: string): Promise<boolean>;
  /** The documents that fulfil a filter, in the order they were added, without their texts. Rejects as `search` does. */
  documents(options?: ListOptions): Promise<DocumentList>;
  /** How many documents have each value of a metadata field, the most frequent first. A field in an object is `author.name`. Rejects with `unknown_field`. */
  facets(field: string, options?: FacetOptions): Promise<Facet[]>;
  /**
   * Returns chunks with their vectors, in the order they were added: for drawing, clustering, or comparing them outside the library.
   * Rejects with `unknown_collection`, and in the lite build with `unsupported`.
   */
  vectors(options?: VectorsOptions): Promise<ChunkVectors>;
  /** Everything as one file: documents, vectors and all, but for conversations. */
  export(): Promise<Uint8Array>;
  /**
   * Takes in what `export` gave; a document whose id is here already is replaced. Then embeds what has no vector, which
   * the signal ends. Searches find all of it when the phase `read` is reported, before it is stored. Rejects with
   * `library_corrupt`, `library_newer` or `embedder_mismatch`, and nothing is changed.
   */
  import(file: ArrayBuffer | ArrayBufferView | Blob, options?: ImportOptions): Promise<Imported>;
  /** Removes documents by their ids, and says how many of them were there. Rejects with `unknown_collection` or `read_only`. */
  remove(collection: string, ids: string[]): Promise<number>;
  /** Removes from the collection `default`. */
  remove(ids: string[]): Promise<number>;
  /**
   * A document with its text and its chunks. Rejects with `unknown_document` or `unknown_collection`; of a remote collection also with its
   * errors, and with `remote_unsupported` where that gives no documents.
   */
  document(collection: string, id: string): Promise<StoredDocument>;
  /** Looks in the collection `default`. */
  document(id: string): Promise<StoredDocument>;
  /** What is in it, what of the index is built, and where it is kept. */
  stats(): Promise<Stats>;
  /**
   * Changes with what searches find: with documents, their collections and metadata, which chunks have vectors, and by which embedder.
   * Two libraries that hold the same, with the same embedder, have the same.
   */
  fingerprint(): Promise<string>;
  /**
   * Asks questions of which it is known what should be found, in several ways, and says how good each way is. Rejects before anything
   * runs with `invalid_argument`, `unknown_document` or `unknown_collection`; a run that fails counts as nothing found.
   */
  evaluate(cases: Case[], options?: EvaluateOptions): Promise<EvaluationReport>;
  /**
   * Questions made of the documents themselves, where nobody has labelled any. The same documents and seed give the same. With an
   * `llm`, passages are sent to it, but for those of documents whose metadata has `neverSend: true`.
   */
  makeCases(options?: MakeCasesOptions): Promise<MadeCase[]>;
  /** The ids that the tokenizer of `Embedder.onnx` gives a text; without one, rejects with `no_embedder`. */
  tokenIds(text: string): Promise<number[]>;
  /** The names of the conversations that are kept here, in order. */
  conversations(): Promise<string[]>;
  /** Deletes a kept conversation for good; no error where there is none. */
  deleteConversation(name: string): Promise<void>;
  /** Saves what is kept, and frees everything. Every later call rejects with the code `closed`. */
  close(): Promise<void>;
  /** Closes it at the end of a block with `using`, without waiting for the last save. */
  [Symbol.dispose](): void;
  /** Closes it at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
