// The folders that are kept in sync: their handles, and what was read of them, in a database of their own.

const NAME = "vademecum-folders";
const STORE = "folders";

/**
 * @typedef {{ size: number, modified: number, hash?: string }} Stamp a file as it was read
 * @typedef {{ id: string, name: string, collection: string, handle: FileSystemDirectoryHandle, files: Record<string, Stamp>, synced: number | null }} Folder
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

export const forgetFolder = (id) => run("readwrite", (store) => store.delete(id));
