// What went wrong, in words for whoever uses this page. The package tells programs what to call; here is what a person can do, with
// the same facts.

import { number, size } from "./words.js";

const MB = 2 ** 20;

/** By the error's code: `(message, { it, file })`, where `it` is what the message is about. What does not fit stays as it is. */
const SENTENCES = {
  // Documents
  not_utf8: notText,
  empty_document: (_, { it }) => `${it} is empty: it holds no letter and no digit.`,
  document_too_large: (message, { it }) =>
    told(/has (\d+) bytes of text; the limit is (\d+)/, message, (bytes, limit) => `${it} has ${size(Number(bytes))} of text; up to ${number(limit / MB)} MB can be added. Split it into parts.`),
  metadata_type: (message, { it }) =>
    told(/the metadata field `(.*?)` is declared as (.*?), but holds (.*?)\. Mend/s, message, (field, wanted, got) => `${it} was refused: in this collection the field “${field}” has to be a ${wanted}, but it holds ${got}. Mend the value, or add the file to another collection.`),
  duplicate_id: (message) => told(/id `(.*?)` occurs/s, message, (id) => `Two of these files are called “${id}”. Rename one, and add them again.`),
  unknown_collection: (message) => told(/no collection `(.*?)`/s, message, (name) => `There is no collection “${name}” any more. Choose another one.`),
  unknown_document: (message) => told(/(?:no document|the document) `(.*?)`/s, message, (id) => `There is no document “${id}” in the library. It may have been removed.`),
  unknown_field: (message) => told(/no metadata field `(.*?)`/s, message, (field) => `No document has the field “${field}” any more. Clear the filter, or choose another one.`),

  // The library and where it is kept
  storage_full: (message) => message.replace(/or ask the browser for more with `persist\(\)`\./, "or ask the browser, under Storage, to keep the library."),
  storage_unavailable: (message) => told(/no storage \((.*)\)\./s, message, (why) => `This browser lets the page keep nothing (${why}), as in some private windows. What you add is gone once the page is closed.`),
  read_only: () => "Another tab has the library: here it can be read. Close the other tab, then reload this one.",
  closed: () => "The library was closed. Reload this page.",
  library_in_use: () => "The library is open in another tab. Close that tab, then try again.",
  library_lost: () => "The search engine of this page crashed, and what it held in memory is lost. Reload the page, and add your files again.",
  library_corrupt: (message, { file }) =>
    told(/The library's file `(.*?)` is damaged: (.*?)\. Nothing was changed/s, message, (part, why) =>
      file ? `${file} is damaged: ${why}. Nothing was changed. Export the library again where it is.` : `The library in this browser is damaged (its file ${part}: ${why}). Nothing was changed.`,
    ),
  library_newer: (message, { file }) =>
    told(/has format (\d+), .* up to (\d+)/s, message, (found, known) => `${file ?? "The library"} was written by a later version of this page (format ${found}; this one reads up to ${known}). Nothing was changed. Reload the page, then try again.`),
  embedder_mismatch: (message, { file }) =>
    told(/the embedder `(.*?)`, not by `(.*?)`/s, message, (found, own) => `${file ?? "The library"} was made with another search model, ${found}; this page has ${own}. Nothing was changed. Add the documents themselves.`),
  conversation_corrupt: (message) => told(/cannot be read: (.*)\. Nothing was changed/s, message, (why) => `The conversation that was kept cannot be read: ${why}. Nothing was changed. “New conversation” begins another one.`),

  // The search engine and its model
  worker_failed: (message) =>
    /is not started again/.test(message)
      ? "The search engine of this page crashed again and again, and has stopped. What was saved is kept. Reload the page to start it."
      : `The search engine of this page crashed at this, and is started again by itself: try it once more. (${message})`,
  module_unavailable: (message) => told(/^.*? from (.*?: .*?)\. Check/s, message, (from) => `A part of this page could not be loaded from ${from}. See whether you are online, and try again.`),
  model_unavailable: (message) =>
    told(/^(.*? could not be (?:loaded|read) from .*?)\. (?:Check|Try again)/s, message, (what) => `A part of the search model is missing: ${what}. See whether you are online, and try again.`),
  model_corrupt: (message) => told(/^The model at (.*?) is not a usable ONNX sentence encoder: (.*)\. Fetch/s, message, (url, why) => `The search model at ${url} cannot be used: ${why}. It may have been cut short on the way: reload the page to fetch it again.`),
  model_unfit: (message) =>
    told(/^The model at (.*?) does not fit its options: (.*)\. Name/s, message, (url, why) => `The search model at ${url} is not the one that this page was made for: ${why}. Whoever runs this page has to put the right one there.`),
  tokenizer_invalid: (message) => told(/^The tokenizer at (.*?) is not a tokenizer\.json: (.*)\.$/s, message, (url, why) => `A part of the search model, ${url}, cannot be read: ${why}. Reload the page to fetch it again.`),
  tokenizer_mismatch: (message) => told(/does not belong to the model: (.*)\. Use/s, message, (why) => `The parts of the search model do not belong together: ${why}. Whoever runs this page has to put the right ones there.`),
  embedder_failed: (message) => told(/^The embedder failed: (.*)$/s, message, (why) => `The search model failed: ${why}`),
  embedder_loading: () => "The search model is still being loaded, so this was searched by words alone. Ask again once it is there.",

  // Asking
  aborted: () => "This was stopped.",
  empty_question: () => "The question is empty. Ask something with at least one letter or digit in it.",
  index_changed: () => "The library has changed since this was stopped: passages that were found before may be gone, or say something else. Ask again to search what is there now.",
  invalid_state: () => "This cannot be gone on with: another version of this page began it. Ask again.",
  budget_exhausted: (message) => told(/budget of `(.*?)`/s, message, (limit) => `The budget ran out (${LIMITS[limit] ?? limit}). Allow more under Options, or ask for less.`),
  llm_failed: (message) => told(/^The LLM callback failed: (.*)$/s, message, (why) => why),
  llm_http: (message) => message.replace(/^The LLM endpoint/, "The server of the language model"),
  llm_cut_off: (message) => told(/cut off by the endpoint \((.*?)\)/s, message, (why) => `The server of the language model cut its reply off (${why}). Raise its limit of tokens, or ask for less.`),
  llm_reply: (message) =>
    told(/could not be used: (.*)\. Check/s, message, (what) => `The reply of the language model could not be used: ${what}. Check its address and its name under Model; another model may do better.`),
  never_sent: () => "The language model was not asked: this is about private documents, which are searched and quoted on this device alone.",
  send_denied: () => "You kept this request back: the language model was not asked.",
};

/** Parts of a budget. */
export const LIMITS = { llmCalls: "calls of the model", tokens: "tokens", ms: "time", toolCalls: "searches" };

/** Codes that are told in the package's own words: nothing that a person does here leads to them, or there is nothing to add. */
export const AS_IT_IS = [
  "dataset_invalid",
  "filter_invalid",
  "filter_type",
  "function_failed",
  "function_result",
  "internal",
  "invalid_argument",
  "no_embedder",
  "storage_failed",
  "tool_denied",
  "unknown_operator",
  "unsupported",
  "vector_shape",
];

export const hasSentence = (code) => Object.hasOwn(SENTENCES, code);

/**
 * @param {any} error anything with a `message`, and a `code` where it comes of the package
 * @param {{ file?: string }} [about] the file that it is about, where the sentence stands beside its name
 */
export function sentenceOf({ code, message }, { file } = {}) {
  const [, id] = /^Document `(.*?)`(?: is| has|:)/s.exec(message) ?? [];
  return hasSentence(code ?? "") ? SENTENCES[code](message, { it: named(id, file), file }) : message;
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
