// The passages of a run as they were when it found them. The library may have changed since: what is gone is said to be gone.

const GONE = new Set(["unknown_document", "unknown_collection"]);

/** The passages that a run's record holds, by their ids. */
export function keptOf({ result, found }) {
  const { results = [], evidence = [], contextUsed = [] } = result ?? {};
  const hits = [...(found?.hits ?? []), ...results.flatMap(({ chunks }) => chunks), ...evidence, ...contextUsed];
  return new Map(hits.map((hit) => [hit.id, hit]));
}

export const keyOf = ({ collection, docId }) => JSON.stringify([collection, docId]);

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
