/** Readers of files, in a worker of the page: office documents, spreadsheets, presentations, mails, books, tables and records become documents for `kb.add`. */

import type { ReadFileOptions } from "../generated/files-options.js";
import type { DocumentInput } from "../index.js";

export type { ReadFileOptions } from "../generated/files-options.js";

/** What is known of a type of files. */
export interface FileType {
  /** Endings of names, in lower case. */
  endings: string[];
  /** Maximum size in bytes. */
  maxBytes: number;
}

/** Types of files that can be read, by their names. */
export const FILE_TYPES: {
  /** A type, such as `xlsx`. */
  [type: string]: FileType;
};

/** Returns the type of a file by its name; null if it is none that can be read. */
export function typeOfFile(name: string): string | null;

/**
 * Returns the documents of a file, for `kb.add`, and remarks about how it was read, such as hidden sheets. A table has a document for each row, with
 * its columns as metadata. The first call fetches the wasm module of the readers. Rejects with `unsupported` for an unknown type, and with
 * `file_damaged`, `file_protected`, `file_too_large`, `file_without_text`, `file_not_utf8`, `file_unfinished`, `file_unreadable`.
 */
export function readFile(file: Blob | ArrayBuffer | ArrayBufferView, options?: ReadFileOptions): Promise<{ documents: DocumentInput[]; notes: string[] }>;
