// A remote collection over the HTTP API v2 of Chroma, with one request per search. Chroma compares vectors: words, quoted phrases
// aside, and conditions that it cannot express are left to the engine, which checks every hit again.

import { VademecumError } from "./error.js";
import { documentIdsOf, OWN, where } from "./chroma-where.js";
import { HttpClient } from "./http-client.js";
import { unlessAborted } from "./wait.js";

/** Number of passages that are asked for if conditions are checked here. */
const UNFILTERED = 400;
/** Number of passages per page of a document, where the server does not say. */
const PAGE = 1_000;
/** Milliseconds after which the collection is looked up again. */
const FRESH = 60_000;
/** Number of names in a message. */
const NAMED = 20;

const DISTANCES = {
  cosine: (distance) => 1 - distance,
  // Chroma's distance is the square, of vectors of length 1.
  l2: (distance) => 1 - distance / 2,
  ip: (distance) => 1 - distance,
};

export class Chroma {
  #http;
  #base;
  #options;
  /** @type {Promise<any> | null} */
  #collection = null;
  /** @type {Promise<number> | null} */
  #batch = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Fields that hold days, which may be asked for by numbers. */
  #dates;

  constructor({ url, tenant = "default_tenant", database = "default_database", ...options }) {
    const part = encodeURIComponent;
    this.#base = `/api/v2/tenants/${part(tenant)}/databases/${part(database)}/collections`;
    this.#options = options;
    this.#dates = new Set(Object.entries(options.schema ?? {}).flatMap(([field, type]) => (/^date/.test(String(type)) ? [field] : [])));
    this.#http = new HttpClient({ ...options, url, who: `The Chroma server at ${url}` });
  }

