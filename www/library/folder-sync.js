// Brings the documents of a folder up to date: reads only what has changed, and names what is gone, which is removed only if the user agrees.

import { updateFolder } from "./folder-store.js";
import { changesIn, hashOf, walk } from "./folder-walk.js";

/** Codes of errors of a file itself: it is not tried again before it changes. Others may have passed at the next attempt. */
const LASTING = new Set([
  "document_too_large",
  "empty_document",
  "file_damaged",
  "file_protected",
  "file_too_large",
  "file_unsupported",
  "file_without_text",
  "picture_damaged",
  "picture_refused",
  "picture_without_text",
  "metadata_type",
  "not_utf8",
]);

/**
 * @param {import("./folder-store.js").Folder} folder changed, and stored
 * @param {{ signal: AbortSignal, onFound: (count: number) => void, add: (files: any[], collection: string, options: { signal: AbortSignal, onRead: (items: any[]) => void, onReadAgain: (items: any[]) => void }) => Promise<any[]> }} options
 *   `add` adds files and returns them with their `state`; it calls `onRead` with them when all are read, before they are embedded, and `onReadAgain` with
 *   those that were read once more on request, such as scans
 * @returns {Promise<{ added: number, same: number, failed: number, gone: string[], isStopped: boolean }>}
 */
export async function synced(folder, { signal, onFound, add }) {
  const { found, refused } = await walk(folder.handle, { name: folder.root, signal, onFound });
  const { toRead, gone } = changesIn(folder.files, found, refused);
  const changed = [];
  const hashes = new Map();
  for (const one of toRead) {
    signal.throwIfAborted();
    const known = folder.files[one.path];
    // A program that saves a file without a change gives it another time.
    const hash = known?.hash && known.size === one.file.size ? await hashOf(one.file, known.recognised) : undefined;
    if (hash !== undefined && hash === known.hash) folder.files[one.path] = stampOf(one.file, hash, known.recognised);
    else changed.push(known?.recognised ? { ...one, recognise: true } : one); // as it was asked for
    if (hash !== undefined) hashes.set(one.path, hash);
  }
  signal.throwIfAborted();
  let last = Promise.resolve(); // of what is being stored
  let stored = changed.length + refused.length > 0 ? null : stampNext([]);
  // Embedding may take long, or be stopped: what was read is known before.
  const onRead = (items) => void (stored = stampNext(items)).catch(() => {}); // awaited below
  const onReadAgain = (items) => void stampNext(items).catch((error) => console.debug("Folder not stored:", error)); // it is read again at the next sync
  const items = stored ? [] : await add([...changed, ...refused], folder.collection, { signal, onRead, onReadAgain });
  await (stored ?? stampNext(items));
  return { added: countOf(items, "in"), same: found.length - changed.length, failed: countOf(items, "failed"), gone, isStopped: countOf(items, "cancelled") > 0 };

  /** Stores which files were read, after what was read before. */
  function stampNext(items) {
    return (last = last.catch(() => {}).then(() => stamp(items)));
  }

  /** Stores which files were read. */
  async function stamp(items) {
    const byPath = new Map(items.map((item) => [item.path, item]));
    for (const { path, file } of changed) {
      const item = byPath.get(path);
      if (!isRead(item)) continue;
      const recognised = item.recognise === true && item.state === "in";
      folder.files[path] = stampOf(file, hashes.get(path) ?? (await hashOf(file, recognised)), recognised);
    }
    if (countOf(items, "cancelled") === 0) folder.synced = Date.now();
    await updateFolder(folder);
  }
}

/** Whether a file needs not be read at the next sync. One that is read `again` on request was read, or failed, as it is. */
function isRead({ state = "", error = null } = {}) {
  return state === "in" || (state === "again" && !error) || (["failed", "again"].includes(state) && LASTING.has(error?.code));
}

const countOf = (items, name) => items.filter(({ state }) => state === name).length;

const stampOf = (file, hash, recognised = false) => ({ size: file.size, modified: file.lastModified, ...(hash !== undefined && { hash }), ...(recognised && { recognised }) });
