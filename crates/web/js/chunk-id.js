// Chunk ids: `collection/document#ordinal`, with `%` and `/` percent-encoded in the collection's name.

const ID = /^((?:[^%/]|%25|%2F)*)\/(.*)#(0|[1-9]\d*)$/s;

/** Returns `{ collection, docId, ordinal }` of a chunk id, or null for anything else. */
export function parseChunkId(id) {
  const [, collection, docId, ordinal] = ID.exec(id) ?? [];
  if (ordinal === undefined) return null;
  return { collection: collection.replaceAll("%2F", "/").replaceAll("%25", "%"), docId, ordinal: Number(ordinal) };
}