  async search({ query, vector, embedder, limit, filters, documents, threshold: _ }, { signal }) {
    if (!vector) throw new VademecumError("Chroma compares vectors alone: search in mode \"hybrid\" or \"vector\", with an embedder that is ready.", { code: "remote_unsupported" });
    const { reply, found } = await this.#known(signal, async (found) => {
      this.#fits(found, vector.length, embedder);
      const condition = where(filters, { ...found, dates: this.#dates });
      const restricted = documentIdsOf(documents, found);
      const body = {
        query_embeddings: [Array.from(vector)],
        n_results: condition.exact ? limit : Math.max(limit, UNFILTERED),
        include: ["documents", "metadatas", "distances"],
        ...(condition.where && { where: condition.where }),
        ...restricted.body(condition.where),
        ...phrases(query),
      };
      return { reply: await this.#post(`${this.#base}/${found.id}/query`, body, signal), found: { ...found, exact: condition.exact } };
    });
    return { hits: hitsOf(reply, found), ...(!found.exact && { unfiltered: true }) };
  }

  /** Returns the documents with these ids, each with its passages. */
  async get(ids, { signal }) {
    const documents = [];
    for (const id of ids) {
      const rows = await this.#rows(id, signal);
      if (rows.length > 0) documents.push(documentOf(id, rows));
    }
    return documents;
  }

  async #rows(id, signal) {
    const limit = await this.#batchSize(signal);
    const rows = [];
    for (;;) {
      const page = await this.#known(signal, async (found) => {
        const own = found.isOwn ? { where: { [`${OWN}docId`]: id } } : { ids: [id] };
        const body = { ...own, limit, offset: rows.length, include: ["documents", "metadatas"] };
        return rowsOf(await this.#post(`${this.#base}/${found.id}/get`, body, signal));
      });
      rows.push(...page);
      if (page.length < limit) return rows.sort((one, other) => one.ordinal - other.ordinal);
    }
  }

  /** Calls `use` with the collection; once more if it was deleted and made again since it was looked up. */
  async #known(signal, use) {
    const was = this.#collection;
    try {
      return await use(await this.#find(signal));
    } catch (error) {
      if (error.code !== "remote_collection" || !was) throw error;
      this.#collection = null;
      return use(await this.#find(signal));
    }
  }

  /** Searches at one time share what they look up, so it does not end with one of them. It is looked up again after a while, since `push` may add fields. */
  #find(signal) {
    if (performance.now() - this.#lookedAt > FRESH) this.#collection = null;
    if (!this.#collection) {
      this.#lookedAt = performance.now();
      const looking = this.#look(new AbortController().signal);
      this.#collection = looking;
      looking.catch(() => {
        if (this.#collection === looking) this.#collection = null;
      });
    }
    return unlessAborted(signal, this.#collection);
  }

  async #look(signal) {
    const { collection } = this.#options;
    const found = await this.#http.json("GET", `${this.#base}/${encodeURIComponent(collection)}`, undefined, signal, (status, body) => this.#refused(status, body, signal));
    if (typeof found?.id !== "string") throw this.#http.unusable("a collection with an `id`");
    const configuration = found.configuration_json ?? {};
    const space = configuration.hnsw?.space ?? configuration.spann?.space ?? found.metadata?.["hnsw:space"] ?? "l2";
    if (!Object.hasOwn(DISTANCES, space)) throw this.#http.unusable("a space of cosine, l2 or ip");
    const metadata = found.metadata ?? {};
    const indirect = String(metadata[`${OWN}indirect`] ?? "").split("\n").filter(Boolean);
    return { id: found.id, space, dimension: found.dimension ?? null, metadata, indirect: new Set(indirect), isOwn: `${OWN}embedder` in metadata };
  }

  #batchSize(signal) {
    if (!this.#batch) {
      const asking = this.#http
        .json("GET", "/api/v2/pre-flight-checks", undefined, new AbortController().signal)
        .then((checks) => (Number.isInteger(checks?.max_batch_size) && checks.max_batch_size > 0 ? Math.min(checks.max_batch_size, PAGE) : PAGE));
      this.#batch = asking;
      asking.catch(() => (this.#batch = null));
    }
    return unlessAborted(signal, this.#batch);
  }

  #fits({ dimension, metadata }, length, embedder) {
    const name = this.#options.collection;
    if (dimension !== null && dimension !== length) throw dimensions(name, dimension, length);
    const made = metadata[`${OWN}embedder`];
    if (embedder && made && made !== embedder) {
      const message = `The vectors of the Chroma collection \`${name}\` were made by the embedder \`${made}\`, and the question's by \`${embedder}\`. Open the library with that embedder, or push it again with this one.`;
      throw new VademecumError(message, { code: "embedder_mismatch" });
    }
  }

  #post(path, body, signal) {
    return this.#http.json("POST", path, body, signal, (status, answer) => this.#refused(status, answer, signal));
  }

  /** Returns the error for a refusal by the server. */
  async #refused(status, body, signal) {
    const { collection } = this.#options;
    const said = typeof body?.message === "string" ? body.message : "";
    const [, wanted, got] = /dimension of (\d+), got (\d+)/.exec(said) ?? [];
    if (wanted) return dimensions(collection, Number(wanted), Number(got));
    if (status === 410 || (status === 404 && body === null)) return this.#version(status);
    if (status === 404 || body?.error === "NotFoundError") {
      this.#collection = null;
      const names = await this.#names(signal).catch(() => "unknown");
      return new VademecumError(`The Chroma server has no collection \`${collection}\`; there are: ${names}. Check its name, tenant and database, or fill it by \`vademecum push\`.`, { code: "remote_collection" });
    }
    return null;
  }

  async #names(signal) {
    const all = await this.#http.json("GET", `${this.#base}?limit=${NAMED}`, undefined, signal);
    return all.map(({ name }) => name).join(", ") || "none";
  }

  #version(status) {
    return new VademecumError(`The server at ${this.#http.url} has no HTTP API v2 of Chroma (it answered ${status}). Chroma 1.5 or later has; check the address, which is without /api.`, { code: "remote_version" });
  }
}

