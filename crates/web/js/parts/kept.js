// A library's parts in the origin's private file system, to be read there instead of from the host: one folder per address of a manifest.
//
// Parts lie one after another in few large files, `N.pack`, because opening a file costs as much as reading it and a large library has
// thousands of parts. `N.table` has a line for each: its name, offset and length. A line is written when its part is on the disk, so that an
// interrupted download goes on where it ended. A pack that is complete is only read: several tabs may.

import { aborted, unsupported, VademecumError } from "../error.js";
import { plain } from "../storage/errors.js";
import { waitFor } from "../storage/locks.js";
import { hasHandles, orAbsent, patiently } from "../storage/opfs.js";
import { hashOf } from "./hash.js";

const ROOT = "vademecum-parts";
const MANIFEST = "manifest.json";
/** Parts that are fetched side by side. */
const AT_ONCE = 6;
/** Bytes after which the table is written. */
const STEP = 2 ** 20;
/** The share of a pack that is no longer needed, above which the rest of it is moved. */
const WASTE = 0.5;

const encoder = new TextEncoder();

/** Returns what is kept of the library at an address, or null where nothing can be. */
export async function openKept(url) {
  try {
    const kept = new KeptParts(url);
    await kept.open();
    return kept;
  } catch {
    return null;
  }
}

/** Deletes the kept parts of the library at an address, after waiting for other tabs that write them. */
export async function forgetKept(url) {
  const root = await rootFolder(false);
  if (!root) return;
  const name = await folderName(url);
  const lock = await waitFor(lockName(url));
  try {
    await orAbsent(() => patiently(() => root.removeEntry(name, { recursive: true })));
  } finally {
    await lock.release();
  }
}

/** The lock of who writes or deletes what is kept. */
const lockName = (url) => `vademecum parts:${url}`;

async function rootFolder(create) {
  if (!globalThis.navigator?.storage?.getDirectory) throw new Error("no private file system; it needs a secure page");
  const origin = await navigator.storage.getDirectory();
  return orAbsent(() => origin.getDirectoryHandle(ROOT, { create }));
}

const folderName = async (url) => (await hashOf(encoder.encode(url))).slice(0, 40);

/** A file of parts that is complete, or as far as it was written. */
class Pack {
  /** @type {any} */
  handle = null; // an access handle
  /** @type {File | null} */
  file = null; // in its place
  bytes = 0;

  constructor(name) {
    this.name = name;
  }

  async open(folder) {
    const entry = await folder.getFileHandle(`${this.name}.pack`);
    this.file = await entry.getFile();
    this.bytes = this.file?.size ?? 0;
    if (!hasHandles()) return;
    // Without the mode, as in older browsers, a second tab gets no handle, and reads the file.
    this.handle = await entry.createSyncAccessHandle({ mode: "read-only" }).catch(() => null);
  }

  async read(offset, length) {
    const bytes = new Uint8Array(length);
    const count = this.handle ? await this.handle.read(bytes, { at: offset }) : await this.#fromFile(offset, bytes);
    // Chromium returns errors of the file system as large numbers.
    if (count !== length) throw new Error(`${count} of ${length} bytes could be read`);
    return bytes;
  }

  /** Fills `bytes` without waiting, and returns whether it could; some of them may be filled if not. Handles read synchronously in all browsers. */
  readNow(offset, bytes) {
    return this.handle?.read(bytes, { at: offset }) === bytes.length;
  }

  async #fromFile(offset, bytes) {
    const slice = /** @type {File} */ (this.file).slice(offset, offset + bytes.length);
    const found = new Uint8Array(await slice.arrayBuffer());
    bytes.set(found);
    return found.length;
  }

  async close() {
    await this.handle?.close();
    this.handle = null;
  }
}

export class KeptParts {
  #url;
  /** @type {any} */
  #folder = null;
  /** @type {Map<string, Pack>} */
  #packs = new Map();
  /** @type {Map<string, { pack: Pack, offset: number, length: number }>} */
  #parts = new Map();
  #isClosed = false;

  constructor(url) {
    this.#url = url;
  }

