// A library in parts as a remote collection of a knowledge base: searched together with its own collections.

import { VademecumError } from "../error.js";
import { parseChunkId } from "../chunk-id.js";

/** Returns the library as a `RemoteCollection`. Nothing that is asked leaves the device, but its host sees which parts are read. */
export async function collectionOf(library) {
  const { collections, embedder } = await library.stats();
  const filled = collections.filter(({ documents }) => documents > 0);
  const only = filled.length === 1 ? filled[0].name : null;
  /** Documents of several collections are told apart by their collection. */
  const outer = (collection, id) => (only === null ? `${collection}/${id}` : id);
  const described = filled.map(({ description }) => description).filter(Boolean);

  const passage = ({ id, docId, collection, text, title, url, headings, page, span, metadata }) => ({
    id,
    docId: outer(collection, docId),
    ordinal: parseChunkId(id)?.ordinal,
    text,
    title,
    url,
    headings,
    page,
    span,
    metadata,
  });

  return {
    description: described.length > 0 ? described.join("; ") : undefined,
    embedder: embedder?.id ?? null,
    leaves: null,
    async search({ query, vector, limit, filters, mode, threshold, documents }, { signal }) {
      // Without its vector, a question is searched for by words.
      const isByWords = vector === null || embedder === null;
      if (isByWords && mode === "vector") {
        throw new VademecumError("This library in parts has no vectors, or the question has none: search in mode \"hybrid\" or \"keyword\".", { code: "remote_unsupported" });
      }
      const inner = documents && only === null ? documents.flatMap((id) => filled.flatMap(({ name }) => (id.startsWith(`${name}/`) ? [id.slice(name.length + 1)] : []))) : documents;
      const asked = { limit, threshold, signal, mode: isByWords ? "keyword" : mode, ...(filters && { filters }), ...(inner && { documents: inner }) };
      const found = await library.search(query, isByWords ? asked : { ...asked, vector });
      const { total, missing } = found;
      // A document of the same id in another of its collections was not asked for.
      const hits = documents ? found.hits.filter(({ collection, docId }) => documents.includes(outer(collection, docId))) : found.hits;
      if (hits.length === 0 && missing?.length > 0) {
        const [{ code, message }] = missing;
        throw new VademecumError(message, { code, retryable: true });
      }
      const [lacking] = missing ?? [];
      return {
        hits: hits.map((hit) => ({ ...passage(hit), keyword: hit.explain.keyword?.score, vector: hit.explain.vector?.score })),
        total,
        ...(lacking && { missing: { code: lacking.code, message: lacking.message } }),
      };
    },
    async get(ids) {
      const found = await Promise.all(ids.map((id) => documentOf(library, filled, only, id)));
      return found.flatMap((one) => {
        if (one === null) return [];
        const { id, title, url, metadata, chunks } = one;
        return [{ id, title, url, metadata, passages: chunks.map(passage) }];
      });
    },
  };
}

/** Returns a document by the id that it has in the knowledge base, or null. */
async function documentOf(library, filled, only, id) {
  for (const { name } of filled) {
    if (only === null && !id.startsWith(`${name}/`)) continue;
    try {
      return { ...(await library.document(name, only === null ? id.slice(name.length + 1) : id)), id };
    } catch (error) {
      if (error.code !== "unknown_document") throw error;
    }
  }
  return null;
}
