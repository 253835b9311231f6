// The files of a model for all encoders of a page: each is downloaded once, by one tab or worker at a time, and stored in the
// browser, where other tabs, later visits and the network's absence find it.

import { downloaded, STALLED, Watch } from "./download.js";
import { aborted, ended, VademecumError } from "./error.js";
import { verify } from "./integrity.js";
import { differs, openStore } from "./model-store.js";
import { waitFor } from "./storage/locks.js";

/** Milliseconds to wait for the server's word whether a stored file is still current. */
const PATIENCE = 4_000;
/** Milliseconds between two messages about progress to other tabs. */
const PAUSE = 200;

/**
 * A file of a model: `bytes`, whether it `isStored`, and a function that removes it from the store.
 * @typedef {{ bytes: Uint8Array, isStored: boolean | Promise<boolean>, forget: () => Promise<void> }} ModelFile
 */

/**
 * Returns a file of a model: the stored one if the server has no other, else a downloaded one. Where nothing can be stored, it is
 * downloaded. A failed download throws what `fetch` throws, an error with `status`, or one that is `stalled`.
 *
 * @param {{ url: string, timeout?: number, integrity?: string, cache?: boolean }} file
 * @param {{ signal?: AbortSignal, onProgress?: (loaded: number, total: number) => void }} [how]
 * @returns {Promise<ModelFile>}
 */
export async function modelFile({ url, timeout = STALLED, integrity, cache = true }, { signal, onProgress = () => {} } = {}) {
  const store = cache ? await openStore(url) : null;
  if (!store) return { ...(await fetched(url, { timeout, integrity, signal, onProgress })), isStored: false, forget: async () => {} };
  const forget = () => store.remove(url);
  const read = async (found) => found && store.read(url, found);

  const found = await store.find(url);
  const [first, now] = await Promise.all([read(found), found && !integrity ? headersNow(url, timeout) : null]);
  const isCurrent = first && (integrity ? await matches(first, integrity, url) : !(now && differs(first.headers, now)));
  if (isCurrent) return { bytes: told(first.bytes, onProgress), isStored: true, forget };

  const turn = await turnFor(url, { timeout, signal, onProgress });
  /** @type {Promise<boolean>} */
  let writing = Promise.resolve(false);
  try {
    const second = await read(await store.find(url));
    // Another tab or worker has stored it meanwhile.
    if (second && second.hash !== first?.hash && (!integrity || (await matches(second, integrity, url)))) {
      return { bytes: told(second.bytes, onProgress), isStored: true, forget };
    }
    try {
      const both = (loaded, total) => {
        onProgress(loaded, total);
        turn.tell(loaded, total);
      };
      const file = await fetched(url, { timeout, integrity, signal, onProgress: both });
      writing = store.write(url, file);
      return { bytes: file.bytes, isStored: writing, forget: () => writing.then(forget) };
    } catch (thrown) {
      // The server has a newer file that cannot be fetched: the stored one is complete, and the next start tries again.
      if (!second || integrity || signal?.aborted) throw thrown;
      return { bytes: told(second.bytes, onProgress), isStored: true, forget };
    }
  } finally {
    void writing.then(turn.end);
  }
}

/**
 * Returns a file that a server may not have, or null. The browser remembers that there is none, for starts without the network. Any other
 * failure is thrown: the server may have the file.
 *
 * @param {{ url: string, timeout?: number, cache?: boolean }} file
 * @param {{ signal?: AbortSignal }} how
 * @returns {Promise<ModelFile | null>}
 */
export async function optionalFile(file, how) {
  const { url, cache = true } = file;
  const store = cache ? await openStore(url) : null;
  const note = `${url}${url.includes("?") ? "&" : "?"}vademecum-absent`;
  try {
    const found = await modelFile(file, how);
    await store?.remove(note);
    return found;
  } catch (thrown) {
    if (isAbsent(thrown)) {
      await store?.write(note, { bytes: new Uint8Array(0), headers: new Headers() });
      return null;
    }
    const isUnreachable = thrown?.status === undefined && !thrown?.stalled && !how.signal?.aborted;
    if (isUnreachable && (await store?.find(note))) return null;
    throw thrown;
  }
}

/** Whether a failed download says that there is no such file. Some hosts send a web page in place of missing files. */
const isAbsent = ({ status = 0, isPage = false, code = "" }) => (status >= 400 && status < 500 && ![408, 429].includes(status)) || isPage || code === "ENOENT";

/** Reports a file that came from the store. */
function told(bytes, onProgress) {
  onProgress(bytes.length, bytes.length);
  return bytes;
}

async function fetched(url, { timeout, integrity, signal, onProgress }) {
  const file = await downloaded(url, timeout, signal, onProgress);
  const isSafetensors = file.bytes[8] === 0x7b; /* {, after the length of the header */
  const first = !isSafetensors && file.bytes.find((byte) => ![0x09, 0x0a, 0x0d, 0x20].includes(byte));
  if (first === 0x3c /* < */) throw Object.assign(new Error("the server sent a web page instead of the file"), { isPage: true });
  if (integrity) await verify(file.bytes, integrity, url);
  return file;
}

/** Whether a stored file has the hash that the user names. */
const matches = async ({ bytes, hash }, integrity, url) => hash === integrity || verify(bytes, integrity, url).then(() => true, () => false);

/** Returns the headers that the server has for a file now, or null if it gives none: then a stored file is used. */
async function headersNow(url, timeout) {
  try {
    // Not by a conditional request: its headers would need the permission of a server of another origin.
    const response = await fetch(url, { method: "HEAD", cache: "no-cache", signal: AbortSignal.timeout(Math.min(timeout, PATIENCE)) });
    return response.ok ? response.headers : null;
  } catch {
    return null;
  }
}

/**
 * Waits until no other tab or worker of this origin downloads the file, and passes on its progress meanwhile. If it falls silent, this
 * one goes ahead. Returns `tell(loaded, total)` for those that wait now, and `end()`.
 */
async function turnFor(url, { timeout, signal, onProgress }) {
  const name = `vademecum model:${url}`;
  const channel = globalThis.BroadcastChannel ? new BroadcastChannel(name) : null;
  const watch = new Watch(timeout, signal);
  if (channel) {
    channel.onmessage = ({ data: [loaded, total] }) => {
      watch.alive();
      onProgress(loaded, total);
    };
  }
  let release = async () => {};
  try {
    ({ release } = await waitFor(name, watch.signal));
  } catch {
    if (signal?.aborted) {
      channel?.close();
      throw aborted();
    }
  } finally {
    watch.close();
    if (channel) channel.onmessage = null;
  }
  let last = 0;
  return {
    tell(loaded, total) {
      const now = performance.now();
      if (now - last < PAUSE) return;
      last = now;
      channel?.postMessage([loaded, total]);
    },
    end() {
      channel?.close();
      void release();
    },
  };
}

/** Returns the error of a file that could not be fetched. `what` begins the message. */
export function unavailable(what, url, thrown) {
  if (thrown instanceof VademecumError) return thrown;
  if (thrown?.name === "AbortError") return aborted();
  if (thrown instanceof RangeError) {
    const message = `${what} from ${url} does not fit into this device's memory: ${ended(thrown.message)}. Close other tabs, or use a smaller model.`;
    return new VademecumError(message, { code: "model_unavailable", retryable: true, cause: thrown });
  }
  const message = `${what} could not be loaded from ${url}: ${ended(thrown?.message ?? thrown)}. Check that the file is served there.`;
  return new VademecumError(message, { code: "model_unavailable", retryable: true, cause: thrown });
}
