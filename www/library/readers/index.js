// Converts files to documents, by the readers of the package, and PDF by pdf.js. A reader throws an error with a sentence for the user.

import { number, size } from "../../format.js";
import { FILE_TYPES, readFile, typeOfFile } from "../../vademecum/files/read.js";
import { changedMeanwhile, unreadable } from "../files.js";
import { LargeTable } from "./large-table.js";
import { readPdf } from "./pdf.js";
import { isPicture, pictureIn, PICTURES, pictureRefused, readPicture, readScan } from "./pictures.js";
import { beginning } from "./tables.js";
import { phrased, t } from "../../words.js";

const MB = 2 ** 20;
/** Bytes of a file that is read as a whole into memory, beside what is made of it. */
const MOST = 50 * MB;
/** Types of tables and records, of which the beginning can be read alone. */
const IN_LINES = ["csv", "jsonl"];
/** Types whose documents may be many, and bytes of a file from which on the page takes in some at a time. */
const OF_ROWS = ["csv", "jsonl", "json", "xlsx"];
const LARGE = MB / 4;

/** The `accept` attribute of a file input. */
export const ACCEPTED = [...Object.values(FILE_TYPES).flatMap(({ endings }) => endings), ...PICTURES].map((ending) => `.${ending}`).join(",");

const UNSUPPORTED =
  "This file type is not supported. Supported types: Markdown, text, HTML, PDF, Word, Excel and PowerPoint files (.docx, .xlsx, .pptx), OpenDocument texts, RTF, mails (.eml), EPUB, CSV, JSON, JSON Lines, logs, YAML and other source code, and pictures of text (.png, .jpg, .webp).";

const nameOf = (path) => path.split("/").at(-1);
const endingOf = (path) => /\.([^./]+)$/.exec(path)?.[1].toLowerCase() ?? "";

/** Whether files with this name can be read without being asked to: not pictures. */
export const isReadable = (path) => typeOfFile(nameOf(path)) !== null;

/** An error of the file itself, which another attempt would not mend. */
const lasting = (code, message) => Object.assign(new Error(message), { code });

const tooLarge = (path, file, most) => lasting("file_too_large", `It has ${size(file.size)}; a .${endingOf(path)} file may have up to ${most / MB} MB. Split it into parts.`);
const mostOf = (type) => (type === "pdf" ? FILE_TYPES.pdf.maxBytes : Math.min(FILE_TYPES[type].maxBytes, MOST));

/**
 * Reads a file to `{ documents, note?, canRecognise? }`, with whether it has pages whose text can be recognised, a large table to `{ table, note? }`. Files that are too large are never loaded into memory; of tables,
 * the beginning is read.
 *
 * @param {{ path: string, file: File, encoding?: string, title?: string, recognise?: boolean, fresh?: () => Promise<File> }} one `encoding` is that of a text that is
 *   not UTF-8, `title` replaces that of the document, `recognise` has the text of pictures recognised, and `fresh` gives the file as it is now
 * @param {{ signal?: AbortSignal, onPage?: (page: number, pages: number) => void, onLoad?: (loaded: number, total: number) => void }} [options] `onLoad` is
 *   called with the bytes of the text recognition that were fetched
 */
