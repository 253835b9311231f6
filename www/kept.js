// The passages of a run as they were when it found them. The library may have changed since: what is gone is said to be gone.

import { parseChunkId } from "./vademecum/index.js";

const GONE = new Set(["unknown_document", "unknown_collection"]);

/** The passages that a run's record holds, by their ids. */
export function keptOf({ result, found }) {
  const { results = [], evidence = [], contextUsed = [] } = result ?? {};
  const hits = [...(found?.hits ?? []), ...results.flatMap(({ chunks }) => chunks), ...evidence, ...contextUsed];
  return new Map(hits.map((hit) => [hit.id, hit]));
}

export const keyOf = ({ collection, docId }) => JSON.stringify([collection, docId]);

/** Whether a run has found a passage, as far as it has come, of one of the documents `ids` that is not in the library any more. */
export async function hasLost(kb, record, ids) {
  const removed = new Set(ids);
  const { collections } = await kb.stats();
  const names = new Set(collections.map(({ name }) => name));
  // Of a run that has not ended there are its events, which name passages by their ids.
  const found = record.events.flatMap(({ call }) => (Array.isArray(call?.result?.chunks) ? call.result.chunks : []));
  const places = [...keptOf(record).keys(), ...found].map(parseChunkId).filter((place) => place && names.has(place.collection) && removed.has(place.docId));
  return (await goneOf(kb, places)).size > 0;
}

/** Which documents of these passages are not in the library any more: their keys. */
export async function goneOf(kb, passages) {
  const documents = [...new Map([...passages].map((passage) => [keyOf(passage), passage]))];
  const looked = await Promise.all(documents.map(async ([key, place]) => ((await documentAt(kb, place)) ? null : key)));
  return new Set(looked.filter(Boolean));
}

/** A document, or null where it is not in the library any more. */
export async function documentAt(kb, { collection, docId }) {
  try {
    return await kb.document(collection, docId);
  } catch (error) {
    if (GONE.has(error.code)) return null;
    throw error;
  }
}
