// The KnowledgeBase of the public API, over a channel to an engine.

import { isBlob } from "./blob.js";
import { bytes } from "./document-kinds.js";
import { readied } from "./documents.js";
import { flatten } from "./embedder-custom.js";
import { closed, VademecumError } from "./error.js";
import {
  COLLECTION_OPTIONS,
  FACET_OPTIONS,
  IMPORT_OPTIONS,
  LIST_OPTIONS,
  MAKE_CASES_OPTIONS,
  VECTORS_OPTIONS,
  MEMORY_OPTIONS,
  OPEN_OPTIONS,
  SEARCH_OPTIONS,
  WORK_OPTIONS,
} from "./generated/knowledge-base-table.js";
import { checkNames } from "./json.js";
import { checked, func, list, oneOf, string } from "./options.js";
import { bound, plain } from "./plain.js";
import { conversationName } from "./storage/conversations.js";
import { Supervisor } from "./supervisor.js";
import { closing, opening } from "./turns.js";

const DEFAULT = "default";

/** Options of `open` and `memory`. */
const OURS = Symbol("KnowledgeBase");
const NOT_BY_NEW = "A KnowledgeBase is made by `await KnowledgeBase.open(name)` or `await KnowledgeBase.memory()`, not by `new`.";

/** Functions cannot be sent to the engine, and are called on the page. */
const crossing = (workers) => Object.fromEntries(Object.entries(workers).map(([what, own]) => [what, typeof own === "function" || own]));

const event = oneOf("restarted", "writable", "failed");

/** Milliseconds after opening in which the page's first calls have the processor and the connection to themselves: then the model is fetched. */
const CALM = 250;
/** Calls that need the model at once. */
const NEED_MODEL = ["loadEmbedder", "add", "embedPending", "tokenIds"];

/**
 * @param connectEngine called with the page's handlers, `workers.engine` and a crash listener; returns `{ call, terminate }`
 * @param parts `onDemand` or `atOnce`: how parts that only some calls need are loaded
 */
