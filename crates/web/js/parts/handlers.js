// The reader's side of the channel: the library, its source, and what is stored of it.

import { timed } from "../remaining.js";
import { ending } from "../traps.js";
import { openCache } from "./cache.js";
import { damaged, embedderMismatch, MANIFEST, manifestInvalid, noVectors, notKept, PART } from "./errors.js";
import { forgetKept, openKept } from "./kept.js";
import { MemoryCache } from "./memory-cache.js";
import { Pauses } from "./pauses.js";
import { request } from "./request.js";
import { PartSource } from "./source.js";

/** Milliseconds before a missing part makes the manifest be looked at again. */
const RENEWAL = 30_000;
/** Share of the memory that the reader has, where the rest is a cache in memory. */
const OF_THE_READER = 0.75;

/** @param modules `{ words, all }` of `parts-module.js` */
export function partsHandlers({ words, all }) {
  /** @type {any} */
  let options;
  /** @type {PartSource} */
  let source;
  /** @type {any} */
  let cache = null;
  /** @type {any} */
  let kept = null;
  /** The library as of its manifest. @type {{ reader: any, bytes: Uint8Array, manifest: any, isStale: boolean }} */
  let current;
  /** The class of readers: that of the small module, until more than that is asked for. */
  let Reader = words.PartsReader;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  /** The reader that reads ahead. @type {any} */
  let preloading = null;
  const pauses = new Pauses();

  const addressOf = (part) => new URL(`${part}.bin`, options.parts).href;

  /** Returns the manifest of the host; where that is not reached, the one that is stored. */
  async function readManifest(signal) {
    const { url, timeout } = options;
    try {
      const { bytes } = await request({ file: { ...MANIFEST, url }, mode: "no-cache", timeout, signal });
      if (!/^\s*\{/.test(new TextDecoder().decode(bytes.subarray(0, 100)))) throw manifestInvalid(url, "it does not begin as an object of JSON");
      return { bytes, isStale: false };
    } catch (error) {
      if (!["offline", "host_failed"].includes(error.code)) throw error;
      const stored = (await kept?.manifest()) ?? (await cache?.readManifest(url));
      if (!stored) throw error;
      return { bytes: stored, isStale: true };
    }
  }

  async function use({ bytes, isStale }) {
    const memory = cache instanceof MemoryCache ? options.maxMemory * OF_THE_READER : options.maxMemory;
    let reader = new Reader(bytes, port, memory);
    // Checked by the reader, which was given it first.
    const { languages } = JSON.parse(new TextDecoder().decode(bytes));
    if (isSmall() && !languages.every((language) => ["english", "other"].includes(language))) {
      Reader = await all();
      reader.free();
      reader = new Reader(bytes, port, memory);
    }
    current?.reader.free();
    current = { reader, bytes, manifest: JSON.parse(new TextDecoder().decode(bytes)), isStale };
    if (!isStale) void cache?.writeManifest(options.url, bytes);
    void preload();
  }

  /** Reads what most questions need of a library that is kept as a whole, in steps while no question is asked. */
  const preload = ending(async () => {
    const { reader, bytes } = current;
    if (isSmall() || preloading === reader) return;
    preloading = reader;
    try {
      // The manifest is written when all parts are kept.
      const whole = await kept?.manifest();
      if (!whole || !equal(whole, bytes)) return;
      do await pauses.next();
      while (!isClosed && reader === current.reader && JSON.parse(await reader.preload()));
    } catch (thrown) {
      // What cannot be read is reported by the questions that need it.
      if (thrown instanceof WebAssembly.RuntimeError) throw thrown;
    } finally {
      if (preloading === reader) preloading = null;
    }
  });

  const isSmall = () => Reader === words.PartsReader;

  /** Goes on with the module that reads everything. */
  async function enlarge() {
    const Larger = await all();
    if (!isSmall()) return;
    Reader = Larger;
    await use(current);
  }

  /** Returns the class that reads everything, for a library that is kept: that has fetched its module, and to go on with it after the first question
   *  that needs it would lose all blocks in memory. Null where it cannot be had, or the library is not kept. */
  const forKept = () => (kept?.size.parts > 0 ? all().catch(() => null) : null);

  /** The port of the reader. */
  const port = {
    read: (part, start, end, isFresh, signal) => source.read(part, start, end, { isFresh, signal }),
    atHand: (part, start, bytes) => source.atHand(part, start, bytes),
  };

  /** Opens the library anew if its manifest has changed; returns whether it has. */
  async function renew(signal) {
    const found = await readManifest(signal);
    if (found.isStale || equal(found.bytes, current.bytes)) {
      current.isStale = found.isStale;
      return false;
    }
    await use(found);
    return true;
  }

  /** Whether the library was published again since `asked` was read: its former parts may be gone then. */
  async function isRenewed(asked, signal) {
    if (asked !== current) return true;
    if (performance.now() - renewedAt < RENEWAL) return false;
    renewedAt = performance.now();
    return renew(signal).catch(() => false);
  }

  /** Asks the library, which answers by JSON; once more where parts are gone because it was published again. Returns the JSON, which the page parses: to
   *  copy objects to it takes longer. */
  const answered = (ask, signal) =>
    pauses.during(async () => {
      const asked = current;
      try {
        const answer = await ask(asked.reader);
        if (!isIncomplete(answer) || !(await isRenewed(asked, signal))) return answer;
      } catch (error) {
        if (error.code !== "part_missing" || !(await isRenewed(asked, signal))) throw error;
      }
      return ask(current.reader);
    });

  /** Returns the error of vectors by the embedder `by`, or null where they can be compared with the library's. */
  function unfit(by) {
    const { embedder } = current.manifest;
    if (!embedder) return noVectors();
    return by === undefined || by === embedder.id ? null : embedderMismatch(embedder.id, by);
  }

  return {
    /** `compiled` is the reader's module, if the page has compiled it. Returns the library's embedder. */
    async open({ compiled, ...given }, { signal }) {
      options = given;
      const { url, cache: stored, timeout, maxMemory } = options;
      const starting = words.start(compiled);
      starting.catch(() => {}); // reported below
      [kept, cache] = await Promise.all([openKept(url), stored ? openCache(stored.bytes) : null]);
      cache ??= stored ? new MemoryCache(maxMemory * (1 - OF_THE_READER)) : null;
      source = new PartSource({ addressOf, timeout, cache });
      if (kept) source.useKept(kept);
      const [found, larger] = await Promise.all([readManifest(signal), forKept(), starting]);
      Reader = larger ?? Reader;
      await use(found);
      return { embedder: current.manifest.embedder ?? null };
    },
    /** `vector` is of the embedder `by`, or, without that, the caller's own. */
    async search({ request, vector, by }, { signal }) {
      const wrong = vector && unfit(by);
      if (wrong && (request.mode === "vector" || by === undefined)) throw wrong;
      const own = wrong ? undefined : vector;
      if (isSmall() && (own || isLarge(request))) await enlarge();
      const { query, limit = 10, prefix = false, typos = false } = request;
      const text = JSON.stringify(request);
      const ask = (reader) => (isSmall() ? reader.search(query, limit, prefix, typos, signal) : reader.search(text, own, signal));
      const json = await answered(ask, signal);
      return wrong ? { json, degraded: { code: wrong.code, message: wrong.message } } : { json };
    },
    async document({ collection, id }, { signal }) {
      if (isSmall()) await enlarge();
      return answered((reader) => reader.document(collection, id, signal), signal);
    },
    refresh: (_, { signal }) => renew(signal),
    async stats() {
      const { manifest, reader, isStale } = current;
      const { fingerprint, documents, chunks, vectors, collections, embedder } = manifest;
      return {
        url: options.url,
        fingerprint,
        stale: isStale,
        documents,
        chunks,
        embedded: vectors,
        collections,
        embedder: embedder ?? null,
        memory: reader.memory(),
        cache: (await cache?.stats()) ?? null,
        kept: kept?.size.parts > 0 ? kept.size : null,
        fetched: { ...source.counts },
      };
    },
    async keep(_, { signal, emit }) {
      if (!kept) throw notKept();
      await renew(signal).catch((error) => {
        // What is missing cannot be fetched without the host; what is here may be all.
        if (!["offline", "host_failed"].includes(error.code)) throw error;
      });
      if (isSmall()) await enlarge();
      const { reader, bytes } = current;
      const tell = timed(emit);
      await kept.keep({
        parts: JSON.parse(await reader.parts(signal)),
        manifest: bytes,
        fetchPart: (name, how) => source.whole(name, how),
        damaged: (name) => damaged({ ...PART, url: addressOf(name) }, "its hash is not its name"),
        signal,
        onProgress: (progress) => tell({ phase: "keep", ...progress }),
      });
      void preload();
    },
    async forget() {
      if (kept) await kept.forget();
      else await forgetKept(options.url).catch(() => {}); // there is nothing where nothing can be kept
    },
    async close() {
      isClosed = true;
      await source?.close();
      current?.reader.free();
    },
  };
}

/** Whether a search needs the module that reads everything. */
const isLarge = ({ query, mode, collections, documents, filters, strictPhrases }) =>
  mode === "vector" || query.includes('"') || Boolean(collections || documents || filters || strictPhrases);

/** Whether parts are said to be missing by an answer. */
const isIncomplete = (json) => json.includes('"part_missing"') && Boolean(JSON.parse(json).missing?.some(({ code }) => code === "part_missing"));

const equal = (a, b) => a.length === b.length && a.every((byte, at) => byte === b[at]);
