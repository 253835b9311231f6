// The KnowledgeBase of the public API, over a channel to an engine wherever that runs.

import { readied } from "./documents.js";
import { flatten } from "./embedder.js";
import { checkPlain, closed, invalid, onlyKnown } from "./error.js";
import { evaluate } from "./evaluate.js";
import { Ledger } from "./ledger.js";
import { llmParts } from "./llm.js";
import { func } from "./options.js";
import { conversationName } from "./storage/conversations.js";
import { deleteLibrary, listLibraries, persist } from "./storage/index.js";
import { Thread } from "./thread.js";

const DEFAULT = "default";
const OPTIONS = ["embedder", "onProgress", "maxDocumentBytes", "chunkTokens", "chunkOverlap", "exactVectors", "graphFrom", "reembed"];
const LIST_OPTIONS = ["collections", "filters", "offset", "limit"];
const SEARCH_OPTIONS = [
  "collections", "documents", "mode", "limit", "threshold", "filters", "prefix", "typos", "strictPhrases", "fusion", "weights", "method", "ef", "hops",
  "explain", "signal",
];
const CASE_OPTIONS = ["count", "seed", "collections", "llm", "onBeforeSend", "onSend", "signal"];

/** The options of what may take long. */
function work(name, options) {
  onlyKnown(name, options, ["signal", "onProgress"]);
  return options ?? {};
}