export function knowledgeBaseClass(connectEngine, parts) {
  return class KnowledgeBase {
    #engine;
    #runs = new Map(); // the user's functions by run, while it lasts
    #lastRun = 0;
    #threads = new Map(); // stored conversations in use
    /** @type {{ name: string } | null} */
    #library = null; // where the library is stored
    #listeners = new Set();
    /** @type {any} */
    #reranker;
    /** @type {Promise<void> | null} */
    #closing = null;
    #visibility = { now() {}, end() {} };
    /** Begins to load the model in the background, once. */
    #load = () => {};
    #remotes = parts.remotes((...call) => this.#call(...call), (run) => this.#runs.get(run));

    /** Use `KnowledgeBase.open(name)` or `KnowledgeBase.memory()`. */
    constructor(from, embedder, workers, onRestart) {
      if (from !== OURS) throw new VademecumError(NOT_BY_NEW, { code: "invalid_argument" });
      bound(this);
      const told = (type, payload) => {
        if (type === "restarted") onRestart();
        for (const one of this.#listeners) if (one.type === type) queueMicrotask(() => one.listener(payload));
      };
      const handlers = {
        llm: async ({ run, step, name, request, sources }, context) => {
          const { llm, functions, ledger, llmParts } = this.#runs.get(run);
          const { payload, denied } = await ledger.admit(request, { step, sources, signal: context.signal });
          if (denied) return context.emit({ denied });
          return llmParts(name ? functions.get(name) : llm, step, payload, context);
        },
        function: async ({ run, name, input }, { signal }) => {
          const own = this.#runs.get(run);
          return own.functions.get(name)(input, { signal }, own.ledger, (remote) => this.#remotes.once(remote, input, { signal, owner: own }));
        },
        remote: (...given) => this.#remotes.answer(...given),
        embed: async ({ texts, kind }, { signal }) => flatten(await embedder.embed(texts, { kind, signal })),
        ...embedder?.page?.handlers,
        tell: async ({ type }) => told(type, {}),
      };
      this.#engine = new Supervisor(connectEngine, handlers, workers, told);
    }

    /** Opens a knowledge base that is stored in this browser under a name, or creates an empty one. */
    static async open(name, options) {
      const { storage: kind, wait, signal: stop, ...rest } = checked("KnowledgeBase.open", options, OPEN_OPTIONS);
      string("name", name);
      checkNames({ name });
      return opening(name, wait, () => KnowledgeBase.#start(rest, { name, kind, wait }, stop));
    }

    /** Creates a knowledge base in memory, which is gone with the page. */
    static async memory(options) {
      return KnowledgeBase.#start(checked("KnowledgeBase.memory", options, MEMORY_OPTIONS), null);
    }

    /** Returns the names of the libraries stored in this browser. */
    static async list() {
      return (await parts.storage()).listLibraries();
    }

    /** Deletes a stored library permanently. */
    static async delete(name) {
      const known = string("name", name);
      return (await parts.storage()).deleteLibrary(known);
    }

    /** Asks the browser not to evict stored data when space runs short; returns whether it agreed. */
    static async persist() {
      return (await parts.storage()).persist();
    }

    /** The model is fetched in the background. */
    static async #start({ embedder, reranker, onProgress, workers = {}, ...engineOptions }, library, stop) {
      const begin = () => {
        let isDue = Boolean(embedder);
        kb.#load = () => {
          if (!isDue) return;
          isDue = false;
          kb.loadEmbedder({ onProgress }).catch(() => {}); // calls that need the model wait for it and report errors
        };
        setTimeout(kb.#load, CALM).unref?.();
        kb.#visibility.now();
      };
      const kb = new KnowledgeBase(OURS, embedder, workers, begin);
      kb.#library = library;
      kb.#reranker = reranker;
      const { embed: _, page, ...description } = embedder ?? {};
      if (page?.watch) kb.#visibility = page.watch((isHidden) => kb.#call("pauseEmbedding", { isHidden }).catch(() => {}));
      const options = { ...engineOptions };
      options.chunkTokens ??= embedder?.files?.options.maxTokens;
      try {
        Object.assign(description, await page?.describe(workers));
        await kb.#engine.open({ options, embedder: embedder ? plain("embedder", description) : null, library, workers: crossing(workers), remotes: kb.#remotes.list }, stop);
      } catch (error) {
        kb.#visibility.end();
        kb.#engine.terminate();
        throw error;
      }
      begin();
      return kb;
    }

    /** Adds a listener for an event; returns a function that removes it. */
    on(type, listener) {
      const one = { type: event("type", type), listener: func("listener", listener) };
      this.#listeners.add(one);
      return () => void this.#listeners.delete(one);
    }

    async #call(method, params, ...rest) {
      if (this.#closing) throw closed();
      if (NEED_MODEL.includes(method)) this.#load();
      checkNames(params);
      return this.#engine.call(method, params, ...rest);
    }

    /** Resolves when the model is loaded. Starts again after a failure. */
    async loadEmbedder(options) {
      const { onProgress, signal } = checked("loadEmbedder", options, WORK_OPTIONS);
      return this.#call("loadEmbedder", {}, { signal, onEvent: onProgress });
    }

    /** Declares a collection, or changes its declaration. */
    async collection(name, options) {
      return this.#call("collection", { name: string("name", name), options: checked("collection", options, COLLECTION_OPTIONS) });
    }

    /** `add(documents)` adds to the collection "default"; a single document needs no array. */
    async add(collection, documents, options) {
      if (typeof collection === "object" || documents === undefined) [collection, documents, options] = [DEFAULT, collection, documents];
      const params = { collection: string("collection", collection), documents: readied(documents) };
      const { onProgress, signal } = checked("add", options, WORK_OPTIONS);
      return this.#call("add", params, { signal, onEvent: onProgress });
    }

    /** Embeds chunks without vectors, for example after a failure or an abort. */
    async embedPending(options) {
      const { onProgress, signal } = checked("embedPending", options, WORK_OPTIONS);
      return this.#call("embedPending", {}, { signal, onEvent: onProgress });
    }

    async search(query, options) {
      const { signal, rerank, ...request } = checked("search", options, SEARCH_OPTIONS);
      const search = (limit) => this.#call("search", { ...request, ...(limit && { limit }), query: string("query", query) }, { signal });
      return rerank ? (await parts.pairs()).rerankedSearch(search, query, { reranker: this.#reranker, ...rerank }, request.limit, signal) : search();
    }

    /** Attaches a collection that is kept elsewhere under a name, to be searched with the others. */
    async attach(...given) {
      return this.#remotes.attach(...given);
    }

    /** Detaches it; returns whether there was one. */
    async detach(...given) {
      return this.#remotes.detach(...given);
    }

    /** The reranker of searches and pipelines, for `Agent`. */
    get reranker() {
      return this.#reranker;
    }

    /** Returns the documents that match a filter, without their texts: `{ total, documents }`. */
    async documents(options) {
      return this.#call("documents", checked("documents", options, LIST_OPTIONS));
    }

    /** Counts documents by the value of a metadata field, most frequent first. */
    async facets(field, options) {
      const request = checked("facets", options, FACET_OPTIONS);
      return this.#call("facets", { ...request, field: string("field", field) });
    }

    /** Returns the chunks that have a vector, with their vectors: `{ total, dimensions, chunks, values }`. */
    async vectors(options) {
      return this.#call("vectors", checked("vectors", options, VECTORS_OPTIONS));
    }

    /** Returns the library as one file: documents, vectors and settings. */
    export() {
      return this.#call("export", {});
    }

    /** Imports the result of `export`, replacing documents with the same id. Then embeds chunks without vectors. */
    async import(file, options) {
      const { signal, onProgress, salvage } = checked("import", options, IMPORT_OPTIONS);
      const given = bytes("file", file);
      const all = isBlob(given) ? new Uint8Array(await given.arrayBuffer()) : given;
      // A view of a larger buffer would send the whole buffer to the worker.
      const view = all.byteLength < all.buffer.byteLength ? all.slice() : all;
      const [documents, lost] = await this.#call("import", { bytes: view, salvage }, { signal, onEvent: onProgress });
      const { pending } = await this.stats();
      if (pending > 0) await this.embedPending({ signal, onProgress });
      return lost ? { documents, lost } : { documents };
    }

    /** `remove(ids)` removes from the collection "default". */
    async remove(collection, ids) {
      if (ids === undefined) [collection, ids] = [DEFAULT, collection];
      return this.#call("remove", { collection: string("collection", collection), ids: list("document ids", string)("ids", ids) });
    }

    async document(collection, id) {
      if (id === undefined) [collection, id] = [DEFAULT, collection];
      return this.#call("document", { collection: string("collection", collection), id: string("id", id) });
    }

    stats() {
      return this.#call("stats", {});
    }

    /** A hash of everything that affects search results; equal for equal contents. */
    fingerprint() {
      return this.#call("fingerprint", {});
    }

    /** Returns the ids of a text by the embedder's tokenizer. */
    async tokenIds(text) {
      return this.#call("tokenIds", { text: string("text", text) });
    }

    /** Asks questions with known relevant documents in several ways, and measures each. */
    async evaluate(cases, options) {
      const { evaluate } = await parts.evaluation();
      return evaluate(this, (...call) => this.#call(...call), cases, options);
    }

    /** Generates questions from the documents, each with its relevant document. */
    async makeCases(options) {
      const { llm, onBeforeSend, onSend, signal, ...rest } = checked("makeCases", options, MAKE_CASES_OPTIONS);
      // Outside of the request, which goes on whatever becomes of this.
      const tell = (entry) => onSend && queueMicrotask(() => onSend(entry));
      const { Ledger, llmParts } = await parts.asking();
      const making = (run) => this.#call("makeCases", { run, options: rest, hasLlm: Boolean(llm) }, { signal });
      return this.#withFunctions({ llm, functions: new Map(), ledger: new Ledger(onBeforeSend, tell), llmParts }, making);
    }

    /** Calls the engine with the number of a run, which identifies the user's functions while it lasts. */
    async #withFunctions(own, call) {
      const run = ++this.#lastRun;
      this.#runs.set(run, own);
      try {
        return await call(run);
      } finally {
        this.#runs.delete(run);
      }
    }

    /** Returns the names of the stored conversations. */
    conversations() {
      return this.#call("conversations", {});
    }

    /** Deletes a stored conversation permanently; no error if it does not exist. */
    async deleteConversation(name) {
      conversationName("name", name);
      const write = () => this.#call("deleteConversation", { name });
      await (this.#threads.get(name)?.anew(write) ?? write());
    }

    /** Returns the storage of a conversation for `Agent`: one shared object per name. */
    thread(name, start, Thread) {
      if (!this.#threads.has(name)) {
        const kept = {
          load: () => this.#call("conversation", { name }),
          save: (state) => this.#call("saveConversation", { name, state }),
        };
        this.#threads.set(name, new Thread(start, kept));
      }
      return this.#threads.get(name);
    }

    /** Prefetches what a run needs. If that fails, the run reports it. */
    expectRun() {
      parts.asking().catch(() => {});
      this.#call("expectRun", {}).catch(() => {});
    }

    /** Returns the tools of a style for `Agent`; `tools` are the user's, as data. */
    toolSchema(style, tools) {
      return this.#call("toolSchema", { style, tools });
    }

    /**
     * Runs pipelines for `Agent`.
     * @param {any} pipeline
     * @param {{ llm?: any, functions?: Map<string, any>, onBeforeSend?: any, onBeforeTool?: any, signal?: AbortSignal, onEvent?: (event: any) => void }} options
     */
    async runPipeline(pipeline, { llm, functions = new Map(), onBeforeSend, onBeforeTool, signal, onEvent = () => {} }) {
      const { Ledger, llmParts } = await parts.asking();
      const ledger = new Ledger(onBeforeSend, (entry) => onEvent({ type: "send", step: entry.step, entry, at: entry.at }), onBeforeTool);
      let partial = ""; // text of the current step so far
      const own = { llm, functions, ledger, llmParts, step: undefined };
      const listen = (event) => {
        if (event.type === "start") own.step = event.step;
        if (event.type === "token") partial += event.text;
        else if (event.type === "start" || event.fallback) partial = "";
        onEvent(event);
      };
      // A run that is aborted before it starts also ends with a result and one terminal event.
      const running = (run) => this.#call("run", { run, pipeline, hasLlm: Boolean(llm) }, { signal, onEvent: listen, evenAborted: true });
      const result = await this.#withFunctions(own, running);
      const isPart = result.terminatedBy === "aborted" && result.answer === null && partial.trim() !== "";
      return { ...result, ...(isPart && { partial }), ledger: ledger.entries };
    }

    /** Saves changes, and frees everything. Every later call rejects with the code `closed`. */
    close() {
      this.#visibility.end();
      this.#remotes.close?.();
      this.#closing ??= (async () => {
        const told = this.#engine.call("close", {}).catch(() => {});
        if (this.#library) await told;
        this.#engine.terminate();
      })();
      return this.#library ? closing(this.#library.name, this.#closing) : this.#closing;
    }

    [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
      return this.close();
    }

    [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
      this.close();
    }
  };
}
