/// <reference lib="esnext.disposable" />
/** Libraries in parts, searched from a static host: a question fetches only what it needs. */

import type { StoredDocument } from "./generated/documents-types.js";
import type { RemoteCollection } from "./remote.js";
import type { WorkOptions } from "./generated/knowledge-base-options.js";
import type { AttachedSearchOptions, AttachOptions } from "./generated/parts-options.js";
import type { AttachedSearchResponse, AttachedStats } from "./generated/parts-types.js";

export * from "./generated/parts-options.js";
export * from "./generated/parts-types.js";

/**
 * Attaches a library in parts by the address of its `manifest.json`, which counts from the page. Nothing but the manifest and the reader's
 * module is fetched before the first question. Rejects with `manifest_missing`, `manifest_invalid`, `library_newer`, `embedder_mismatch`,
 * `redirected`, `host_failed`, or `offline` where no manifest is stored here.
 */
export function attach(url: string | URL, options?: AttachOptions): Promise<AttachedLibrary>;

/** A library on a static host, and what this device has stored of it. It can be read and not changed. */
export interface AttachedLibrary {
  /**
   * Finds passages by words, by meaning, or by both, and fetches what the question needs. `missing` tells what could not be read where
   * the rest answered. Rejects with `empty_question`, `unknown_collection`, `no_embedder`, `embedder_mismatch`, `vector_shape`, the errors of
   * filters, and, where nothing could answer, `part_missing`, `part_damaged`, `host_failed`, `redirected` or `offline`.
   */
  search(query: string, options?: AttachedSearchOptions): Promise<AttachedSearchResponse>;
  /** A document with its text and its chunks. Rejects with `unknown_document` or `unknown_collection`. */
  document(collection: string, id: string): Promise<StoredDocument>;
  /** Looks in the collection `default`. */
  document(id: string): Promise<StoredDocument>;
  /**
   * The library as a collection of a knowledge base, whose embedder then makes the vectors of questions: `kb.attach("manual", await library.asCollection())`.
   * `kb.attach(url)` does this with a library of its own.
   */
  asCollection(): Promise<RemoteCollection>;
  /** What is in it, and what of it is on this device. */
  stats(): Promise<AttachedStats>;
  /** Resolves when the embedder's model is there, at once without one. After a failure, this begins anew. */
  loadEmbedder(options?: WorkOptions): Promise<void>;
  /** Reads the manifest again, and says whether the library has changed. Parts that are the same are not fetched again. */
  refresh(options?: WorkOptions): Promise<boolean>;
  /**
   * Downloads all parts to this device, and reads them from there: questions then need no host. Parts that are there already are not fetched
   * again, so that an interrupted call is continued by the next. Rejects with `storage_full`, and what is kept stays, with
   * `storage_unavailable`, `unsupported`, and as `search` does.
   */
  keep(options?: WorkOptions): Promise<void>;
  /** Deletes what `keep` has kept. */
  forget(): Promise<void>;
  /** Frees everything. Every later call rejects with the code `closed`. */
  close(): Promise<void>;
  /** Closes it at the end of a block with `using`. */
  [Symbol.dispose](): void;
  /** Closes it at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
