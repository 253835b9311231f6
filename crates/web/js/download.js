// Downloads that abort when they stall. Without imports, because the wasm module's glue has a copy of this file.

/** Default milliseconds without a byte after which a download is aborted. */
export const STALLED = 30_000;

/** Aborts a download when no byte arrives for `timeout` milliseconds, or when `signal` is aborted. */
export class Watch {
  #control = new AbortController();
  #end = () => this.#control.abort();
  #timer;
  #timeout;
  /** @type {AbortSignal | undefined} */
  #outer;
  loaded = 0;
  total = 0;

  /** @param {AbortSignal} [signal] */
  constructor(timeout = STALLED, signal) {
    this.#timeout = timeout;
    this.#outer = signal;
    if (signal?.aborted) this.#end();
    signal?.addEventListener("abort", this.#end);
    this.alive();
  }

  alive() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#end, this.#timeout);
  }

  /** Aborted when the download is aborted. */
  get signal() {
    return this.#control.signal;
  }

  /** Restarts the timeout after received bytes. */
  heard(length) {
    this.loaded += length;
    this.alive();
  }

  /** Fetches an address; other statuses than success throw an error with `status`. */
  async fetch(url) {
    const response = await fetch(url, { signal: this.#control.signal });
    if (!response.ok) throw Object.assign(new Error(`HTTP ${response.status}`), { status: response.status });
    // The content length of a compressed response counts other bytes.
    if (!response.headers.get("content-encoding")) this.total = Number(response.headers.get("content-length")) || 0;
    return response;
  }

  /**
   * Reads a response to its end; `onPart` is called with each part.
   * @param {Response} response @param {(part: Uint8Array) => void} onPart
   */
  async read(response, onPart = () => {}) {
    for (const reader = response.body?.getReader(); reader; ) {
      const { done, value } = await reader.read();
      if (done) break;
      this.heard(value.length);
      onPart(value);
    }
  }

  /** Describes the failure of a download, briefly if it stalled. */
  reason(thrown) {
    if (!this.#control.signal.aborted || this.#outer?.aborted) return thrown;
    return Object.assign(new Error(`no byte came for ${this.#timeout / 1000} seconds, after ${this.loaded} of ${this.total || "an unknown number"}`), { stalled: true });
  }

  close() {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#end);
  }
}

/**
 * Downloads an address. `onProgress(loaded, total)` has a `total` of 0 if it is unknown.
 * @param {string} url @param {number} timeout @param {AbortSignal} [signal] @param {(loaded: number, total: number) => void} [onProgress]
 */
export async function download(url, timeout = STALLED, signal, onProgress) {
  if (url.startsWith("file:") && globalThis.process?.versions?.node) return fromDisk(url);
  const watch = new Watch(timeout, signal);
  try {
    const parts = [];
    const response = await watch.fetch(url);
    await watch.read(response, (part) => {
      parts.push(part);
      onProgress?.(watch.loaded, watch.total);
    });
    return joined(parts, watch.loaded);
  } catch (thrown) {
    throw watch.reason(thrown);
  } finally {
    watch.close();
  }
}

function joined(parts, length) {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const NODE_FILES = "node:fs/promises";

/** Reads a file, which Node's fetch refuses. The module's name is computed, because a bundler for browsers would look for it. */
export async function fromDisk(url) {
  const { readFile } = await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ NODE_FILES);
  const bytes = await readFile(new URL(url));
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
