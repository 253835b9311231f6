// The engine's view of storage: files of any kind of storage, with serialised changes and errors that can be passed on.

import { invalid } from "../error.js";
import { estimate } from "./estimate.js";
import { closedStorage, plain, readOnly } from "./errors.js";
import { waitForLock } from "./locks.js";

/** except `.` and `..`, which are folders */
const FILE_NAME = /^(?!\.{1,2}$)[a-z0-9._-]{1,64}$/;

export class Storage {
  #name;
  #files;
  #lock;
  #changes = Promise.resolve();
  #stopWaiting = new AbortController();
  #isWaiting = false;
  /** @type {Promise<void> | null} */
  #closing = null;

  /** @param lock null for readers */
  constructor(name, files, lock) {
    this.#name = name;
    this.#files = files;
    this.#lock = lock;
  }

  get kind() {
    return this.#files.kind;
  }

  get readOnly() {
    return this.#lock === null;
  }

  /** Returns `[{ name, bytes }]` of every file. */
  list() {
    return this.#attempt("list its files", () => this.#files.list());
  }

  /** Returns the whole file, or null if it does not exist. */
  read(name) {
    return this.#attempt(`read \`${name}\``, () => this.#files.read(checked(name)));
  }

  /** Creates or replaces a file; it is on the disk when this resolves. */
  async write(name, bytes) {
    checked(name);
    if (!(bytes instanceof Uint8Array)) throw invalid("bytes", "a Uint8Array", typeof bytes);
    // A view of a larger buffer, such as wasm's memory, may become invalid while this waits for its turn.
    const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
    return this.#change(`write \`${name}\``, () => this.#files.write(name, own), own.byteLength);
  }

  /** Does nothing if the file does not exist. */
  async remove(name) {
    checked(name);
    return this.#change(`remove \`${name}\``, () => this.#files.remove(name));
  }

  /** Returns the bytes of the whole origin: `{ usage, quota }`, each null if the browser does not report it. */
  estimate() {
    return estimate();
  }

  /** Deletes all files of this library, and closes. */
  async destroy() {
    await this.#change("delete itself", () => this.#files.destroy());
    await this.close();
  }

  /**
   * Calls back once when a read-only storage has become the writer. Without a callback it stays read-only, because it
   * would overwrite what the previous writer left.
   */
  onWritable(callback) {
    if (!this.readOnly || this.#isWaiting || this.#closing) return;
    this.#isWaiting = true;
    waitForLock(this.#name, this.#stopWaiting.signal).then(
      async (lock) => {
        await this.#files.exists().catch(() => {}); // it may have been deleted meanwhile
        if (this.#closing) return lock.release();
        this.#lock = lock;
        callback();
      },
      () => {}, // closed before its turn came
    );
  }

  /** Waits for pending changes, and releases the lock to the next writer. */
  close() {
    this.#closing ??= (async () => {
      this.#stopWaiting.abort();
      await this.#changes;
      this.#files.close();
      await this.#lock?.release();
    })();
    return this.#closing;
  }

  async #attempt(doing, run, bytes) {
    if (this.#closing) throw closedStorage(this.#name);
    try {
      return await run();
    } catch (thrown) {
      throw await plain(thrown, { doing, bytes });
    }
  }

  #change(doing, run, bytes) {
    if (this.#closing) throw closedStorage(this.#name);
    if (this.readOnly) throw readOnly(this.#name);
    const change = this.#changes.then(() => run()).catch(async (thrown) => {
      throw await plain(thrown, { doing, bytes });
    });
    this.#changes = change.catch(() => {});
    return change;
  }
}

function checked(name) {
  if (!FILE_NAME.test(name)) throw invalid("name", `a file name that matches ${FILE_NAME}`, `\`${name}\``);
  return name;
}
