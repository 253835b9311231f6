// What was fetched of parts, in memory: where there is no Cache Storage, an update of the library fetches only what changed all the same.

const keyOf = (part, [start, end]) => `${part}/${start}-${end}`;

export class MemoryCache {
  #limit;
  /** @type {Map<string, Uint8Array>} */
  #entries = new Map(); // the last used last
  #bytes = 0;

  constructor(limit) {
    this.#limit = limit;
  }

  async read(part, range) {
    const key = keyOf(part, range);
    const bytes = this.#entries.get(key);
    if (!bytes) return null;
    this.#entries.delete(key);
    this.#entries.set(key, bytes);
    return bytes;
  }

  /** Whole parts are in the memory of the source. */
  write(part, range, bytes) {
    if (!range || bytes.length > this.#limit / 4) return;
    this.#delete(keyOf(part, range));
    this.#entries.set(keyOf(part, range), bytes.slice());
    this.#bytes += bytes.length;
    for (const key of this.#entries.keys()) {
      if (this.#bytes <= this.#limit) break;
      this.#delete(key);
    }
  }

  #delete(key) {
    this.#bytes -= this.#entries.get(key)?.length ?? 0;
    this.#entries.delete(key);
  }

  async remove(part) {
    for (const key of [...this.#entries.keys()]) if (key.startsWith(`${part}/`)) this.#delete(key);
  }

  async readManifest() {
    return null;
  }

  async writeManifest() {}

  async stats() {
    return null;
  }

  async close() {}
}
