// Lists the files of a folder that is kept in sync, and finds what has changed since they were read.

import { isHidden, unreadable } from "./files.js";
import { isReadable } from "./readers/index.js";
import { number } from "../format.js";
import { t } from "../words.js";

/** More files are no folder of documents. */
const MOST = 100_000;
/** Files that are listed without a pause. */
const AT_ONCE = 200;

/** @typedef {{ path: string, file: File, fresh: () => Promise<File> }} Found */

/**
 * Lists the files that can be read. Parts of the folder that the browser does not give are in `refused`, as folders or single files, and count as still there.
 *
 * @param {FileSystemDirectoryHandle} root
 * @param {{ name?: string, signal: AbortSignal, onFound: (count: number) => void }} options `name` is the first part of all paths, and `onFound` is called
 *   with the number of files so far
 * @returns {Promise<{ found: Found[], refused: { path: string, error: Error }[] }>}
 */
export async function walk(root, { name = root.name, signal, onFound }) {
  const found = [];
  const refused = [];
  const waiting = [{ folder: root, path: name }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    try {
      for await (const entry of next.folder.values()) {
        signal.throwIfAborted();
        const path = `${next.path}/${entry.name}`;
        if (entry.kind === "directory") {
          if (!isHidden(`${path}/`)) waiting.push({ folder: entry, path });
        } else if (isReadable(path) && !isHidden(path)) {
          if (found.length >= MOST) throw Object.assign(new Error(t`This folder has more than ${number(MOST)} files. Choose a folder within it.`), { isOfAll: true });
          const file = await entry.getFile().catch((error) => {
            if (signal.aborted || error.name === "NotAllowedError") throw error;
            refused.push({ path, error: unreadable(error) }); // the others can still be read
            return null;
          });
          if (file === null) continue;
          found.push({ path, file, fresh: () => entry.getFile() });
          onFound(found.length);
          if (found.length % AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve)); // the page answers meanwhile
        }
      }
    } catch (error) {
      // Without permission, or without the folder itself, nothing is known of what is in it.
      if (signal.aborted || error.isOfAll || error.name === "NotAllowedError" || next.folder === root) throw error;
      refused.push({ path: `${next.path}/`, error: unreadable(error) });
    }
  }
  return { found, refused };
}

/**
 * Compares files with those that were read.
 *
 * @param {Record<string, import("./folder-store.js").Stamp>} known
 * @param {Found[]} found
 * @param {{ path: string }[]} refused folders that could not be listed, and files that could not be read
 * @returns {{ toRead: Found[], same: number, gone: string[] }}
 */
export function changesIn(known, found, refused) {
  const isSame = ({ path, file }) => known[path]?.size === file.size && known[path]?.modified === file.lastModified;
  const there = new Set(found.map(({ path }) => path));
  const isUnknown = (path) => refused.some((part) => (part.path.endsWith("/") ? path.startsWith(part.path) : path === part.path));
  const toRead = found.filter((one) => !isSame(one));
  return { toRead, same: found.length - toRead.length, gone: Object.keys(known).filter((path) => !there.has(path) && !isUnknown(path)) };
}

/** Larger files are taken as changed by their time alone. */
const HASHED = 16 * 2 ** 20;

/**
 * Returns the SHA-256 of a file, in hexadecimal; undefined for a large one, or one that cannot be read.
 *
 * @param {File} file
 * @param {boolean} [isCostly] whether reading it takes so much longer that a large one is hashed, too
 */
export async function hashOf(file, isCostly = false) {
  if (file.size > HASHED && !isCostly) return undefined;
  try {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
    return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  } catch {
    return undefined;
  }
}
