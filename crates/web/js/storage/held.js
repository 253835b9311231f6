// Files of a library that the engine reads at once, in the midst of a search, with access handles: those of segments whose texts do not fit
// into `maxMemory`. Apart from the storage, because the lite build has no room for it.

import { folderOf, hasHandles, orAbsent, patiently, rootFolder } from "./opfs.js";

export class HeldFiles {
  #name;
  #isHere;
  /** @type {Map<string, any>} */
  #handles = new Map();

  /** @param {{ kind: string }} storage of the library of this name */
  constructor(storage, name) {
    this.#name = name;
    this.#isHere = storage.kind === "opfs" && hasHandles();
  }

  /** Returns the directory that an engine opens: a storage, and what reads its files at once. */
  over(storage) {
    return {
      get readOnly() {
        return storage.readOnly;
      },
      readsNow: this.#isHere,
      list: () => storage.list(),
      read: (name) => storage.read(name),
      write: (name, bytes) => storage.write(name, bytes),
      remove: (name) => {
        this.#release(name); // a file that is held cannot be removed
        return storage.remove(name);
      },
      hold: (name) => this.#hold(name, !storage.readOnly),
      readNow: (name, start, bytes) => this.#readNow(name, start, bytes),
    };
  }

  close() {
    for (const name of this.#handles.keys()) this.#release(name);
  }

  /** Opens a file. Returns whether that was possible: another tab may have it open. Of the only writer's, a worker that ended may for a moment. */
  async #hold(name, isWriter) {
    if (this.#handles.has(name)) return true;
    const root = this.#isHere && (await rootFolder());
    if (!root) return false;
    const found = await orAbsent(async () => (await root.getDirectoryHandle(await folderOf(this.#name))).getFileHandle(name));
    // Older browsers ignore the mode, and let a single tab open the file.
    const open = () => found.createSyncAccessHandle({ mode: "read-only" });
    const handle = found && (await (isWriter ? patiently(open) : open()).catch(() => null)); // without it, texts stay in memory
    if (handle) this.#handles.set(name, handle);
    return handle !== null;
  }

  /** Fills `bytes` with those of a held file from `start` on. Returns whether it did. */
  #readNow(name, start, bytes) {
    // Chromium returns errors of the file system as large numbers.
    return this.#handles.get(name)?.read(bytes, { at: start }) === bytes.length;
  }

  #release(name) {
    // Closing is synchronous wherever reading is.
    this.#handles.get(name)?.close();
    this.#handles.delete(name);
  }
}
