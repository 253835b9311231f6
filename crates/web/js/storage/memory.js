/** Files in memory. */
export class MemoryFiles {
  kind = "memory";
  readOnly = false;
  #files = new Map();

  async list() {
    return [...this.#files].map(([name, { byteLength }]) => ({ name, bytes: byteLength }));
  }

  async read(name) {
    return this.#files.get(name)?.slice() ?? null;
  }

  async write(name, bytes) {
    this.#files.set(name, bytes.slice());
  }

  async remove(name) {
    this.#files.delete(name);
  }

  async destroy() {
    this.#files.clear();
  }

  close() {
    this.#files.clear();
  }
}