const dimensions = (name, wanted, got) =>
  new VademecumError(`The Chroma collection \`${name}\` has vectors of ${wanted} dimensions, and the question's has ${got}. Open the library with the embedder that made the collection's.`, { code: "remote_dimensions" });

/** Quoted phrases have to be in the text, in the same letters. */
function phrases(query) {
  const quoted = [...(query ?? "").matchAll(/"([^"]*[\p{L}\p{N}][^"]*)"/gu)].map(([, phrase]) => ({ $contains: phrase }));
  if (quoted.length === 0) return {};
  return { where_document: quoted.length === 1 ? quoted[0] : { $and: quoted } };
}

/** Returns the hits of a reply, whose lists must belong together. */
function hitsOf(reply, { space, isOwn }) {
  const list = (name) => {
    const [one, ...more] = Array.isArray(reply?.[name]) ? reply[name] : [];
    if (!Array.isArray(one) || more.length > 0) throw unusable(name, "a list with one list");
    return one;
  };
  const [ids, distances, documents, metadatas] = ["ids", "distances", "documents", "metadatas"].map(list);
  for (const [name, one] of Object.entries({ distances, documents, metadatas })) {
    if (one.length !== ids.length) throw unusable(`${name}[0]`, `as long as \`ids[0]\`, ${ids.length}, and has ${one.length}`);
  }
  return ids.map((id, at) => {
    const distance = distances[at];
    const cosine = Number.isFinite(distance) ? DISTANCES[space](distance) : Number.NaN;
    if (!(Math.abs(cosine) <= 1.001)) throw unusable(`distances[0][${at}]`, `a distance in the space ${space} of vectors of length 1`);
    return { ...passageOf(id, documents[at], metadatas[at], isOwn, `[0][${at}]`), vector: Math.max(-1, Math.min(1, cosine)) };
  });
}

function rowsOf(reply) {
  const list = (name) => {
    if (!Array.isArray(reply?.[name])) throw unusable(name, "a list");
    return reply[name];
  };
  const [ids, documents, metadatas] = ["ids", "documents", "metadatas"].map(list);
  if (documents.length !== ids.length || metadatas.length !== ids.length) throw unusable("documents", `as long as \`ids\`, ${ids.length}`);
  return ids.map((id, at) => ({ ordinal: 0, ...passageOf(id, documents[at], metadatas[at], true, `[${at}]`) }));
}

/** Returns a passage with what `vademecum push` wrote of it. */
function passageOf(id, text, given, isOwn, where) {
  if (typeof id !== "string") throw unusable(`ids${where}`, "a string");
  if (typeof text !== "string") throw unusable(`documents${where}`, "a text: add the passages' texts to the collection");
  const metadata = given ?? {};
  if (typeof metadata !== "object" || Array.isArray(metadata)) throw unusable(`metadatas${where}`, "an object");
  if (!(`${OWN}docId` in metadata)) {
    const known = (name) => (typeof metadata[name] === "string" ? metadata[name] : null);
    return { id, text, title: known("title"), url: known("url"), metadata };
  }
  const own = (name) => metadata[`${OWN}${name}`] ?? null;
  const parsed = (name, otherwise) => {
    try {
      return own(name) === null ? otherwise : JSON.parse(own(name));
    } catch {
      throw unusable(`metadatas${where}["${OWN}${name}"]`, "JSON");
    }
  };
  const rest = Object.fromEntries(Object.entries(metadata).filter(([name]) => !name.startsWith(OWN)));
  return {
    id,
    docId: own("docId"),
    ordinal: own("ordinal"),
    text,
    title: own("title"),
    url: own("url"),
    headings: parsed("headings", []),
    page: own("page"),
    metadata: { ...rest, ...parsed("json", {}) },
  };
}

function documentOf(id, passages) {
  const [{ title, url, metadata }] = passages;
  return { id, title, url, metadata, passages: passages.map(({ metadata: _, ...passage }) => passage) };
}

const unusable = (path, expected) => new VademecumError(`The reply of the Chroma server cannot be used: \`${path}\` must be ${expected}.`, { code: "remote_reply" });

