// A library in parts, of the public API: over a channel to its reader, with an embedder of questions beside it.

import { invalid, VademecumError } from "../error.js";
import { ATTACH_DEFAULTS, ATTACH_OPTIONS, ATTACHED_SEARCH_OPTIONS, WORK_OPTIONS } from "../generated/parts-table.js";
import { here } from "../here.js";
import { checkNames } from "../json.js";
import { checked, shown, string } from "../options.js";
import { bound, plain } from "../plain.js";
import { closedLibrary, embedderMismatch } from "./errors.js";
import { unit } from "./kinds.js";

const CACHE = { bytes: 100e6 };
const DEFAULT = "default";
const OURS = Symbol("AttachedLibrary");
const NOT_BY_NEW = "An AttachedLibrary is made by `await attach(url)`, not by `new`.";
/** End of the id of a model that is not loaded yet: how it is pooled may be published beside it. */
const UNSETTLED = " pooling=?";
/** Crashes of the reader in a library's life, after which it is not started again. */
const CRASHES = 3;

export class AttachedLibrary {
  #connect;
  #own;
  /** What the reader is opened with. */
  #options;
  /** The channel to the reader, once it is open; null after a crash. @type {Promise<any> | null} */
  #reader = null;
  #crashes = 0;
  /** @type {Error | null} */
  #over = null; // why it answers no more
  /** The embedder by which the library was built. @type {{ id: string, dimensions: number } | null} */
  #builtBy = null;
  /** @type {any} */
  #embedder = null; // once its code is loaded
  #embedderId = "";
  /** Loads its code. @type {(() => Promise<any>) | null} */
  #makeEmbedder = null;
  /** @type {Promise<any> | null} */
  #making = null;

