// Libraries in IndexedDB: one database `vademecum/<name>` per library, with its files in one object store.

const PREFIX = "vademecum/";
const FILES = "files";
/** An index over sizes, to list files without loading them. */
const SIZES = "bytes";
/** A name that the engine never uses. */
const PROBE = "@probe";

export class IndexedDbFiles {
  kind = "indexeddb";
  #name;
  /** @type {IDBDatabase | null} */
  #database = null;

  constructor(name) {
    this.#name = PREFIX + name;
  }

  /** Whether the library exists. Rejects without IndexedDB. */
  async exists() {
    return (await this.#open()) !== null;
  }

  /** Creates the database, and tests whether writing works. */
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
    return files.filter(({ name }) => name !== PROBE); // left by a tab that ended during the test
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
      // Other connections close on request, so this is never blocked for long.
      const request = indexedDB.deleteDatabase(this.#name);
      request.onsuccess = resolve;
      request.onerror = () => reject(request.error);
    });
  }

  close() {
    this.#database?.close();
    this.#database = null;
  }

  /** Returns the result of `run` when its transaction is on the disk; null without a database. */
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
      database?.close(); // a concurrent call opened it first
      return this.#database;
    }
    // After another tab has deleted the library, or the user all data, the next call finds nothing.
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
  const databases = (await indexedDB.databases?.()) ?? []; // Firefox before 126 does not support this
  return databases.filter(({ name }) => name?.startsWith(PREFIX)).map(({ name = "" }) => name.slice(PREFIX.length));
}

/** Returns null if there is no database and `create` is not set. */
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
      event.preventDefault(); // handled here, not an error of the page
      if (isAbsent) resolve(null);
      else reject(request.error);
    };
  });
}
