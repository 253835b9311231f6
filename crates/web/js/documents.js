// Prepares users' documents for the engine.

import { isBlob } from "./blob.js";
import { invalid } from "./error.js";
import { DOCUMENT_INPUT } from "./generated/knowledge-base-table.js";
import { metadataOf } from "./json.js";
import { checked, shown } from "./options.js";

/** Returns one or several documents, checked, with `neverSend` moved into the metadata. */
export function readied(documents) {
  if (typeof documents !== "object" || documents === null || isBlob(documents)) {
    throw invalid("documents", "a document such as { id, text }, or an array of documents", shown(documents));
  }
  return (Array.isArray(documents) ? documents : [documents]).map((one, at) => {
    const name = `documents[${at}]`;
    if (isBlob(one)) throw invalid(name, "a document such as { id: file.name, bytes: file }", shown(one));
    if (typeof one !== "object" || one === null) throw invalid(name, "a document such as { id, text }", shown(one));
    const { neverSend, ...document } = checked(name, one, DOCUMENT_INPUT);
    DOCUMENT_INPUT.id(`${name}.id`, document.id);
    if (document.metadata) document.metadata = metadataOf(`${name}.metadata`, document.metadata);
    // `false` does not remove a mark in the metadata.
    return neverSend === true ? { ...document, metadata: { ...document.metadata, neverSend } } : document;
  });
}
