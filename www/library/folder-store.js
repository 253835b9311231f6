// The folders that are kept in sync: their handles, and what was read of them, in a database of their own.

const NAME = "vademecum-folders";
const STORE = "folders";

/**
 * @typedef {{ size: number, modified: number, hash?: string, recognised?: boolean }} Stamp a file as it was read; `recognised` tells whether the text of its pictures was recognised, on request
 * @typedef {{ id: string, name: string, collection: string, handle: FileSystemDirectoryHandle, files: Record<string, Stamp>, synced: number | null, root?: string }} Folder
 *   `root` is the first part of its paths, by default its name: folders of the same name in one collection have different ones
 */

/** @returns {Promise<IDBDatabase>} */
const opened = () =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

async function run(mode, work) {
  const database = await opened();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

/** Returns all folders; none where the browser stores nothing. @returns {Promise<Folder[]>} */
export const storedFolders = () => run("readonly", (store) => store.getAll()).catch(() => []);

/** @param {Folder} folder */
export const storeFolder = (folder) => run("readwrite", (store) => store.put(folder));

/** Stores a folder again, unless it was forgotten meanwhile. @param {Folder} folder */
export const updateFolder = (folder) =>
  run("readwrite", (store) => {
    const known = store.getKey(folder.id);
    known.onsuccess = () => known.result !== undefined && store.put(folder);
    return known;
  });

/**
 * Returns the first part of the paths of a new folder that no other folder of its collection has: `docs`, or `docs (2)`.
 *
 * @param {string} name
 * @param {string} collection
 * @param {Pick<Folder, "name" | "root" | "collection">[]} folders those that are kept in sync already
 */
export function rootOf(name, collection, folders) {
  const taken = new Set(folders.filter((one) => one.collection === collection).map((one) => one.root ?? one.name));
  for (let again = 1; ; again++) {
    const root = again === 1 ? name : `${name} (${again})`;
    if (!taken.has(root)) return root;
  }
}

export const forgetFolder = (id) => run("readwrite", (store) => store.delete(id));
