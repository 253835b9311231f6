// Documents as users give them, made ready for the engine.

import { checkPlain, invalid } from "./error.js";
import { shown } from "./options.js";

/** Checked, with the mark `neverSend` among the metadata. What is no list is left for the engine to refuse. */
export function readied(documents) {
  if (!Array.isArray(documents)) return documents;
  return documents.map((one) => {
    checkPlain(`metadata of document \`${one?.id}\``, one?.metadata);
    if (typeof one !== "object" || one === null || !Object.hasOwn(one, "neverSend")) return one;
    const { neverSend, ...document } = one;
    if (neverSend !== undefined && neverSend !== null && typeof neverSend !== "boolean") {
      throw invalid(`neverSend of document \`${one.id}\``, "true or false", shown(neverSend));
    }
    // `false` takes no mark away that the metadata has.
    return neverSend === true ? { ...document, metadata: { ...document.metadata, neverSend } } : document;
  });
}
