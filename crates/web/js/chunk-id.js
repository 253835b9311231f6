// Ids of chunks: `collection/document#ordinal`, with `%` and `/` percent-encoded in the collection's name.

const ID = /^((?:[^%/]|%25|%2F)*)\/(.*)#(0|[1-9]\d*)$/s;

/** `{ collection, docId, ordinal }` of the chunk with this id; null where no chunk has such an id. */
export function parseChunkId(id) {
  const [, collection, docId, ordinal] = ID.exec(id) ?? [];
  if (ordinal === undefined) return null;
  return { collection: collection.replaceAll("%2F", "/").replaceAll("%25", "%"), docId, ordinal: Number(ordinal) };
}
