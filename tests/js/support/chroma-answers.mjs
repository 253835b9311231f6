// Answers of a Chroma server with one collection of two passages, for a scripted server.

export const HOME = "/api/v2/tenants/default_tenant/databases/default_database/collections";
export const COLLECTION = { id: "c-1", name: "notes", configuration_json: { hnsw: { space: "cosine" } }, metadata: { "vademecum:embedder": "mini" }, dimension: 2 };
export const FOUND = {
  ids: [["notes/a#0", "notes/b#1"]],
  distances: [[0.1, 0.4]],
  documents: [["The tide.", "The moon."]],
  metadatas: [[{ "vademecum:docId": "a", "vademecum:ordinal": 0, year: 2023 }, { "vademecum:docId": "b", "vademecum:ordinal": 1, "vademecum:headings": "[\"Sky\"]", "vademecum:json": "{\"at\":{\"place\":1}}" }]],
};
/** A search for vectors alone. */
export const ASKED = { query: null, vector: new Float32Array([1, 0]), embedder: "mini", limit: 2, filters: null, mode: "vector", threshold: 0, documents: null };

/** Answers as Chroma does, but for what `other` answers. */
export const chroma = (other = (_) => /** @type {any} */ (undefined)) => (request) => {
  const own = other(request);
  if (own !== undefined) return own;
  if (request.path === `${HOME}/notes`) return { json: COLLECTION };
  if (request.path === "/api/v2/pre-flight-checks") return { json: { max_batch_size: 2 } };
  if (request.path.startsWith(`${HOME}?`)) return { json: [{ name: "letters" }, { name: "minutes" }] };
  if (request.path === `${HOME}/c-1/query`) return { json: FOUND };
  return { status: 404, json: { error: "NotFoundError", message: "Not found" } };
};
