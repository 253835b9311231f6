// Prepares users' documents for the engine.

import { isBlob, tagOf } from "./blob.js";
import { invalid } from "./error.js";
import { metadataOf, wellFormed } from "./json.js";
import { checked, flag, list, oneOf, shown, string, text } from "./options.js";

/** Returns binary data as a `Uint8Array`, or as a `Blob` that is read later. */
export function bytes(name, value) {
  const tag = tagOf(value);
  if (tag === "Uint8Array" || tag === "Blob" || tag === "File") return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (tag === "ArrayBuffer" || tag === "SharedArrayBuffer") return new Uint8Array(value);
  throw invalid(name, "a Uint8Array, an ArrayBuffer, a Blob or a File", shown(value));
}

function metadata(name, value) {
  if (typeof value !== "object" || Array.isArray(value)) throw invalid(name, "an object", shown(value));
  return value;
}

const DOCUMENT = {
  id: wellFormed(text),
  title: wellFormed(string),
  url: wellFormed(string),
  text: string,
  bytes,
  pages: list("strings", string),
  format: oneOf("text", "markdown", "html"),
  metadata,
  summary: wellFormed(text),
  neverSend: flag,
};

/** Returns one or several documents, checked, with `neverSend` moved into the metadata. */
export function readied(documents) {
  if (typeof documents !== "object" || documents === null || isBlob(documents)) {
    throw invalid("documents", "a document such as { id, text }, or an array of documents", shown(documents));
  }
  return (Array.isArray(documents) ? documents : [documents]).map((one, at) => {
    const name = `documents[${at}]`;
    if (isBlob(one)) throw invalid(name, "a document such as { id: file.name, bytes: file }", shown(one));
    if (typeof one !== "object" || one === null) throw invalid(name, "a document such as { id, text }", shown(one));
    const { neverSend, ...document } = checked(name, one, DOCUMENT);
    DOCUMENT.id(`${name}.id`, document.id);
    if (document.metadata) document.metadata = metadataOf(`${name}.metadata`, document.metadata);
    // `false` does not remove a mark in the metadata.
    return neverSend === true ? { ...document, metadata: { ...document.metadata, neverSend } } : document;
  });
}
