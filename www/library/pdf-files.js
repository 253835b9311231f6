// The PDF files of documents, kept in the browser's file system beside the library, so that the reader can draw their pages. Each has a hash
// of its document's collection and id as its name. Where a file cannot be kept, its document has its text alone.

import { allDocuments } from "../list-documents.js";
import { remember, remembered } from "../remember.js";

const FOLDER = "pdf-files";
/** Bytes of a file: larger ones are not kept. */
export const MOST = 50 * 2 ** 20;
/** Bytes that are left free for the library itself. */
const SPARE = 50 * 2 ** 20;
/** Documents whose files found no room. */
const NO_ROOM = "pdf-without-room";
const MOST_NAMED = 500;

/** @returns {Promise<any>} the folder of the files; null if there is none, and none may be made */
async function folder(create = false) {
  try {
    return await (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create });
  } catch (error) {
    if (create) throw error;
    return null;
  }
}

async function nameOf({ collection, id }) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify([collection, id]))));
  return `${[...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")}.pdf`;
}

/** Whether this page may keep files: not without https, besides on this device. */
const canKeep = () => Boolean(globalThis.crypto?.subtle && navigator.storage?.getDirectory);

/** Keeps the file of a document in place of an earlier one. If that fails, as in full storage, none is kept, and the document stays. */
export async function keepPdf(document, file) {
  if (!canKeep()) return;
  const name = await nameOf(document);
  await remove(name);
  if (file.size > MOST) return;
  try {
    if (!(await hasRoomFor(file))) throw new DOMException("No room is left beside the library", "QuotaExceededError");
    const handle = await (await folder(true)).getFileHandle(name, { create: true });
    await file.stream().pipeTo(await handle.createWritable());
  } catch (error) {
    await remove(name);
    if (error.name === "QuotaExceededError") noteWithoutRoom([name]);
  }
}

const noteWithoutRoom = (names) => remember(NO_ROOM, [...remembered(NO_ROOM, []), ...names].slice(-MOST_NAMED));

/** Gives the room of all kept files to the library. Returns whether there were any. */
export async function makeRoom() {
  const names = [];
  for await (const name of (await folder())?.keys() ?? []) names.push(name);
  for (const name of names) await remove(name);
  noteWithoutRoom(names);
  return names.length > 0;
}

/** Removes the file of a document, if there is one. */
export const forgetPdf = async (document) => canKeep() && remove(await nameOf(document));

/** Returns the kept file of a document, or null. @returns {Promise<File | null>} */
export async function keptPdf(document) {
  try {
    const handle = await (await folder())?.getFileHandle(await nameOf(document));
    const file = (await handle?.getFile()) ?? null;
    return file?.size ? file : null; // empty if the page was closed while it was written
  } catch {
    return null; // none was kept, or the browser has cleared it
  }
}

/** Returns the sizes of kept files: `{ files, bytes, withoutRoom }`; `withoutRoom` counts the documents whose files did not fit. */
export async function keptSizes() {
  const sizes = { files: 0, bytes: 0, withoutRoom: remembered(NO_ROOM, []).length };
  for await (const handle of (await folder())?.values() ?? []) {
    const file = await handle.getFile().catch(() => null); // removed meanwhile
    sizes.files += 1;
    sizes.bytes += file?.size ?? 0;
  }
  return sizes;
}

/** Removes the files whose documents are gone. Returns whether there were any. */
export async function sweepPdfs(kb) {
  const there = []; // listed before the documents: a file is kept only after its document was added
  for await (const name of (await folder())?.keys() ?? []) there.push(name);
  const missed = remembered(NO_ROOM, []);
  if (there.length + missed.length === 0) return false;
  const wanted = new Set(await Promise.all((await pdfsIn(kb)).map(nameOf)));
  const gone = there.filter((name) => !wanted.has(name));
  for (const name of gone) await remove(name);
  const stillMissed = missed.filter((name) => wanted.has(name));
  if (stillMissed.length < missed.length) remember(NO_ROOM, stillMissed);
  return gone.length > 0 || stillMissed.length < missed.length;
}

/** Returns all documents that were made of PDF files. */
async function pdfsIn(kb) {
  try {
    return await allDocuments(kb, { filters: [{ field: "type", operator: "in", value: ["pdf"] }] });
  } catch (error) {
    if (error.code === "unknown_field") return []; // no document has a type
    throw error;
  }
}

async function remove(name) {
  await (await folder())?.removeEntry(name).catch(() => {}); // there is none
  const missed = remembered(NO_ROOM, []);
  if (missed.includes(name)) remember(NO_ROOM, missed.filter((one) => one !== name));
}

async function hasRoomFor(file) {
  const { quota = Infinity, usage = 0 } = await navigator.storage.estimate();
  return quota - usage >= file.size + SPARE;
}
