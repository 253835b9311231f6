// The errors of storage, each with a remedy.

import { VademecumError } from "../error.js";
import { estimate } from "./estimate.js";

/**
 * Converts anything that a browser's storage throws to an error of this package.
 *
 * @param {any} thrown
 * @param {{ doing: string, bytes?: number }} what the operation, and how many bytes it was to write
 */
export async function plain(thrown, { doing, bytes }) {
  if (thrown instanceof VademecumError) return thrown;
  const { usage, quota } = await estimate();
  // Not every browser reports that its storage is full: some only fail, or write less than requested.
  const wouldNotFit = bytes !== undefined && quota !== null && (usage ?? 0) + bytes > quota;
  if (thrown?.name === "QuotaExceededError" || wouldNotFit) return full(bytes, usage, quota, thrown);
  const isLocked = thrown?.name === "NoModificationAllowedError";
  const why = isLocked ? "the file is open elsewhere; try again" : thrown?.message || thrown?.name || String(thrown);
  return new VademecumError(`The browser's storage could not ${doing}: ${why}`, {
    code: "storage_failed",
    retryable: isLocked,
    cause: thrown,
  });
}

function full(bytes, usage, quota, cause) {
  const needed = bytes === undefined ? "" : `: ${size(bytes)} were to be written`;
  const used = usage === null || quota === null ? "" : `; by its own account ${size(usage)} of ${size(quota)} are taken`;
  // Chromium reports an inaccurate quota, so that pages cannot detect the size of the disk.
  const hidden = used && usage + (bytes ?? 0) <= quota ? ", but it refuses more" : "";
  return new VademecumError(
    `The browser's storage is full${needed}${used}${hidden}. Remove documents, free disk space, or ask the browser for more with \`persist()\`.`,
    { code: "storage_full", cause },
  );
}

const size = (bytes) => (bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`);

/** @param reasons the error of each kind of storage */
export function unavailable(reasons) {
  const why = Object.entries(reasons).map(([kind, thrown]) => `${kind}: ${thrown?.message || thrown?.name || thrown}`);
  const { Bun, Deno, process } = /** @type {any} */ (globalThis);
  const runtime = Bun ? "Bun" : Deno ? "Deno" : process?.versions?.node && "Node";
  const where = runtime ? `${runtime} has no storage for libraries` : "This browser gives the page no storage";
  const advice = runtime
    ? "Use `KnowledgeBase.memory()`, and keep what `export()` returns in a file: `import()` reads it."
    : "Private windows and insecure pages may have none: use `KnowledgeBase.memory()`, which keeps nothing.";
  return new VademecumError(
    `${where} (${why.join("; ")}). ${advice}`,
    { code: "storage_unavailable", cause: Object.values(reasons)[0] },
  );
}

export const readOnly = (name) =>
  new VademecumError(`Another tab has the library “${name}” open for writing; close it, or reload here.`, { code: "read_only", retryable: true });

export const inUse = (name) =>
  new VademecumError(`The library “${name}” is open for writing, here or in another tab; close it there, then delete it.`, {
    code: "library_in_use",
    retryable: true,
  });

export const closedStorage = (name) =>
  new VademecumError(`The storage of the library “${name}” is closed. Open it again.`, { code: "closed" });
