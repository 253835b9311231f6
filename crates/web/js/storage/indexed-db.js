// Libraries in IndexedDB: `vademecum/<name>`, a database each, its files in one object store.

const PREFIX = "vademecum/";
const FILES = "files";
/** An index over the sizes: files are listed without being loaded. */
const SIZES = "bytes";
/** No file of the engine can be called so. */
const PROBE = "@probe";

export class IndexedDbFiles {
  kind = "indexeddb";
  #name;
  /** @type {IDBDatabase | null} */
  #database = null;

  constructor(name) {
    this.#name = PREFIX + name;
  }

  /** Whether the library is here. Rejects where there is no IndexedDB. */
  async exists() {
    return (await this.#open()) !== null;
  }

  /** Makes the database, and finds out whether writing works. */
  async create() {
    await this.write(PROBE, new Uint8Array(1));
    await this.remove(PROBE);
  }

  async list() {
    const files = [];
    await this.#transact("readonly", (store) => {
      const request = store.index(SIZES).openKeyCursor();
      request.onsuccess = () => {
        const cursor = request.result;
        if (!cursor) return;
        files.push({ name: cursor.primaryKey, bytes: cursor.key });
        cursor.continue();
      };
    });
    return files.filter(({ name }) => name !== PROBE); // left by a tab that ended at the wrong moment
  }

  async read(name) {
    const request = await this.#transact("readonly", (store) => store.get(name));
    return request?.result?.data ?? null;
  }

  async write(name, data) {
    await this.#open({ create: true });
    await this.#transact("readwrite", (store) => store.put({ bytes: data.byteLength, data }, name));
  }

  async remove(name) {
    await this.#transact("readwrite", (store) => store.delete(name));
  }

  async destroy() {
    this.close();
    await new Promise((resolve, reject) => {
      // Others who have it open close it when they are told, so this never stays blocked.
      const request = indexedDB.deleteDatabase(this.#name);
      request.onsuccess = resolve;
      request.onerror = () => reject(request.error);
    });
  }

  close() {
    this.#database?.close();
    this.#database = null;
  }

  /** What `run` returned, when its transaction is on the disk; null where there is no database. */
  async #transact(mode, run) {
    const database = await this.#open();
    if (!database) return null;
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(FILES, mode, { durability: "strict" });
      const result = run(transaction.objectStore(FILES));
      transaction.oncomplete = () => resolve(result);
      transaction.onabort = () => reject(transaction.error ?? new DOMException("the browser gave up the transaction", "AbortError"));
    });
  }

  async #open({ create = false } = {}) {
    if (this.#database) return this.#database;
    const database = await openDatabase(this.#name, create);
    if (!database || this.#database) {
      database?.close(); // another call was faster
      return this.#database;
    }
    // When another tab deletes the library, or the user all data, the next call finds nothing.
    const forget = () => {
      database.close();
      if (this.#database === database) this.#database = null;
    };
    database.onversionchange = forget;
    database.onclose = forget;
    return (this.#database = database);
  }
}

export async function indexedDbLibraries() {
  if (!globalThis.indexedDB) throw new Error("no IndexedDB");
  const databases = (await indexedDB.databases?.()) ?? []; // Firefox before 126 does not tell
  return databases.filter(({ name }) => name?.startsWith(PREFIX)).map(({ name = "" }) => name.slice(PREFIX.length));
}

/** Null where there is none and none is to be made. */
async function openDatabase(name, create) {
  if (!globalThis.indexedDB) throw new Error("no IndexedDB");
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    let isAbsent = false;
    request.onupgradeneeded = () => {
      if (create) {
        request.result.createObjectStore(FILES).createIndex(SIZES, "bytes");
      } else {
        isAbsent = true;
        request.transaction?.abort();
      }
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = (event) => {
      event.preventDefault(); // handled here, so not the page's concern
      if (isAbsent) resolve(null);
      else reject(request.error);
    };
  });
}