export async function read({ path, file, encoding, title, recognise = false, fresh }, { signal, onPage, onLoad } = {}) {
  const type = typeOfFile(nameOf(path));
  if (isPicture(path) || (recognise && type === "pdf")) return readPictured({ path, file, recognise, fresh }, { signal, onPage, onLoad });
  if (!type) throw lasting("file_unsupported", UNSUPPORTED);
  const isCut = IN_LINES.includes(type);
  if (file.size > mostOf(type) && !isCut) {
    throw tooLarge(path, file, mostOf(type));
  }
  const { bytes, note = "" } = await contentOf(file, fresh, isCut ? type : null);
  signal?.throwIfAborted();
  const picture = type === "pdf" ? pictureIn(bytes) : null;
  if (picture) throw lasting("file_damaged", t`It is a picture (${picture}), not a PDF, whatever its name says. Rename it to end in .${picture.toLowerCase()}, and add that.`);
  const content = encoding ? new TextEncoder().encode(new TextDecoder(encoding).decode(bytes)) : bytes;
  if (OF_ROWS.includes(type) && content.length > LARGE) {
    const table = await asText(path, () => new LargeTable(signal).read(content, { id: path, name: nameOf(path) }));
    const remarks = [...table.notes.map(phrased), note].filter(Boolean);
    return { table, ...(remarks.length > 0 && { note: remarks.join(" ") }) };
  }
  /** @type {{ documents: any[], notes: string[], canRecognise?: boolean }} */
  const { documents, notes, canRecognise } = await (type === "pdf" ? readPdf({ id: path, name: nameOf(path), bytes, signal, onPage }) : readOther(content, path, signal));
  if (title && documents.length === 1) documents[0].title = title;
  const all = [...notes.map(phrased), note].filter(Boolean);
  return { documents: documents.map((one) => withPath(one, path)), ...(all.length > 0 && { note: all.join(" ") }), ...(canRecognise && { canRecognise }) };
}

/** Reads a picture, or a PDF whose pages are pictures. */
async function readPictured({ path, file, recognise, fresh }, { signal = new AbortController().signal, onPage, onLoad }) {
  const most = isPicture(path) ? MOST : mostOf("pdf");
  if (file.size > most) throw tooLarge(path, file, most);
  if (!recognise) throw pictureRefused();
  const { bytes, note = "" } = await contentOf(file, fresh, null);
  const one = { id: path, name: nameOf(path), file: new Blob([bytes], { type: file.type }), signal, onLoad };
  const { documents, notes } = await (isPicture(path) ? readPicture(one) : readScan({ ...one, onPage }));
  const all = [...notes, note].filter(Boolean);
  return { documents: documents.map((one) => withPath(one, path)), ...(all.length > 0 && { note: all.join(" ") }) };
}

/** Adds the path of its file to a document, which narrows a question to this file. */
export const withPath = (document, path) => ({ ...document, metadata: { ...document.metadata, path } });

/** Reads by the package's readers, which are fetched on first use, in a worker. */
const readOther = (bytes, path, signal) => asText(path, () => readFile(bytes, { id: path, name: nameOf(path), signal }));

async function asText(path, read) {
  try {
    return await read();
  } catch (error) {
    // The page offers to read such a text in another encoding.
    if (error.code === "file_not_utf8") throw Object.assign(new Error(error.message.replace(/^Document `.*?`/s, `Document \`${path}\``)), { code: "not_utf8" });
    throw error;
  }
}

/** Reads the bytes of a file that does not change meanwhile. If it does, and can be had as it is then, it is read again. */
async function contentOf(file, fresh, cut) {
  if (!fresh) return bytesOf(file, cut).catch((error) => Promise.reject(unreadable(error)));
  const isStill = ({ size: bytes, lastModified }, now) => now.size === bytes && now.lastModified === lastModified;
  const first = await bytesOf(file, cut).catch(() => null); // a browser refuses to read a file that has changed
  const now = await fresh().catch((error) => Promise.reject(unreadable(error)));
  if (first && isStill(file, now)) return first;
  const second = await bytesOf(now, cut).catch((error) => Promise.reject(first ? changedMeanwhile() : unreadable(error)));
  if (!isStill(now, await fresh())) throw changedMeanwhile();
  const isChanged = !isStill(file, now);
  return { ...second, note: [isChanged && t("It changed while it was read, and was read again."), second.note].filter(Boolean).join(" ") };
}

/**
 * @param {Blob} file
 * @param {string | null} cut the type of a file of which the beginning is read alone
 * @returns {Promise<{ bytes: Uint8Array<ArrayBuffer>, note?: string }>}
 */
async function bytesOf(file, cut) {
  if (cut === null) return { bytes: new Uint8Array(await file.arrayBuffer()) };
  const { bytes, lines } = await beginning(file, cut);
  return { bytes, ...(lines !== null && { note: t`It has ${size(file.size)}, of which the first ${number(lines)} lines (${size(bytes.length)}) were taken. Split it into parts to add the rest.` }) };
}
