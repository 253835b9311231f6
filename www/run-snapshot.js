// The passages of a run as they were found. The library may have changed since: this reports what was removed.

import { parseChunkId } from "./vademecum/index.js";

const GONE = new Set(["unknown_document", "unknown_collection"]);

/** Returns the passages in a run's record, by id. */
export function snapshotOf({ result, found }) {
  const { results = [], evidence = [], contextUsed = [] } = result ?? {};
  const hits = [...(found?.hits ?? []), ...results.flatMap(({ chunks }) => chunks), ...evidence, ...contextUsed];
  return new Map(hits.map((hit) => [hit.id, hit]));
}

export const keyOf = ({ collection, docId }) => JSON.stringify([collection, docId]);

/** Returns whether a run, even an unfinished one, has found a passage of the documents `ids` that is no longer in the library. */
export async function hasRemovedPassages(kb, record, ids) {
  const removed = new Set(ids);
  const { collections } = await kb.stats();
  const names = new Set(collections.map(({ name }) => name));
  // Of an unfinished run there are only events, which refer to passages by id.
  const found = record.events.flatMap(({ call }) => (Array.isArray(call?.result?.chunks) ? call.result.chunks : []));
  const places = [...snapshotOf(record).keys(), ...found].map(parseChunkId).filter((place) => place && names.has(place.collection) && removed.has(place.docId));
  return (await removedFrom(kb, places)).size > 0;
}

/** Returns the keys of the documents of these passages that are no longer in the library. */
export async function removedFrom(kb, passages) {
  const documents = [...new Map([...passages].map((passage) => [keyOf(passage), passage]))];
  const looked = await Promise.all(documents.map(async ([key, place]) => ((await documentAt(kb, place)) ? null : key)));
  return new Set(looked.filter(Boolean));
}

/** Returns a document, or null if it is no longer in the library. */
export async function documentAt(kb, { collection, docId }) {
  try {
    return await kb.document(collection, docId);
  } catch (error) {
    if (GONE.has(error.code)) return null;
    throw error;
  }
}
