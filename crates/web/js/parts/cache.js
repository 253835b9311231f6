// Parts of libraries and ranges of them in the browser's Cache Storage, bounded by bytes: what was used longest ago goes first. Sizes and
// times are in a database of the origin, since Cache Storage tells neither; its transactions serve several tabs at once.
//
// Entries are named by the part, whose name is the hash of its contents, so they never become outdated.

/** The name of the cache; another one when the form of its entries changes. */
const CACHE = "vademecum parts 1";
const DATABASE = "vademecum parts";
/** The stores of the database: `entries` are `{ key, part, bytes, used }`, and `sums` has the number of bytes of all. */
const [ENTRIES, SUMS] = ["entries", "sums"];
const TOTAL = "total";
/** What remains of the limit when entries are removed, so that not every new one removes another. */
const KEPT = 0.9;
/** Milliseconds before new entries and uses are written together. */
const GATHER = 300;

/** Returns the cache of at most `limit` bytes, or null where there is none: in Node, on insecure pages, in some private windows. */
export async function openCache(limit) {
  if (!globalThis.caches || !globalThis.indexedDB || globalThis.origin === "null") return null;
  try {
    const cache = await caches.open(CACHE);
    const database = await openDatabase();
    const opened = new PartCache(cache, database, limit);
    await opened.start();
    return opened;
  } catch {
    return null; // the browser refuses one of both
  }
}

const keyOf = (part, range) => `${part}/${range ? `${range[0]}-${range[1]}` : "whole"}`;
const manifestKey = (url) => `manifest?of=${encodeURIComponent(url)}`;
/** The address of an entry: it is never requested. */
const addressOf = (key) => `${globalThis.origin}/vademecum-parts/${key}`;

class PartCache {
  #cache;
  #database;
  #limit;
  #wholes = new Set(); // names of parts that are there as a whole
  #added = new Map(); // entries to write, by key
  #used = new Map(); // times of use to write, by key
  #timer;
  /** Whether nothing more is stored: the disk is full, or the browser refuses. */
  #isFull = false;
  #writing = Promise.resolve();

  constructor(cache, database, limit) {
    this.#cache = cache;
    this.#database = database;
    this.#limit = limit;
  }

