// Error messages for users of this page. The package's messages address programmers; these say what a person can do, with
// the same facts.

import { number, size } from "./format.js";
import { errorOf, t } from "./words.js";

const MB = 2 ** 20;

/** By error code: `(message, { it, file })`, where `it` is the subject. A message that does not match its pattern is shown unchanged. */
const SENTENCES = {
  // Documents
  not_utf8: notText,
  file_without_text: (message) => told(/^It contains no text\.$/, message, () => t("It contains no text.")),
  empty_document: (_, { it }) => t`${it} is empty: it contains no letters or digits.`,
  document_too_large: (message, { it }) =>
    told(/has (\d+) bytes of text; the limit is (\d+)/, message, (bytes, limit) => t`${it} has ${size(Number(bytes))} of text; up to ${number(limit / MB)} MB can be added. Split it into parts.`),
  metadata_type: (message, { it }) =>
    told(/the metadata field `(.*?)` is declared as (.*?), but holds (.*?)\. Mend/s, message, (field, wanted, got) => t`${it} was refused: in this collection the field “${field}” has to be a ${wanted}, but it is ${got}. Correct the value, or add the file to another collection.`),
  duplicate_id: (message) => told(/id `(.*?)` occurs/s, message, (id) => t`Two of these files are called “${id}”. Rename one, and add them again.`),
  unknown_collection: (message) => told(/no collection `(.*?)`/s, message, (name) => t`There is no collection “${name}” any more. Choose another one.`),
  unknown_document: (message) => told(/(?:no document|the document) `(.*?)`/s, message, (id) => t`There is no document “${id}” in the library. It may have been removed.`),
  unknown_field: (message) => told(/no metadata field `(.*?)`/s, message, (field) => t`No document has the field “${field}” any more. Clear the filter, or choose another one.`),

  // The library and its storage
  storage_full: (message) => message.replace(/or ask the browser for more with `persist\(\)`\./, t("or ask the browser, under Storage, to keep the library.")),
  storage_unavailable: (message) => told(/no storage \((.*)\)\./s, message, (why) => t`This browser does not allow the page to store anything (${why}), as in some private windows. What you add is lost once the page is closed.`),
  read_only: () => t("Another tab is using the library: it is read-only here. Close the other tab, then reload this one."),
  closed: () => t("The library was closed. Reload this page."),
  library_in_use: () => t("The library is open in another tab. Close that tab, then try again."),
  library_too_large: (message) =>
    told(/about ([\d.]+) MB of memory .* is ([\d.]+) MB\./s, message, (needed, limit) => t`The library would need ${number(Number(needed))} MB of memory, and this page takes ${number(Number(limit))} MB at most on this device. Nothing was added. Remove documents, then try again.`),
  library_lost: () => t("The page’s search engine crashed, and its data in memory is lost. Reload the page, and add your files again."),
  library_corrupt: (message, { file }) =>
    told(/The library's file `(.*?)` is damaged: (.*?)\. Nothing was changed/s, message, (part, why) =>
      file ? t`${file} is damaged: ${why}. Nothing was changed. Export the library again.` : t`The library in this browser is damaged (its file ${part}: ${why}). Nothing was changed.`,
    ),
  library_newer: (message, { file }) =>
    told(/has format (\d+), .* up to (\d+)/s, message, (found, known) => t`${file ?? t("The library")} was written by a later version of this page (format ${found}; this one reads up to ${known}). Nothing was changed. Reload the page, then try again.`),
  embedder_mismatch: (message, { file }) =>
    told(/the embedder `(.*?)`, not by `(.*?)`/s, message, (found, own) => t`${file ?? t("The library")} was made with another search model, ${found}; this page has ${own}. Nothing was changed. Add the documents themselves.`),
  conversation_corrupt: (message) => told(/cannot be read: (.*)\. Nothing was changed/s, message, (why) => t`The stored conversation cannot be read: ${why}. Nothing was changed. “New conversation” starts another one.`),

  // The search engine and its model
  worker_failed: (message) =>
    /is not started again/.test(message)
      ? t("The page’s search engine crashed repeatedly, and has stopped. Saved data is kept. Reload the page to start it.")
      : t`The page’s search engine crashed, and restarts automatically: try again. (${message})`,
  module_unavailable: (message) => told(/^.*? from (.*?: .*?)\. Check/s, message, (from) => t`A part of this page could not be loaded from ${from}. Check whether you are online, and try again.`),
  model_unavailable: (message) =>
    told(/^(.*? could not be (?:loaded|read) from .*?)\. (?:Check|Try again)/s, message, (what) => t`A part of the search model is missing: ${what}. Check whether you are online, and try again.`),
  model_corrupt: (message) => told(/^The model at (.*?) is not usable: (.*)\. Fetch/s, message, (url, why) => t`The search model at ${url} cannot be used: ${why}. The download may be incomplete: reload the page to fetch it again.`),
  model_unfit: (message) =>
    told(/^The model at (.*?) does not fit its options: (.*)\. Name/s, message, (url, why) => t`The search model at ${url} is not the one that this page was made for: ${why}. The operator of this page has to correct this.`),
  tokenizer_invalid: (message) => told(/^The tokenizer at (.*?) is not a tokenizer\.json: (.*)\.$/s, message, (url, why) => t`A part of the search model, ${url}, cannot be read: ${why}. Reload the page to fetch it again.`),
  tokenizer_mismatch: (message) => told(/does not belong to the model: (.*)\. Use/s, message, (why) => t`The parts of the search model do not match: ${why}. The operator of this page has to correct this.`),
  embedder_failed: (message) => withoutSimd(message) ?? told(/^The embedder failed: (.*)$/s, message, (why) => t`The search model failed: ${why}`),
  embedder_loading: () => t("The search model is still being loaded, so this was searched by words alone. Ask again once it is loaded."),

  unsupported: (message) => withoutSimd(message) ?? message,

  // Asking
  aborted: () => t("The operation was stopped."),
  empty_question: () => t("The question is empty. Enter at least one letter or digit."),
  index_changed: () => t("The library has changed since this was stopped: passages that were found before may have been changed or removed. Ask again to search the current library."),
  invalid_state: () => t("This run cannot be continued, because another version of this page started it. Ask again."),
  budget_exhausted: (message) => told(/budget of `(.*?)`/s, message, (limit) => t`The budget ran out (${LIMITS[limit] ?? limit}). Allow more under Options, or ask for less.`),
  llm_failed: (message) => told(/^The LLM callback failed: (.*)$/s, message, (why) => why),
  // What the server says may end with a full stop of its own.
  llm_http: (message) => message.replace(/^The LLM endpoint/, t("The server of the language model")).replace(/(?<=[.!?…])\.(?= [^.]*\.$)/, ""),
  llm_cut_off: (message) => told(/cut off by the endpoint \((.*?)\)/s, message, (why) => t`The server of the language model cut off its reply (${why}). Raise its token limit, or ask for less.`),
  llm_reply: (message) =>
    told(/could not be used: (.*)\. Check/s, message, (what) => t`The reply of the language model could not be used: ${what}. Check its address and its name under Model; another model may do better.`),
  never_sent: (message) => /remote collection/.test(message) ? t("A collection elsewhere was not asked, because the question concerns private documents, which are searched on this device only.") : t("The language model was not asked, because this concerns private documents, which are searched and quoted on this device only."),
  send_denied: (message) => /remote collection/.test(message) ? t("You denied this search: the collection elsewhere was not asked.") : t("You denied this request: the language model was not asked."),
};

