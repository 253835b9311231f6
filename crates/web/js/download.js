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
  return (await downloaded(url, timeout, signal, onProgress)).bytes;
}

/**
 * The same with the response's headers: `{ bytes, headers }`. A file from the disk has none.
 * @param {string} url @param {number} timeout @param {AbortSignal} [signal] @param {(loaded: number, total: number) => void} [onProgress]
 */
export async function downloaded(url, timeout = STALLED, signal, onProgress) {
  if (url.startsWith("file:") && globalThis.process?.versions?.node) return { bytes: await fromDisk(url), headers: new Headers() };
  const watch = new Watch(timeout, signal);
  try {
    const response = await watch.fetch(url);
    // One buffer of the final size: a model's parts and their copy would need twice its memory.
    let all = new Uint8Array(watch.total);
    await watch.read(response, (part) => {
      const before = watch.loaded - part.length;
      if (watch.loaded > all.length) all = grown(all, Math.max(watch.loaded, 2 * before));
      all.set(part, before);
      onProgress?.(watch.loaded, watch.total);
    });
    return { bytes: watch.loaded === all.length ? all : all.slice(0, watch.loaded), headers: response.headers };
  } catch (thrown) {
    throw watch.reason(thrown);
  } finally {
    watch.close();
  }
}

function grown(bytes, length) {
  const more = new Uint8Array(length);
  more.set(bytes);
  return more;
}

const NODE_FILES = "node:fs/promises";

/** Reads a file, which Node's fetch refuses. The module's name is computed, because a bundler for browsers would look for it. */
export async function fromDisk(url) {
  const { readFile } = await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ NODE_FILES);
  const bytes = await readFile(new URL(url));
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
