// Brings the documents of a folder up to date: reads only what has changed, and names what is gone, which is removed only if the user agrees.

import { storeFolder } from "./folder-store.js";
import { changesIn, hashOf, walk } from "./folder-walk.js";

/**
 * @param {import("./folder-store.js").Folder} folder changed, and stored
 * @param {{ signal: AbortSignal, onFound: (count: number) => void, add: (files: any[], collection: string) => Promise<any[]> }} options `add` adds files and returns them with their `state`
 * @returns {Promise<{ added: number, same: number, failed: number, gone: string[], isStopped: boolean }>}
 */
export async function synced(folder, { signal, onFound, add }) {
  const { found, refused } = await walk(folder.handle, { signal, onFound });
  const { toRead, gone } = changesIn(folder.files, found, refused);
  const changed = [];
  const hashes = new Map();
  for (const one of toRead) {
    signal.throwIfAborted();
    const known = folder.files[one.path];
    // A program that saves a file without a change gives it another time.
    const hash = known?.hash && known.size === one.file.size ? await hashOf(one.file) : undefined;
    if (hash !== undefined && hash === known.hash) folder.files[one.path] = stampOf(one.file, hash);
    else changed.push(one);
    if (hash !== undefined) hashes.set(one.path, hash);
  }
  const items = changed.length + refused.length > 0 ? await add([...changed, ...refused], folder.collection) : [];
  const byPath = new Map(items.map((item) => [item.path, item]));
  for (const { path, file } of changed) {
    const state = byPath.get(path)?.state;
    // A file that cannot be read is not tried again before it changes.
    if (state === "in" || state === "failed") folder.files[path] = stampOf(file, hashes.get(path) ?? (await hashOf(file)));
  }
  const of = (name) => items.filter(({ state }) => state === name).length;
  const isStopped = of("cancelled") > 0;
  if (!isStopped) folder.synced = Date.now();
  await storeFolder(folder);
  return { added: of("in"), same: found.length - changed.length, failed: of("failed"), gone, isStopped };
}

const stampOf = (file, hash) => ({ size: file.size, modified: file.lastModified, ...(hash !== undefined && { hash }) });
