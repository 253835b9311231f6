/** Building libraries of files, in Node 20 and later: for a static site's build, where the native program is not at hand. */

import type { BuildOptions } from "../generated/build-options.js";

export type { BuildOptions } from "../generated/build-options.js";

/**
 * Builds a library of folders and files, or brings an existing one up to date with them: an unchanged file is not read, and an unchanged
 * passage is not embedded again. What it reads, what it keeps beside the library, and the codes of files that are not added, are those of the
 * program `vademecum` (docs/cli.md). Rejects with `library_in_use` while another build writes the library, `folder_empty` if a folder
 * has lost all of its files, `embedder_mismatch`, `storage_failed`, `storage_full`, and `aborted`.
 */
export function build(options: BuildOptions): Promise<BuildReport>;

/** What a build did. */
export interface BuildReport {
  /** Path of the library file. */
  library: string;
  /** Numbers of files. */
  files: { added: number; changed: number; unchanged: number; removed: number };
  /** Files that are not in the library, each with a stable code and how to mend it. */
  notAdded: { file: string; code: string; message: string }[];
  /** Number of files of unknown kinds, by extension. */
  skipped: Record<string, number>;
  /** Remarks about how files were read. */
  notes: { file: string; note: string }[];
  /** Number of documents of the library. */
  documents: number;
  /** Number of its passages. */
  chunks: number;
  /** Number of its passages that have a vector. */
  vectors: number;
  /** Size of the library file; 0 if there was nothing to write. */
  bytes: number;
  /** Milliseconds that the build took. */
  tookMs: number;
}
