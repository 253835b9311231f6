// What a library was built from, in a file beside it, in the format of the program `vademecum`: so the next build reads only what has changed.

import { closeSync, fsyncSync, linkSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { invalid, VademecumError } from "../error.js";
import { stampOf } from "./walk.js";

/** The version of this format; a record of another is not used. */
const VERSION = 1;
/** Nanoseconds after a file's last change during which another change may leave its time as it is. */
const UNSURE = 2_000_000_000n;
/** Times have more digits than JavaScript's numbers: they are strings here, and numbers in the file. */
const asStrings = (json) => json.replace(/(?<!\\)"modified":\s*(\d+)/g, '"modified":"$1"');
const asNumbers = (json) => json.replace(/(?<!\\)"modified":"(\d+)"/g, '"modified":$1');
const UNKNOWN = { bytes: 0, modified: "0" };

/** @typedef {{ stamp: import("./walk.js").Stamp, hash: string, beside?: string, documents?: string[], refusal?: { code: string, message: string }, notes?: string[], elsewhere?: Record<string, string[]>, is_estimated?: boolean }} Entry */

const pathOf = (library) => `${library}.files`;

/** Returns an empty record. */
export const emptyRecord = () => ({ version: VERSION, library: { ...UNKNOWN }, settings: {}, totals: { documents: 0, chunks: 0, vectors: 0 }, files: /** @type {Record<string, Entry>} */ ({}) });

/** Reads the record of a library; null if there is none, or none that can be used: then every file is read. */
export function readRecord(library) {
  try {
    const record = JSON.parse(asStrings(readFileSync(pathOf(library), "utf8")));
    return record.version === VERSION ? { ...emptyRecord(), ...record } : null;
  } catch {
    return null;
  }
}

export function writeRecord(record, library) {
  replaced(pathOf(library), Buffer.from(asNumbers(JSON.stringify(record))));
}

/** Returns size and time of a library; null if there is none. */
export function libraryStamp(library) {
  try {
    return stampOf(library);
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw failed("read", library, error);
  }
}

export const isSameStamp = (one, other) => one?.bytes === other?.bytes && one?.modified === other?.modified;

/** Returns the stamp to record of a file that was read: without a time if it may change again within the precision of its clock. */
export const recordedStamp = (stamp) => (BigInt(stamp.modified) + UNSURE > BigInt(Date.now()) * 1_000_000n ? { ...stamp, modified: "0" } : stamp);

/** Returns the ids of the documents of a file. @param {string} file @param {Partial<Entry>} entry */
export const idsOf = (file, { documents, refusal }) => (refusal ? [] : (documents ?? [file]));

/** Returns whether the library has documents of a file. */
export const hasDocuments = (file, entry) => idsOf(file, entry).length > 0 || Object.keys(entry.elsewhere ?? {}).length > 0;

/** Makes the next run read a file again; its documents stay until then. */
export const unsettled = (entry) => ({ ...entry, stamp: { ...UNKNOWN }, hash: "" });

/** Returns whether a file is taken to be unchanged. */
export const isUnchanged = (entry, found, beside) =>
  entry !== undefined && isSameStamp(entry.stamp, found.stamp) && entry.stamp.modified !== "0" && entry.hash !== "" && (entry.beside ?? "") === beside;

/** Checks that a library can be written, and returns its absolute path. */
export function checkedTarget(out) {
  const whole = path.resolve(out);
  const isFolder = (what) => statSync(what, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder(whole)) throw invalid("build.out", "the name of a file", `${out}, a folder`);
  const folder = path.dirname(whole);
  if (!isFolder(folder)) throw invalid("build.out", "a file in a folder that exists", `${out}, and there is no folder ${folder}`);
  return whole;
}

/** Replaces a file at once: readers see the old contents or the new ones, also if the process ends or the disk is full. */
export function replaced(file, bytes) {
  const aside = `${file}.tmp-${process.pid}`;
  try {
    const handle = openSync(aside, "w");
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(aside, file);
  } catch (error) {
    rmSync(aside, { force: true });
    throw failed("written", file, error);
  }
}

/** Returns the error of a file operation. */
export function failed(verb, file, cause) {
  const isFull = ["ENOSPC", "EDQUOT", "EFBIG"].includes(cause.code);
  const advice = { ENOENT: " Check the path.", EACCES: " Check its permissions." }[cause.code] ?? "";
  return new VademecumError(`${file} cannot be ${verb}: ${cause.message}.${advice}`, { code: isFull ? "storage_full" : "storage_failed", retryable: isFull, cause });
}

/** Takes the right to write a library, and returns a function that gives it back. A process that has ended has no such right. */
export function locked(library) {
  const file = `${library}.lock`;
  // Linked into its place with its contents: a lock is never empty, unless it is one of another program.
  const own = `${file}.tmp-${process.pid}`;
  try {
    writeFileSync(own, String(process.pid));
    for (;;) {
      try {
        linkSync(own, file);
        return () => rmSync(file, { force: true });
      } catch (error) {
        if (error.code !== "EEXIST") throw failed("written", file, error);
      }
      if (isHeld(file)) {
        throw new VademecumError(`${library} is being written by another build. Wait until that has ended.`, { code: "library_in_use", retryable: true });
      }
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
}

function isHeld(file) {
  try {
    const pid = Number(readFileSync(file, "utf8"));
    if (!(pid > 0)) return false;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