  async open() {
    const root = await rootFolder(false);
    this.#folder = root && (await orAbsent(async () => root.getDirectoryHandle(await folderName(this.#url))));
    if (this.#folder) await this.#index();
  }

  /** Reads the tables of packs that are not known yet. A part of a later pack replaces that of an earlier one. */
  async #index() {
    /** @type {Set<string>} */
    const names = new Set();
    // A pack without a table is left where a tab ended between the two.
    for await (const name of this.#folder.keys()) if (/\.(table|pack)$/.test(name)) names.add(name.split(".")[0]);
    for (const name of [...names].filter((name) => !this.#packs.has(name)).sort((a, b) => Number(a) - Number(b))) {
      const table = (await orAbsent(async () => (await (await this.#folder.getFileHandle(`${name}.table`)).getFile()).text())) ?? "";
      const pack = new Pack(name);
      if (!(await orAbsent(async () => (await pack.open(this.#folder), true)))) continue;
      this.#packs.set(name, pack);
      // A line that was cut off has no end.
      for (const line of table.split("\n").slice(0, -1)) {
        const [part, offset, length] = line.split(" ");
        const place = { pack, offset: Number(offset), length: Number(length) };
        if (place.offset + place.length <= pack.bytes) this.#parts.set(part, place);
      }
    }
  }

  /** Number of parts and bytes that are kept. */
  get size() {
    let bytes = 0;
    for (const { length } of this.#parts.values()) bytes += length;
    return { parts: this.#parts.size, bytes };
  }

  /** Returns the manifest that was kept, or null. */
  async manifest() {
    if (!this.#folder) return null;
    return orAbsent(async () => new Uint8Array(await (await (await this.#folder.getFileHandle(MANIFEST)).getFile()).arrayBuffer()));
  }

  has = (part) => this.#parts.has(part);

  /** Returns the bytes of a range of a part, or null where it is not kept, or not any more: the browser may clear its storage at any time. */
  async read(part, start, end) {
    const place = this.#parts.get(part);
    if (!place) return null;
    try {
      return await place.pack.read(place.offset + start, Math.min(end, place.length) - start);
    } catch {
      for (const [name, { pack }] of [...this.#parts]) if (pack === place.pack) this.#parts.delete(name);
      return null;
    }
  }

  /** Fills `bytes` with those of a part from `start` on, synchronously. Returns false if they have to be awaited with `read`, or are not there. */
  readNow(part, start, bytes) {
    const place = this.#parts.get(part);
    if (!place || start + bytes.length > place.length) return false;
    try {
      return place.pack.readNow(place.offset + start, bytes);
    } catch {
      return false;
    }
  }

  /** Forgets a part that is damaged; it is fetched again by the next `keep`. */
  async remove(part) {
    this.#parts.delete(part);
  }

  /**
   * Keeps these parts, fetched by `fetchPart(name, { isFresh, signal })`, and forgets others. Each is written once its hash is right. Progress
   * counts bytes.
   * @param {{ parts: { name: string, bytes: number }[], manifest: Uint8Array, fetchPart: (name: string, how: { isFresh?: boolean, signal?: AbortSignal }) => Promise<Uint8Array>,
   *   damaged: (name: string) => Error, signal?: AbortSignal, onProgress?: (progress: { loaded: number, total: number }) => void }} work
   */
  async keep({ parts, manifest, fetchPart, damaged, signal, onProgress = () => {} }) {
    if (!hasHandles()) throw unsupported("`library.keep` needs access handles of private files, which only dedicated workers of newer browsers have. Attach with `worker: true`.");
    const lock = await waitFor(lockName(this.#url), signal).catch((thrown) => Promise.reject(signal?.aborted ? aborted() : thrown));
    try {
      const root = await rootFolder(true);
      this.#folder = await root.getDirectoryHandle(await folderName(this.#url), { create: true });
      await this.#index(); // another tab may have kept parts meanwhile
      const sizes = new Map(parts.map(({ name, bytes }) => [name, bytes]));
      const wanted = new Set(sizes.keys());
      const moved = this.#wasted(wanted);
      const isThere = (name) => this.#parts.has(name) && !moved.has(/** @type {any} */ (this.#parts.get(name)).pack);
      const missing = [...wanted].filter((name) => !isThere(name));
      const sum = (names) => names.reduce((bytes, name) => bytes + (sizes.get(name) ?? 0), 0);
      const total = sum([...wanted]);
      let loaded = total - sum(missing);
      onProgress({ loaded, total });
      const fetched = async (name) => {
        const here = this.#parts.get(name);
        if (here) {
          const bytes = await here.pack.read(here.offset, here.length).catch(() => null);
          if (bytes && (await isNamed(bytes, name))) return bytes;
        }
        const bytes = await fetchPart(name, { signal });
        if (await isNamed(bytes, name)) return bytes;
        const again = await fetchPart(name, { isFresh: true, signal });
        if (await isNamed(again, name)) return again;
        throw damaged(name);
      };
      if (missing.length > 0) {
        const onPart = (name) => onProgress({ loaded: (loaded += sizes.get(name) ?? 0), total });
        await this.#written(missing, fetched, signal, onPart);
      }
      await this.#writeManifest(manifest);
      for (const pack of this.#wasted(wanted)) await this.#drop(pack);
      for (const name of [...this.#parts.keys()]) if (!wanted.has(name)) this.#parts.delete(name);
    } catch (thrown) {
      if (thrown instanceof VademecumError) throw thrown;
      throw await plain(thrown, { doing: "keep the library" });
    } finally {
      await lock.release();
    }
  }

  /** Returns the packs of which the greater part is not wanted any more. */
  #wasted(wanted) {
    const used = new Map([...this.#packs.values()].map((pack) => [pack, 0]));
    for (const [name, { pack, length }] of this.#parts) if (wanted.has(name)) used.set(pack, (used.get(pack) ?? 0) + length);
    return new Set([...used].filter(([pack, bytes]) => bytes < pack.bytes * (1 - WASTE) || pack.bytes === 0).map(([pack]) => pack));
  }

  /** Deletes a pack, unless another tab reads it: then the next `keep` does. */
  async #drop(pack) {
    await pack.close();
    try {
      for (const kind of ["table", "pack"]) await orAbsent(() => this.#folder.removeEntry(`${pack.name}.${kind}`));
      this.#packs.delete(pack.name);
    } catch {
      await orAbsent(() => pack.open(this.#folder));
    }
  }

  /** Fetches parts side by side, and writes them to a new pack. */
  async #written(names, fetched, signal, onPart) {
    const name = String(Math.max(0, ...[...this.#packs.keys()].map(Number)) + 1);
    const pack = new Pack(name);
    const create = (kind) => this.#folder.getFileHandle(`${name}.${kind}`, { create: true }).then((file) => patiently(() => file.createSyncAccessHandle()));
    const data = await create("pack");
    const table = await create("table");
    const ending = new AbortController();
    const stop = () => ending.abort();
    signal?.addEventListener("abort", stop);
    const queue = [...names];
    let lines = []; // of parts that are written and not in the table yet
    let pending = 0;
    let tableBytes = 0;
    const commit = async () => {
      if (lines.length === 0) return;
      await data.flush();
      const text = encoder.encode(lines.map(({ part, offset, length }) => `${part} ${offset} ${length}\n`).join(""));
      whole(await table.write(text, { at: tableBytes }), text);
      await table.flush();
      tableBytes += text.length;
      for (const { part, offset, length } of lines) this.#parts.set(part, { pack, offset, length });
      [lines, pending] = [[], 0];
    };
    let writing = Promise.resolve();
    const write = (part, bytes) =>
      (writing = writing.then(async () => {
        whole(await data.write(bytes, { at: pack.bytes }), bytes);
        lines.push({ part, offset: pack.bytes, length: bytes.length });
        pack.bytes += bytes.length;
        pending += bytes.length;
        if (pending >= STEP) await commit();
        onPart(part);
      }));
    const work = async () => {
      for (let part = queue.shift(); part !== undefined && !ending.signal.aborted; part = queue.shift()) await write(part, await fetched(part));
    };
    pack.handle = data; // read from here, too, while it is written
    this.#packs.set(name, pack);
    try {
      const workers = Array.from({ length: AT_ONCE }, () => work().catch((thrown) => Promise.reject((stop(), thrown))));
      const outcomes = await Promise.allSettled(workers);
      const failed = outcomes.find((outcome) => outcome.status === "rejected");
      if (signal?.aborted) throw aborted();
      if (failed) throw /** @type {PromiseRejectedResult} */ (failed).reason;
    } finally {
      signal?.removeEventListener("abort", stop);
      // What was written is kept, whatever ended this.
      await commit().catch(() => {});
      await data.truncate(lines.length > 0 ? lines[0].offset : pack.bytes);
      pack.handle = null;
      await data.close();
      await table.close();
      if (tableBytes === 0) await this.#drop(pack);
      else await pack.open(this.#folder);
    }
  }

  async #writeManifest(bytes) {
    const file = await this.#folder.getFileHandle(MANIFEST, { create: true });
    const handle = await patiently(() => file.createSyncAccessHandle());
    try {
      await handle.truncate(0);
      whole(await handle.write(bytes, { at: 0 }), bytes);
      await handle.flush();
    } finally {
      await handle.close();
    }
  }

  /** Deletes all that is kept. */
  async forget() {
    this.#parts.clear();
    for (const pack of this.#packs.values()) await pack.close();
    this.#packs.clear();
    this.#folder = null;
    await forgetKept(this.#url);
  }

  async close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const pack of this.#packs.values()) await pack.close();
  }
}

/** Throws unless all bytes were written. Chromium returns errors of the file system as large numbers. */
function whole(written, { length }) {
  if (written !== length) throw new DOMException(`only ${written} of ${length} bytes were written`, "QuotaExceededError");
}

/** Whether bytes are those of the part with this name, which is the beginning of their hash. */
const isNamed = async (bytes, name) => (await hashOf(bytes)).startsWith(name);
