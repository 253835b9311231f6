// What went wrong, in words for whoever uses this page. The package tells programs what to call; here is what a person can do, with
// the same facts.

import { number, size } from "./words.js";

const MB = 2 ** 20;

/** By the error's code: `(message, { it, file })`, where `it` is what the message is about. What does not fit stays as it is. */
const SENTENCES = {
  not_utf8: notText,
  empty_document: (_, { it }) => `${it} is empty: it holds no letter and no digit.`,
  document_too_large: (message, { it }) =>
    told(/has (\d+) bytes of text; the limit is (\d+)/, message, (bytes, limit) => `${it} has ${size(Number(bytes))} of text; up to ${number(limit / MB)} MB can be added. Split it into parts.`),
  metadata_type: (message, { it }) =>
    told(/the metadata field `(.*?)` is declared as (.*?), but holds (.*?)\. Mend/s, message, (field, wanted, got) => `${it} was refused: in this collection the field “${field}” has to be a ${wanted}, but it holds ${got}. Mend the value, or add the file to another collection.`),
  duplicate_id: (message) => told(/id `(.*?)` occurs/s, message, (id) => `Two of these files are called “${id}”. Rename one, and add them again.`),
  unknown_collection: (message) => told(/no collection `(.*?)`/s, message, (name) => `There is no collection “${name}” any more. Choose another one.`),
  storage_full: (message) => message.replace(/or ask the browser for more with `persist\(\)`\./, "or ask the browser, under Storage, to keep the library."),
  read_only: () => "Another tab has the library: here it can be read. Close the other tab, then reload this one.",
  closed: () => "The library was closed. Reload this page.",
  worker_failed: (message) =>
    /is not started again/.test(message)
      ? "The search engine of this page crashed again and again, and has stopped. What was saved is kept. Reload the page to start it."
      : `The search engine of this page crashed at this, and is started again by itself: try it once more. (${message})`,
  library_lost: () => "The search engine of this page crashed, and what it held in memory is lost. Reload the page, and add your files again.",
  module_unavailable: (message) => told(/^.*? from (.*?: .*?)\. Check/s, message, (from) => `A part of this page could not be loaded from ${from}. See whether you are online, and try again.`),
  embedder_mismatch: (message, { file }) =>
    told(/the embedder `(.*?)`, not by `(.*?)`/s, message, (found, own) => `${file ?? "The library"} was made with another search model, ${found}; this page has ${own}. Nothing was changed. Add the documents themselves.`),
  library_corrupt: (message, { file }) =>
    file ? told(/ is damaged: (.*)\. Nothing was changed/s, message, (why) => `${file} is damaged: ${why}. Nothing was changed. Export the library again where it is.`) : message,
  library_newer: (message, { file }) =>
    told(/has format (\d+), .* up to (\d+)/s, message, (found, known) => `${file ?? "The library"} was written by a later version of this page (format ${found}; this one reads up to ${known}). Nothing was changed. Reload the page, then try again.`),
};

/**
 * @param error anything with a `message`, and a `code` where it comes of the package
 * @param file the file that it is about, where the sentence stands beside its name
 */
export function sentenceOf({ code, message }, { file } = {}) {
  const [, id] = /^Document `(.*?)`(?: is| has|:)/s.exec(message) ?? [];
  return Object.hasOwn(SENTENCES, code ?? "") ? SENTENCES[code](message, { it: named(id, file), file }) : message;
}

/** A file is known by its name already; a row of it is told by its number. */
function named(id, file) {
  if (id === undefined || id === file) return "It";
  return id.startsWith(`${file}#`) ? `Record ${id.slice(file.length + 1)}` : `“${id}”`;
}

/** What the engine took for text and could not read: it says where, and what it looks like. */
function notText(message, { it }) {
  const [, place, hint = ""] = /is not UTF-8: (byte \d+) cannot be read(?: \((.*?)\))?\./.exec(message) ?? [];
  if (/PDF/.test(hint)) return `${it} is a PDF. Give it back its ending .pdf, and add it again.`;
  if (/zip archive/.test(hint)) return `${it} is a zip archive. Unpack it, and add the files in it; a Word document needs its ending .docx back.`;
  if (/binary/.test(hint)) return `${it} is no text. Open it in the program it was made with, save it from there as text or PDF, and add that.`;
  return place ? `${it} is not UTF-8: ${place} cannot be read${hint && ` (${hint})`}. Save it as UTF-8 and add it again.` : message;
}

const told = (pattern, message, write) => {
  const found = pattern.exec(message);
  return found ? write(...found.slice(1)) : message;
};