/** Names of budget limits. */
export const LIMITS = { llmCalls: t("model calls"), tokens: t("tokens"), ms: t("time"), toolCalls: t("searches") };

/** Codes whose own messages are shown: users of this page cannot cause them, or there is nothing to add. */
export const AS_IT_IS = [
  "dataset_invalid",
  "file_damaged",
  "file_not_utf8",
  "file_protected",
  "file_too_large",
  "file_unfinished",
  "file_unreadable",
  "filter_invalid",
  "filter_type",
  "folder_empty",
  "function_failed",
  "function_result",
  "host_failed",
  "internal",
  "invalid_argument",
  "manifest_invalid",
  "manifest_missing",
  "no_embedder",
  "offline",
  "part_damaged",
  "part_missing",
  "redirected",
  "remote_busy",
  "remote_collection",
  "remote_dimensions",
  "remote_failed",
  "remote_refused",
  "remote_reply",
  "remote_timeout",
  "remote_unavailable",
  "remote_unsupported",
  "remote_version",
  "storage_failed",
  "tool_denied",
  "unknown_operator",
  "vector_shape",
];

export const hasSentence = (code) => Object.hasOwn(SENTENCES, code);

/**
 * @param {any} error any object with a `message`, and a `code` if it is the package's
 * @param {{ file?: string }} [about] the file that it concerns, if the sentence is shown beside its name
 */
export function sentenceOf({ code, message }, { file } = {}) {
  const own = errorOf(code);
  if (own) return own;
  const [, id] = /^Document `(.*?)`(?: is| has|:)/s.exec(message) ?? [];
  return hasSentence(code ?? "") ? SENTENCES[code](message, { it: named(id, file), file }) : message;
}

/** The subject of a message: a file is identified by the name beside it, a row by its number. */
function named(id, file) {
  if (id === undefined || id === file) return t("It");
  return id.startsWith(`${file}#`) ? t`Record ${id.slice(file.length + 1)}` : t`“${id}”`;
}

/** The sentence for what needs instructions that the browser lacks; null for any other message. */
const withoutSimd = (message) =>
  / no SIMD .* vademecum-encoder/.test(message) ? t("Search by meaning needs instructions (SIMD) that this browser lacks. Chrome, Edge and Firefox have them, and Safari from version 16.4.") : null;

/** Messages for bytes that are not valid text: the engine reports the position and the likely format. */
function notText(message, { it }) {
  const [, place, hint = ""] = /is not UTF-8: (byte \d+) cannot be read(?: \((.*?)\))?\./.exec(message) ?? [];
  if (/PDF/.test(hint)) return t`${it} is a PDF. Restore its extension .pdf, and add it again.`;
  if (/zip archive/.test(hint)) return t`${it} is a zip archive. Unpack it, and add the files in it; for a Word document, restore its extension .docx.`;
  if (/binary/.test(hint)) return t`${it} is not text. Open it in the program that created it, save it as text or PDF, and add that file.`;
  return place ? t`${it} is not UTF-8: ${place} cannot be read${hint && ` (${hint})`}. Save it as UTF-8 and add it again.` : message;
}

const told = (pattern, message, write) => {
  const found = pattern.exec(message);
  return found ? write(...found.slice(1)) : message;
};
