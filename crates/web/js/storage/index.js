// The storage of libraries in the browser: opening, listing and deleting.

import { invalid, VademecumError } from "../error.js";
import { inUse, plain, unavailable } from "./errors.js";
import { IndexedDbFiles, indexedDbLibraries } from "./indexed-db.js";
import { NO_LOCK, tryLock, waitForLock } from "./locks.js";
import { MemoryFiles } from "./memory.js";
import { OpfsFiles, opfsLibraries } from "./opfs.js";
import { Storage } from "./storage.js";

const KINDS = { opfs: OpfsFiles, indexeddb: IndexedDbFiles };
const LONGEST_NAME = 200;

/**
 * Opens the storage of one library. The first to open it writes; later ones are `readOnly`.
 *
 * Without a `kind`, an existing library stays in its place; a new one is created where writing works, OPFS before IndexedDB.
 *
 * @param {string} name
 * @param {{ kind?: "opfs" | "indexeddb" | "memory", wait?: number | boolean, signal?: AbortSignal }} [options] `wait` is the maximum time
 *   to wait for the current writer in milliseconds, or `true` to wait without a limit, or until `signal`
 */
export async function openStorage(name, { kind, wait, signal } = {}) {
  checkName(name);
  if (kind === "memory") return new Storage(name, new MemoryFiles(), NO_LOCK);
  if (kind !== undefined && !Object.hasOwn(KINDS, kind)) throw invalid("kind", '"opfs", "indexeddb" or "memory"', `\`${kind}\``);
  const lock = await locked(name, wait, signal);
  try {
    return new Storage(name, await choose(name, kind ? [kind] : Object.keys(KINDS), lock !== null), lock);
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

function locked(name, wait, signal) {
  if (!wait) return tryLock(name);
  return wait === true ? waitForLock(name, signal) : waitForLock(name, AbortSignal.timeout(wait)).catch(() => null);
}

async function choose(name, kinds, writes) {
  const reasons = {};
  const working = [];
  for (const kind of kinds) {
    const files = new KINDS[kind](name);
    try {
      if (await files.exists()) return files;
      working.push(files);
    } catch (thrown) {
      reasons[kind] = thrown;
    }
  }
  for (const files of working) {
    if (!writes) return files;
    try {
      await files.create();
      return files;
    } catch (thrown) {
      files.close();
      const error = await plain(thrown, { doing: `create the library “${name}”` });
      // Other kinds would be as full: they share one quota.
      if (error.code === "storage_full") throw error;
      reasons[files.kind] = thrown;
    }
  }
  throw unavailable(reasons);
}

/** Returns the names of all libraries of this origin, sorted. */
export async function listLibraries() {
  const [opfs, indexeddb] = await Promise.allSettled([opfsLibraries(), indexedDbLibraries()]);
  if (opfs.status === "rejected" && indexeddb.status === "rejected") {
    throw unavailable({ opfs: opfs.reason, indexeddb: indexeddb.reason });
  }
  return [...new Set([opfs, indexeddb].flatMap((one) => (one.status === "fulfilled" ? one.value : [])))].sort();
}

/** Deletes a library of any kind; no error if it does not exist. Refused while it is open for writing. */
export async function deleteLibrary(name) {
  checkName(name);
  const lock = await tryLock(name);
  if (!lock) throw inUse(name);
  const reasons = {};
  try {
    for (const [kind, Files] of Object.entries(KINDS)) {
      const files = new Files(name);
      let exists = false;
      try {
        exists = await files.exists();
      } catch (thrown) {
        reasons[kind] = thrown; // a kind that does not work here stores nothing
      }
      if (exists) await files.destroy();
    }
  } catch (thrown) {
    throw await plain(thrown, { doing: `delete the library “${name}”` });
  } finally {
    await lock.release();
  }
  if (Object.keys(reasons).length === Object.keys(KINDS).length) throw unavailable(reasons);
}

/** Asks the browser not to evict this origin's data when space runs short; returns whether it agreed. */
export async function persist() {
  try {
    return (await globalThis.navigator?.storage?.persist?.()) === true;
  } catch (thrown) {
    throw new VademecumError(`The browser refused to answer: ${thrown.message}`, { code: "storage_failed", cause: thrown });
  }
}

function checkName(name) {
  if (typeof name !== "string") throw invalid("name", "a library's name", typeof name);
  const length = [...name].length;
  if (length < 1 || length > LONGEST_NAME) throw invalid("name", `1 to ${LONGEST_NAME} characters long`, `${length}`);
  // An unpaired surrogate has no UTF-8 form: two such names would share one folder.
  if (/\p{Surrogate}/u.test(name)) throw invalid("name", "well-formed Unicode", "a string with half a surrogate pair");
}