  constructor(from, connect, own, options) {
    if (from !== OURS) throw new VademecumError(NOT_BY_NEW, { code: "invalid_argument" });
    [this.#connect, this.#own, this.#options] = [connect, own, options];
    bound(this);
  }

  /**
   * @param {(runsInWorker: boolean) => Promise<any>} connecting how the reader is started
   * @param {(type: string) => Promise<(description: any, own: any, settle: (id: string) => void) => any>} embedding loads what an embedder needs
   */
  static async attach(connecting, embedding, url, options) {
    if (typeof url !== "string" && !(url instanceof URL)) throw invalid("url", "the address of a `manifest.json`", shown(url));
    const { signal, embedder, onProgress, worker, workers, ...given } = { ...ATTACH_DEFAULTS, ...checked("attach", options, ATTACH_OPTIONS) };
    const manifest = addressOf("url", url, here());
    const parts = addressOf("attach.parts", given.parts === undefined ? "parts/" : given.parts.replace(/\/*$/, "/"), given.parts === undefined ? manifest : here());
    const cache = given.cache === false ? false : { ...CACHE, ...given.cache };
    const library = new AttachedLibrary(OURS, await connecting(worker), workers?.reader, { ...given, url: manifest, parts, cache });
    try {
      await library.#opened(signal);
      if (embedder) await library.#embedBy(embedding, embedder, workers?.embedder, onProgress);
    } catch (error) {
      await library.close();
      throw error;
    }
    return library;
  }

  /** Starts the reader, unless it runs. */
  #opened(signal) {
    if (this.#over) return Promise.reject(this.#over);
    return (this.#reader ??= this.#start(signal).catch((error) => {
      this.#reader = null;
      throw error;
    }));
  }

  async #start(signal) {
    const channel = this.#connect(this.#own, (error, { isFinal = false } = {}) => {
      this.#reader = null;
      if (isFinal || ++this.#crashes >= CRASHES) this.#over = error;
    });
    try {
      const compiled = await channel.compiled;
      const { embedder } = await channel.call("open", { ...this.#options, ...(compiled && { compiled }) }, { signal });
      this.#builtBy = embedder;
      return channel;
    } catch (error) {
      channel.terminate(error);
      throw error;
    }
  }

  async #call(method, params, how) {
    checkNames(params);
    return (await this.#opened()).call(method, params, how);
  }

  /** The model is fetched in the background: a failure is reported by searches that need it. */
  async #embedBy(embedding, description, own, onProgress) {
    const settle = (id) => {
      this.#embedderId = id;
      if (this.#builtBy && this.#builtBy.id !== id) throw embedderMismatch(this.#builtBy.id, id);
    };
    const { id } = description;
    // Known before the model is fetched, but for the pooling.
    if (!id.endsWith(UNSETTLED)) settle(id);
    else if (this.#builtBy && !this.#builtBy.id.startsWith(id.slice(0, -UNSETTLED.length))) settle(id);
    if (!this.#builtBy) return; // there is nothing to compare vectors with, so no model is fetched
    this.#makeEmbedder = async () => {
      const make = await embedding(description.type);
      if (this.#over) throw this.#over;
      this.#embedder = make(description, own, settle);
      this.#embedder.load(undefined, onProgress).catch(() => {});
      return this.#embedder;
    };
    const making = this.#withEmbedder();
    making.catch(() => {});
    if (description.type === "custom") await making; // there is no model to wait for
  }

  /** Returns the embedder, or null without one; once its code is loaded, not its model. */
  #withEmbedder() {
    return (this.#making ??= Promise.resolve(this.#makeEmbedder?.() ?? null).catch((error) => {
      this.#making = null; // the next call tries again
      throw error;
    }));
  }

  /** Resolves when the model is loaded, at once without one; begins again after a failure. */
  async loadEmbedder(options) {
    const { signal, onProgress } = checked("loadEmbedder", options, WORK_OPTIONS);
    await this.#opened();
    const embedder = await this.#withEmbedder();
    return embedder?.load(signal, onProgress);
  }

  async search(query, options) {
    const began = performance.now();
    const { signal, vector: own, ...request } = checked("search", options, ATTACHED_SEARCH_OPTIONS);
    string("query", query);
    const { vector, degraded } = own ? { vector: own } : await this.#vectorOf(query, request.mode ?? "hybrid", signal);
    const params = { request: plain("search", { ...request, query }), ...(vector && { vector }), ...(vector && !own && { by: this.#embedderId }) };
    const { filters, ...names } = request;
    checkNames(names);
    const { json, degraded: unfit } = await this.#call("search", params, { signal });
    const why = degraded ?? unfit;
    return { ...JSON.parse(json), threshold: request.threshold ?? 0, ...(why && { degraded: why }), tookMs: performance.now() - began };
  }

  /** Returns the vector of a question as `{ vector }`, or why there is none as `{ degraded }`, or neither while the model is loading. */
  async #vectorOf(query, mode, signal) {
    if (!this.#makeEmbedder || mode === "keyword" || query.trim() === "") return {};
    if (mode === "hybrid" && !this.#embedder?.isReady()) return {};
    try {
      const embedder = await this.#withEmbedder();
      return { vector: unit(await embedder.embed(query, signal ?? new AbortController().signal)) };
    } catch (error) {
      if (mode === "vector" || signal?.aborted || error.code === "closed") throw error;
      return { degraded: { code: error.code, message: error.message } };
    }
  }

  /** `document(id)` looks in the collection "default". */
  async document(collection, id) {
    if (id === undefined) [collection, id] = [DEFAULT, collection];
    return JSON.parse(await this.#call("document", { collection: string("collection", collection), id: string("id", id) }));
  }

  /** Returns the library as a remote collection of a knowledge base. */
  async asCollection() {
    const { collectionOf } = await import("./collection.js");
    return collectionOf(this);
  }

  stats() {
    return this.#call("stats", {});
  }

  /** Reads the manifest again; returns whether the library has changed. Parts that are the same are not fetched again. */
  async refresh(options) {
    const { signal } = checked("refresh", options, WORK_OPTIONS);
    return this.#call("refresh", {}, { signal });
  }

  /** Downloads all parts to this device, or what is missing of them, and reads from there. */
  async keep(options) {
    const { signal, onProgress } = checked("keep", options, WORK_OPTIONS);
    return this.#call("keep", {}, { signal, onEvent: onProgress });
  }

  /** Deletes what `keep` has kept. */
  async forget() {
    return this.#call("forget", {});
  }

  /** Frees everything. Every later call rejects with the code `closed`. */
  async close() {
    this.#embedder?.close();
    const reader = this.#reader;
    this.#over ??= closedLibrary();
    this.#reader = null;
    const channel = await reader?.catch(() => null);
    if (!channel) return;
    await channel.call("close", {}).catch(() => {});
    channel.terminate(this.#over);
  }

  [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    return this.close();
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    void this.close();
  }
}

function addressOf(name, url, base) {
  try {
    return new URL(url, base).href;
  } catch {
    throw invalid(name, "an address", shown(String(url)));
  }
}
