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

/** The stamp of a known file that has to be read: no file has this time. */
const UNREAD = { size: 0, modified: -1 };

/** Paths of files that are being read once more on request, by their folder. @type {WeakMap<import("./folder-store.js").Folder, Set<string>>} */
const beingRead = new WeakMap();

/**
 * @param {import("./folder-store.js").Folder} folder changed, and stored
 * @param {{ signal: AbortSignal, onFound: (count: number) => void, add: (files: any[], collection: string, options: { signal: AbortSignal, onRead: (items: any[]) => void, onAgain: (files: any[]) => void, onReadAgain: (items: any[]) => void }) => Promise<any[]> }} options
 *   `add` adds files and returns them with their `state`; it calls `onRead` with them when all are read, before they are embedded, `onAgain` with those that
 *   are to be read once more on request, such as scans, and `onReadAgain` when these are read
 * @returns {Promise<{ added: number, same: number, failed: number, gone: string[], isStopped: boolean }>}
 */
export async function synced(folder, { signal, onFound, add }) {
  const { found, refused } = await walk(folder.handle, { name: folder.root, signal, onFound });
  const { toRead, gone } = changesIn(folder.files, found, refused);
  const again = beingRead.get(folder) ?? new Set();
  beingRead.set(folder, again);
  const changed = [];
  const hashes = new Map();
  for (const one of toRead) {
    signal.throwIfAborted();
    if (again.has(one.path)) continue; // reading it without recognition would replace its text
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
  // If a stamp cannot be stored, the next visit reads the file again.
  const notStored = (error) => console.debug("Folder not stored:", error);
  const onAgain = (files) => void unstampNext(files).catch(notStored);
  const onReadAgain = (items) => {
    for (const { path, state } of items) if (state !== "again") again.delete(path);
    stampNext(items).catch(notStored);
  };
  const items = stored ? [] : await add([...changed, ...refused], folder.collection, { signal, onRead, onAgain, onReadAgain });
  await (stored ?? stampNext(items));
  return { added: countOf(items, "in"), same: found.length - changed.length, failed: countOf(items, "failed"), gone, isStopped: countOf(items, "cancelled") > 0 };

  /** Stores which files were read, after what was read before. */
  function stampNext(items) {
    return (last = last.catch(() => {}).then(() => stamp(items)));
  }

  /** Stores that files are read at the next sync, in case reading them once more does not come to its end. They still count as known. */
  function unstampNext(files) {
    for (const { path } of files) again.add(path);
    return (last = last.catch(() => {}).then(() => {
      for (const { path } of files) {
        const known = folder.files[path];
        if (known && again.has(path)) folder.files[path] = { ...UNREAD, ...(known.recognised && { recognised: true }) };
      }
      return updateFolder(folder);
    }));
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

/** Whether a file needs not be read at the next sync. One that is read `again` on request is stamped by the job that reads it. */
function isRead({ state = "", error = null } = {}) {
  return state === "in" || (state === "failed" && LASTING.has(error?.code));
}

const countOf = (items, name) => items.filter(({ state }) => state === name).length;

const stampOf = (file, hash, recognised = false) => ({ size: file.size, modified: file.lastModified, ...(hash !== undefined && { hash }), ...(recognised && { recognised }) });
