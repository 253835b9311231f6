// Converts files to documents. A reader takes a file and returns `{ documents, note? }`, or throws an error with a sentence for the user.

import { size } from "../../format.js";
import { FILE_TYPES, readFile } from "../../vademecum/files/read.js";
import { unreadable } from "../files.js";
import { readCsv } from "./csv.js";
import { readDocx } from "./docx.js";
import { readHtml } from "./html.js";
import { readJsonLines } from "./jsonl.js";
import { readPdf } from "./pdf.js";
import { readMarkdown, readText } from "./text.js";

const MB = 1024 * 1024;

/** Reads by the package's readers, which are fetched on first use, in a worker. */
async function readOther({ id, name, bytes, signal }) {
  const { documents, notes } = await readFile(bytes, { id, name, signal });
  return { documents, ...(notes.length > 0 && { note: notes.join(" ") }) };
}

/** Text may have 16 MB. Formats that contain images may be larger. */
const OWN = [
  { type: "markdown", endings: ["md", "markdown"], most: 16 * MB, read: readMarkdown },
  { type: "text", endings: FILE_TYPES.text.endings, most: 16 * MB, read: readText },
  { type: "code", endings: FILE_TYPES.code.endings, most: 16 * MB, read: readText },
  { type: "html", endings: ["html", "htm"], most: 16 * MB, read: readHtml },
  { type: "pdf", endings: ["pdf"], most: 100 * MB, read: readPdf },
  { type: "docx", endings: ["docx"], most: 50 * MB, read: readDocx },
  { type: "csv", endings: ["csv", "tsv"], most: 16 * MB, read: readCsv },
  { type: "jsonl", endings: ["jsonl", "ndjson"], most: 16 * MB, read: readJsonLines },
];
/** Bytes of a file that is read as a whole into memory, beside what is made of it. */
const MOST = 50 * MB;
const others = Object.entries(FILE_TYPES).filter(([type]) => !OWN.some((own) => own.type === type));
const KINDS = [...OWN, ...others.map(([type, { endings, maxBytes }]) => ({ type, endings, most: Math.min(maxBytes, MOST), read: readOther }))];
/** The `accept` attribute of a file input. */
export const ACCEPTED = KINDS.flatMap(({ endings }) => endings.map((ending) => `.${ending}`)).join(",");

export const endingOf = (path) => /\.([^./]+)$/.exec(path)?.[1].toLowerCase() ?? "";

/** Whether files with this name can be read at all. */
export const isReadable = (path) => KINDS.some(({ endings }) => endings.includes(endingOf(path)));

/**
 * Reads a file. Files that are too large are never loaded into memory.
 *
 * @param {{ path: string, file: File, encoding?: string }} one `encoding` is that of a text that is not UTF-8
 * @param {{ signal?: AbortSignal }} [options]
 */
export async function read({ path, file, encoding }, { signal } = {}) {
  const kind = KINDS.find(({ endings }) => endings.includes(endingOf(path)));
  if (!kind) {
    throw new Error("This file type is not supported. Supported types: Markdown, text, HTML, PDF, Word, Excel and PowerPoint files (.docx, .xlsx, .pptx), OpenDocument texts, RTF, mails (.eml), EPUB, CSV, JSON, JSON Lines and source code.");
  }
  if (file.size > kind.most) {
    throw new Error(`It has ${size(file.size)}; a .${endingOf(path)} file may have up to ${kind.most / MB} MB. Split it into parts.`);
  }
  const bytes = new Uint8Array(await contentOf(file));
  signal?.throwIfAborted();
  const { documents, ...rest } = await kind.read({ id: path, name: path.split("/").at(-1), bytes, encoding, signal });
  const folder = path.split("/").slice(0, -1).join("/");
  const common = { type: kind.type, ...(folder && { folder }) };
  return { documents: documents.map((one) => ({ ...one, metadata: { ...common, ...one.metadata } })), ...rest };
}

async function contentOf(file) {
  try {
    return await file.arrayBuffer();
  } catch (error) {
    throw unreadable(error);
  }
}