  async start() {
    const keys = await settled(this.#database.transaction(ENTRIES).objectStore(ENTRIES).index("whole").getAllKeys());
    for (const key of keys) this.#wholes.add(String(key).split("/")[0]);
  }

  /** Returns the bytes of a range of a part, or null. */
  async read(part, range) {
    const exact = await this.#match(keyOf(part, range));
    if (exact || !range || !this.#wholes.has(part)) return exact;
    const whole = await this.#match(keyOf(part));
    return whole && whole.subarray(...range);
  }

  async #match(key) {
    try {
      const response = await this.#cache.match(addressOf(key));
      if (!response) return null;
      const bytes = new Uint8Array(await response.arrayBuffer());
      this.#used.set(key, Date.now());
      this.#soon();
      return bytes;
    } catch {
      return null; // it was cleared, or cannot be read
    }
  }

  /** Stores a range of a part, or all of it without a `range`. */
  write(part, range, bytes) {
    if (this.#isFull || bytes.length > this.#limit / 4) return;
    this.#added.set(keyOf(part, range), { part, bytes: bytes.slice(), isWhole: !range });
    if (!range) this.#wholes.add(part);
    this.#soon();
  }

  /** Returns the manifest that was last read from an address, or null. Manifests are small, and do not count. */
  async readManifest(url) {
    try {
      const response = await this.#cache.match(addressOf(manifestKey(url)));
      return response ? new Uint8Array(await response.arrayBuffer()) : null;
    } catch {
      return null;
    }
  }

  async writeManifest(url, bytes) {
    await this.#cache.put(addressOf(manifestKey(url)), new Response(bytes)).catch(() => {}); // full: it is fetched again next time
  }

  /** Removes everything of a part, which is damaged. */
  async remove(part) {
    for (const key of [...this.#added.keys()]) if (key.startsWith(`${part}/`)) this.#added.delete(key);
    this.#wholes.delete(part);
    await this.#writing;
    try {
      const changes = this.#database.transaction([ENTRIES, SUMS], "readwrite");
      const entries = await settled(changes.objectStore(ENTRIES).index("part").getAll(part));
      await this.#dropped(changes, entries);
    } catch {
      // The database was cleared: nothing refers to the entries any more.
    }
  }

  /** Removes entries in a transaction, and their contents after it. */
  async #dropped(changes, entries) {
    const total = await settled(changes.objectStore(SUMS).get(TOTAL));
    for (const { key } of entries) changes.objectStore(ENTRIES).delete(key);
    const freed = entries.reduce((sum, { bytes }) => sum + bytes, 0);
    changes.objectStore(SUMS).put(Math.max((total ?? 0) - freed, 0), TOTAL);
    await committed(changes);
    for (const { key, part } of entries) {
      if (key === keyOf(part)) this.#wholes.delete(part);
      await this.#cache.delete(addressOf(key));
    }
  }

  #soon() {
    this.#timer ??= setTimeout(() => void this.flush(), GATHER);
    this.#timer.unref?.();
  }

  /** Writes what is new. */
  flush() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [added, used] = [this.#added, this.#used];
    [this.#added, this.#used] = [new Map(), new Map()];
    if (added.size + used.size === 0) return this.#writing;
    this.#writing = this.#writing.then(() => this.#write(added, used)).catch(() => void (this.#isFull = true));
    return this.#writing;
  }

  async #write(added, used) {
    await this.#note(added, used);
    try {
      await this.#put(added);
    } catch {
      // Full below the limit: half of what there is makes room, once.
      await this.#evict(0.5);
      await this.#put(added);
    }
  }

  #put(added) {
    return Promise.all([...added].map(([key, { bytes }]) => this.#cache.put(addressOf(key), new Response(bytes))));
  }

  /** Writes sizes and times, and removes what is beyond the limit. Before the contents, so that none of these is forgotten. */
  async #note(added, used) {
    const changes = this.#database.transaction([ENTRIES, SUMS], "readwrite");
    const entries = changes.objectStore(ENTRIES);
    const keys = [...new Set([...added.keys(), ...used.keys()])];
    const found = await Promise.all(keys.map((key) => settled(entries.get(key))));
    let total = (await settled(changes.objectStore(SUMS).get(TOTAL))) ?? 0;
    keys.forEach((key, at) => {
      const fresh = added.get(key);
      if (!fresh && !found[at]) return; // removed meanwhile, by another tab
      const now = used.get(key) ?? Date.now();
      const bytes = fresh?.bytes.length ?? found[at].bytes;
      total += bytes - (found[at]?.bytes ?? 0);
      const part = fresh?.part ?? found[at].part;
      entries.put({ key, part, bytes, used: now, ...((fresh?.isWhole ?? found[at].whole) && { whole: 1 }) });
    });
    changes.objectStore(SUMS).put(total, TOTAL);
    await committed(changes);
    if (total > this.#limit) await this.#evict((this.#limit * KEPT) / total);
  }

  /** Removes what was used longest ago, until the share `kept` of all bytes is left. */
  async #evict(kept) {
    const changes = this.#database.transaction([ENTRIES, SUMS], "readwrite");
    const total = (await settled(changes.objectStore(SUMS).get(TOTAL))) ?? 0;
    let excess = total - total * kept;
    const gone = [];
    const walk = changes.objectStore(ENTRIES).index("used").openCursor();
    await new Promise((resolve, reject) => {
      walk.onerror = () => reject(walk.error);
      walk.onsuccess = () => {
        const cursor = walk.result;
        if (!cursor || excess <= 0) return resolve(undefined);
        gone.push(cursor.value);
        excess -= cursor.value.bytes;
        cursor.continue();
      };
    });
    await this.#dropped(changes, gone);
  }

  /** Returns `{ bytes, entries }`: what is stored, of all libraries. */
  async stats() {
    await this.flush();
    const reading = this.#database.transaction([ENTRIES, SUMS]);
    const [bytes, entries] = await Promise.all([settled(reading.objectStore(SUMS).get(TOTAL)), settled(reading.objectStore(ENTRIES).count())]);
    return { bytes: bytes ?? 0, entries };
  }

  async close() {
    await this.flush();
    this.#database.close();
  }
}

function openDatabase() {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => {
      const entries = opening.result.createObjectStore(ENTRIES, { keyPath: "key" });
      for (const name of ["part", "used", "whole"]) entries.createIndex(name, name);
      opening.result.createObjectStore(SUMS);
    };
    opening.onsuccess = () => {
      opening.result.onversionchange = () => opening.result.close(); // another tab deletes it
      resolve(opening.result);
    };
    opening.onerror = () => reject(opening.error);
    opening.onblocked = () => reject(new Error("the database is open in an older tab"));
  });
}

/** @returns {Promise<any>} */
const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @returns {Promise<void>} */
const committed = (transaction) =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
