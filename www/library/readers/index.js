// Files to documents. A reader is given the file and says `{ documents, note? }`; what it cannot read it tells in a sentence.

import { size } from "../../words.js";
import { unreadable } from "../files.js";
import { readCsv } from "./csv.js";
import { readDocx } from "./docx.js";
import { readHtml } from "./html.js";
import { readJsonLines } from "./jsonl.js";
import { readPdf } from "./pdf.js";
import { readMarkdown, readText } from "./text.js";

const MB = 1024 * 1024;
/** A text may have 16 MB. What holds pictures beside its text may be larger. */
const KINDS = [
  { type: "markdown", endings: ["md", "markdown"], most: 16 * MB, read: readMarkdown },
  { type: "text", endings: ["txt", "text"], most: 16 * MB, read: readText },
  { type: "html", endings: ["html", "htm"], most: 16 * MB, read: readHtml },
  { type: "pdf", endings: ["pdf"], most: 100 * MB, read: readPdf },
  { type: "docx", endings: ["docx"], most: 50 * MB, read: readDocx },
  { type: "csv", endings: ["csv", "tsv"], most: 16 * MB, read: readCsv },
  { type: "jsonl", endings: ["jsonl", "ndjson"], most: 16 * MB, read: readJsonLines },
];
/** For a file input. */
export const ACCEPTED = KINDS.flatMap(({ endings }) => endings.map((ending) => `.${ending}`)).join(",");

export const endingOf = (path) => /\.([^./]+)$/.exec(path)?.[1].toLowerCase() ?? "";

/** Whether files of this name can be read at all. */
export const isReadable = (path) => KINDS.some(({ endings }) => endings.includes(endingOf(path)));

/**
 * Reads a file. Nothing of one that is too large gets into memory.
 *
 * @param {{ path: string, file: File, encoding?: string }} one `encoding` is that of a text that is not UTF-8
 * @param {{ signal?: AbortSignal }} [options]
 */
export async function read({ path, file, encoding }, { signal } = {}) {
  const kind = KINDS.find(({ endings }) => endings.includes(endingOf(path)));
  if (!kind) {
    throw new Error("Files of this kind cannot be read. Markdown, text, HTML, PDF, Word (.docx), CSV and JSON Lines can.");
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
