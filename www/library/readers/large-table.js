// Tables of which the page takes in some rows at a time.

import { t } from "../../words.js";

/** Rows that the page takes in at once. */
const AT_ONCE = 500;

let last = 0;

const stopped = () => new DOMException("It was stopped.", "AbortError");

export class LargeTable {
  #worker = new Worker(new URL("./table-worker.js", import.meta.url), { type: "module" });
  #calls = new Map();
  #request = ++last;
  #isClosed = false;
  /** @type {string[]} ids of all rows */
  ids = [];
  /** @type {string[]} remarks about how it was read */
  notes = [];

  /** @param {AbortSignal} [signal] */
  constructor(signal) {
    signal?.addEventListener("abort", () => this.close(), { once: true });
    this.#worker.addEventListener("message", ({ data: { call, result, error } }) => {
      const { resolve, reject } = this.#calls.get(call);
      this.#calls.delete(call);
      if (error) reject(Object.assign(new Error(error.message), { code: error.code }));
      else resolve(result);
    });
    this.#worker.addEventListener("error", ({ message }) => this.#fail(new Error(t`Its reader crashed (${message}). If the program that it is of opens it, save it again from there.`)));
  }

  /** Reads a file. @param {Uint8Array<ArrayBuffer>} bytes which are gone afterwards */
  async read(bytes, { id, name }) {
    try {
      Object.assign(this, await this.#ask("read", { bytes, id, name }, [bytes.buffer]));
    } catch (error) {
      this.close();
      throw error;
    }
    return this;
  }

  /** Gives the documents of all rows, some at a time. */
  async *batches() {
    try {
      for (let from = 0; from < this.ids.length; from += AT_ONCE) yield await this.#ask("take", { from, to: from + AT_ONCE });
    } finally {
      this.close();
    }
  }

  close() {
    this.#isClosed = true;
    this.#worker.terminate();
    this.#fail(stopped());
  }

  #fail(error) {
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
  }

  #ask(ask, given, transfer = []) {
    if (this.#isClosed) return Promise.reject(stopped()); // its worker would never answer
    const call = this.#calls.size + 1;
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject });
      this.#worker.postMessage({ call, ask, request: this.#request, ...given }, transfer);
    });
  }
}
