// Files of a library that the engine reads at once, in the midst of a search, with access handles: those of segments whose texts do not fit
// into `maxMemory`. Apart from the storage, because the lite build has no room for it.

import { folderOf, hasHandles, orAbsent, patiently, rootFolder } from "./opfs.js";

export class HeldFiles {
  #name;
  #isHere;
  #isClosed = false;
  /** @type {Map<string, { opening: Promise<any>, handle: any, readers: Set<object> }>} by name: the handle, and the directories that read it */
  #files = new Map();

  /**
   * @param {{ kind: string }} storage of the library of this name
   * @param {{ salvage?: boolean }} options a library that is salvaged does not queue for the lock: what it held would block a deletion
   */
  constructor(storage, name, options) {
    this.#name = name;
    this.#isHere = storage.kind === "opfs" && !options.salvage && hasHandles();
  }

  /** Returns the directory that an engine opens: a storage, and what reads its files at once. */
  over(storage) {
    const directory = {
      get readOnly() {
        return storage.readOnly;
      },
      readsNow: this.#isHere,
      list: () => storage.list(),
      read: (name) => storage.read(name),
      write: (name, bytes) => storage.write(name, bytes),
      remove: (name) => (this.#isHere ? this.#remove(name, directory) : storage.remove(name)),
      hold: (name) => this.#hold(name, directory),
      readNow: (name, start, bytes) => this.#readNow(name, start, bytes),
    };
    return directory;
  }

  close() {
    this.#isClosed = true;
    for (const { handle } of this.#files.values()) handle?.close();
    this.#files.clear();
  }

  /** Opens a file for a directory. Returns whether that was possible; if not, its texts stay in memory. */
  async #hold(name, directory) {
    if (!this.#isHere) return false;
    let file = this.#files.get(name);
    if (!file) {
      file = { opening: this.#open(name, !directory.readOnly).catch(() => null), handle: null, readers: new Set() };
      this.#files.set(name, file);
    }
    file.readers.add(directory);
    file.handle = await file.opening;
    if (file.handle && !this.#isClosed) return true;
    file.handle?.close();
    if (this.#files.get(name) === file) this.#files.delete(name);
    return false;
  }

  async #open(name, isWriter) {
    const file = await (await this.#folder())?.getFileHandle(name);
    const open = () => file.createSyncAccessHandle({ mode: "read-only" });
    if (isWriter) return patiently(open); // a worker that ended may keep the file a moment longer
    const handle = await open();
    try {
      // A browser that ignores the mode lets a single tab open the file, which has to be the writer's.
      (await open()).close();
      return handle;
    } catch {
      handle.close();
      return null;
    }
  }

  /** Fills `bytes` with those of a held file from `start` on. Returns whether it did. */
  #readNow(name, start, bytes) {
    // Chromium returns errors of the file system as large numbers.
    return this.#files.get(name)?.handle?.read(bytes, { at: start }) === bytes.length;
  }

  /** Removes a file that a directory does not read any more. Rejects at once if another tab or directory reads it: the next save tries again. */
  async #remove(name, directory) {
    const file = this.#files.get(name);
    file?.readers.delete(directory);
    if (file?.readers.size) throw new DOMException(`another engine reads ${name}`, "NoModificationAllowedError");
    file?.handle?.close(); // a file that is held cannot be removed
    this.#files.delete(name);
    await orAbsent(async () => (await this.#folder())?.removeEntry(name));
  }

  async #folder() {
    const root = await rootFolder();
    return root && orAbsent(async () => root.getDirectoryHandle(await folderOf(this.#name)));
  }
}