/** @param connectEngine given the page's handlers, returns `{ call, terminate }` */
export function knowledgeBaseClass(connectEngine) {
  return class KnowledgeBase {
    #engine;
    #runs = new Map(); // the user's functions of each run, for as long as it lasts
    #lastRun = 0;
    #threads = new Map(); // kept conversations that were asked for
    #isKept = false;
    #closing = null;

    /** Use `KnowledgeBase.open(name)` or `KnowledgeBase.memory()`. */
    constructor(embedder) {
      this.#engine = connectEngine({
        llm: async ({ run, step, name, request, sources }, context) => {
          const { llm, functions, ledger } = this.#runs.get(run);
          const { payload, denied } = await ledger.admit(request, { step, sources, signal: context.signal });
          if (denied) return context.emit({ denied });
          return llmParts(name ? functions.get(name) : llm, step, payload, context);
        },
        function: async ({ run, name, input }, { signal }) => this.#runs.get(run).functions.get(name)(input, { signal }),
        embed: async ({ texts, kind }, { signal }) => flatten(await embedder.embed(texts, { kind, signal })),
      });
    }

    /** A knowledge base that is kept in this browser under a name, and is empty the first time. */
    static async open(name, options) {
      onlyKnown("KnowledgeBase.open", options, [...OPTIONS, "storage"]);
      if (typeof name !== "string") throw invalid("name", "a library's name", typeof name);
      const { storage: kind, ...rest } = options ?? {};
      return KnowledgeBase.#start(rest, { name, kind });
    }

    /** A knowledge base that keeps nothing: it is gone with the page. */
    static async memory(options) {
      onlyKnown("KnowledgeBase.memory", options, OPTIONS);
      return KnowledgeBase.#start(options ?? {}, null);
    }

    /** The names of the libraries that are kept in this browser. */
    static list() {
      return listLibraries();
    }

    /** Deletes a kept library for good. */
    static async delete(name) {
      if (typeof name !== "string") throw invalid("name", "a library's name", typeof name);
      return deleteLibrary(name);
    }

    /** Asks the browser not to clear what is kept when it is short of space; whether it agreed. */
    static persist() {
      return persist();
    }

    /** The model is fetched behind it. */
    static async #start({ embedder, onProgress, ...engineOptions }, library) {
      if (embedder && !["onnx", "custom"].includes(embedder.type)) {
        throw invalid("embedder", "made by Embedder.onnx(…) or Embedder.custom(…)", typeof embedder);
      }
      const kb = new KnowledgeBase(embedder);
      kb.#isKept = library !== null;
      const { embed: _, ...description } = embedder ?? {};
      const options = { ...engineOptions };
      options.chunkTokens ??= embedder?.files?.options.maxTokens;
      try {
        await kb.#call("open", { options, embedder: embedder ? description : null, library });
      } catch (error) {
        kb.#engine.terminate();
        throw error;
      }
      // Whoever needs the model waits for it, or is told why not: this promise need not be handled.
      if (embedder) kb.loadEmbedder({ onProgress }).catch(() => {});
      return kb;
    }

    #call(...call) {
      return this.#closing ? Promise.reject(closed()) : this.#engine.call(...call);
    }

    /** Resolves when the model is there. After a failure, this begins anew. */
    async loadEmbedder(options) {
      const { onProgress, signal } = work("loadEmbedder", options);
      return this.#call("loadEmbedder", {}, { signal, onEvent: onProgress });
    }

    /** Declares a collection, or changes what is declared of it. */
    async collection(name, options = {}) {
      onlyKnown("collection", options, ["description", "language", "schema"]);
      if (typeof name !== "string") throw invalid("name", "a collection's name", typeof name);
      return this.#call("collection", { name, options });
    }

    /** `add(documents)` adds to the collection "default". */
    async add(collection, documents, options) {
      if (Array.isArray(collection)) [collection, documents, options] = [DEFAULT, collection, documents];
      const { onProgress, signal } = work("add", options);
      return this.#call("add", { collection: String(collection), documents: readied(documents) }, { signal, onEvent: onProgress });
    }

    /** Embeds what has no vector yet: after a failure, or an abort. */
    async embedPending(options) {
      const { onProgress, signal } = work("embedPending", options);
      return this.#call("embedPending", {}, { signal, onEvent: onProgress });
    }

    async search(query, options) {
      onlyKnown("search", options, SEARCH_OPTIONS);
      const { signal, ...request } = options ?? {};
      if (request.filters != null) checkPlain("filters", request.filters, { gaps: false, levels: 128 });
      return this.#call("search", { ...request, query: String(query ?? "") }, { signal });
    }

    /** The documents that fulfil a filter, without their texts: `{ total, documents }`. */
    async documents(options = {}) {
      onlyKnown("documents", options, LIST_OPTIONS);
      if (options?.filters != null) checkPlain("filters", options.filters, { gaps: false, levels: 128 });
      return this.#call("documents", options);
    }

    /** How many documents have each value of a metadata field, the most frequent first. */
    async facets(field, options = {}) {
      onlyKnown("facets", options, ["collections", "filters", "limit"]);
      if (options?.filters != null) checkPlain("filters", options.filters, { gaps: false, levels: 128 });
      if (typeof field !== "string") throw invalid("field", "a metadata field's name", typeof field);
      return this.#call("facets", { ...options, field });
    }

    /** The chunks that have a vector, placed on the plane on which their vectors differ most: `{ total, explained, points }`. */
    async map(options = {}) {
      onlyKnown("map", options, ["collections", "limit"]);
      return this.#call("map", options);
    }

    /** Everything as one file: documents, vectors and all. */
    export() {
      return this.#call("export", {});
    }

    /** Takes in what `export` gave; a document whose id is here already is replaced. Then embeds what has no vector. */
    async import(file, options) {
      const { signal, onProgress } = work("import", options);
      const bytes = file instanceof Blob ? await file.arrayBuffer() : file;
      if (!(bytes instanceof ArrayBuffer || ArrayBuffer.isView(bytes))) {
        throw invalid("file", "a Uint8Array, an ArrayBuffer or a Blob", typeof file);
      }
      // A view of something larger would take all of it along to the worker.
      const { buffer, byteOffset, byteLength } = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
      const all = new Uint8Array(buffer, byteOffset, byteLength);
      const view = byteLength < buffer.byteLength ? all.slice() : all;
      const documents = await this.#call("import", { bytes: view }, { signal });
      const { pending } = await this.stats();
      if (pending > 0) await this.embedPending({ signal, onProgress });
      return { documents };
    }

    /** `remove(ids)` removes from the collection "default". */
    remove(collection, ids) {
      if (Array.isArray(collection)) [collection, ids] = [DEFAULT, collection];
      if (!Array.isArray(ids)) return Promise.reject(invalid("ids", "an array of document ids", typeof ids));
      return this.#call("remove", { collection: String(collection), ids: ids.map(String) });
    }

    document(collection, id) {
      if (id === undefined) [collection, id] = [DEFAULT, collection];
      return this.#call("document", { collection: String(collection), id: String(id) });
    }

    stats() {
      return this.#call("stats", {});
    }

    /** Changes with what searches find; the same documents have the same. */
    fingerprint() {
      return this.#call("fingerprint", {});
    }

    /** The ids the embedder's tokenizer gives a text. */
    tokenIds(text) {
      return this.#call("tokenIds", { text: String(text) });
    }

    /** Asks questions of which it is known what should be found, in several ways, and says how good each way is. */
    evaluate(cases, options) {
      return evaluate(this, (...call) => this.#call(...call), cases, options);
    }

    /** Questions made of the documents themselves, each with the document that it comes from. */
    async makeCases(options) {
      onlyKnown("makeCases", options, CASE_OPTIONS);
      const { llm, onBeforeSend, onSend, signal, ...rest } = options ?? {};
      if (llm) func("makeCases.llm", llm);
      if (onBeforeSend) func("makeCases.onBeforeSend", onBeforeSend);
      if (onSend) func("makeCases.onSend", onSend);
      // Outside of the request, which goes on whatever becomes of this.
      const tell = (entry) => onSend && queueMicrotask(() => onSend(entry));
      const asking = (run) => this.#call("makeCases", { run, options: rest, hasLlm: Boolean(llm) }, { signal });
      return this.#withFunctions({ llm, functions: new Map(), ledger: new Ledger(onBeforeSend, tell) }, asking);
    }

    /** Calls the engine with the number of a run, by which it calls the user's functions for as long as that lasts. */
    async #withFunctions(own, call) {
      const run = ++this.#lastRun;
      this.#runs.set(run, own);
      try {
        return await call(run);
      } finally {
        this.#runs.delete(run);
      }
    }

    /** The names of the conversations that are kept here. */
    conversations() {
      return this.#call("conversations", {});
    }

    /** Deletes a kept conversation for good; no error where there is none. */
    async deleteConversation(name) {
      conversationName("name", name);
      const write = () => this.#call("deleteConversation", { name });
      await (this.#threads.get(name)?.anew(write) ?? write());
    }

    /** What `Agent` keeps a conversation in: the same for everyone who asks for it by its name. */
    thread(name, start) {
      if (!this.#threads.has(name)) {
        const kept = {
          load: () => this.#call("conversation", { name }),
          save: (state) => this.#call("saveConversation", { name, state }),
        };
        this.#threads.set(name, new Thread(start, kept));
      }
      return this.#threads.get(name);
    }

    /** Has fetched early what a run needs. Where that fails, the run says so. */
    expectRun() {
      this.#call("expectRun", {}).catch(() => {});
    }

    /** What `Agent` runs its pipelines by. */
    async runPipeline(pipeline, { llm, functions = new Map(), onBeforeSend, signal, onEvent = () => {} }) {
      const ledger = new Ledger(onBeforeSend, (entry) => onEvent({ type: "send", step: entry.step, entry, at: entry.at }));
      // Also a run that is aborted before it begins ends with a result, and with its one terminal event.
      const running = (run) => this.#call("run", { run, pipeline, hasLlm: Boolean(llm) }, { signal, onEvent, evenAborted: true });
      const result = await this.#withFunctions({ llm, functions, ledger }, running);
      return { ...result, ledger: ledger.entries };
    }

    /** Saves what is kept, and frees everything. Every later call rejects with the code `closed`. */
    close() {
      this.#closing ??= (async () => {
        const told = this.#engine.call("close", {}).catch(() => {});
        if (this.#isKept) await told;
        this.#engine.terminate();
      })();
      return this.#closing;
    }

    [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
      return this.close();
    }

    [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
      this.close();
    }
  };
}
