// The files of models in this browser: a cache of the package's own in Cache Storage, keyed by address. A file is stored with its
// hash, because a disk may damage it and a half-written one looks like a whole one.

import { canHash, integrityOf } from "./integrity.js";

/** The name of the cache; another one when the form of its entries changes. */
const CACHE = "vademecum models 1";
const HASH = "x-vademecum-integrity";
/** Headers that tell whether the server's file is another one now, the most reliable first. */
const VALIDATORS = ["etag", "last-modified", "content-length"];

/** Returns the store, or null where there is none: in Node, on insecure pages, in frames without an origin, for other addresses than http. */
export async function openStore(url) {
  if (!/^https?:/.test(url) || !canHash()) return null;
  try {
    return new Store(await globalThis.caches.open(CACHE));
  } catch {
    return null; // there is no Cache Storage, or the browser refuses it
  }
}

class Store {
  #cache;

  constructor(cache) {
    this.#cache = cache;
  }

  /** Returns the response that was stored, without reading it, or null. */
  async find(url) {
    return (await this.#cache.match(url).catch(() => null)) ?? null;
  }

  /** Reads a stored response: `{ bytes, hash, headers }`. A damaged one is removed, and null is returned. */
  async read(url, response) {
    try {
      const bytes = new Uint8Array(await response.arrayBuffer());
      const hash = await integrityOf(bytes);
      if (hash === response.headers.get(HASH)) return { bytes, hash, headers: response.headers };
    } catch {
      // It cannot be read: the same as a damaged one.
    }
    await this.remove(url);
    return null;
  }

  /** Stores a file; resolves to whether it is stored. The bytes may be transferred as soon as this returns. */
  async write(url, { bytes, headers }) {
    try {
      const hash = integrityOf(bytes); // copies the bytes at once
      const copy = new Blob([bytes]);
      /** @type {[string, string][]} */
      const validators = VALIDATORS.flatMap((name) => (validator(headers, name) ? [[name, validator(headers, name)]] : []));
      const kept = new Headers(validators);
      kept.set(HASH, await hash);
      await this.#cache.put(url, new Response(copy, { headers: kept }));
      return true;
    } catch {
      return false; // the storage is full, or refuses to write: the file is fetched again next time
    }
  }

  async remove(url) {
    await this.#cache.delete(url).catch(() => {});
  }
}

/** The length of a compressed response counts other bytes, and a server may compress anew at any time. */
const validator = (headers, name) => (name === "content-length" && headers.get("content-encoding") ? null : headers.get(name)?.replace(/^W\//, ""));

/** Whether the server has another file now, by the first header that both responses have. */
export function differs(stored, now) {
  const name = VALIDATORS.find((name) => validator(stored, name) && validator(now, name));
  return name !== undefined && validator(stored, name) !== validator(now, name);
}
