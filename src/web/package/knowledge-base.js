// The KnowledgeBase of the public API, over a channel to an engine wherever that runs.

import { flatten } from "./embedder.js";
import { invalid, onlyKnown } from "./error.js";
import { llmParts } from "./llm.js";

const DEFAULT = "default";

/** @param connectEngine given the page's handlers, returns `{ call, terminate }` */
export function knowledgeBaseClass(connectEngine) {
  return class KnowledgeBase {
    #engine;
    #llms = new Map(); // by run, for as long as the run lasts
    #lastRun = 0;

    /** Use `KnowledgeBase.memory()`. */
    constructor(embedder) {
      this.#engine = connectEngine({
        llm: ({ run, step, request }, context) => llmParts(this.#llms.get(run), step, request, context),
        embed: async ({ texts, kind }, { signal }) => flatten(await embedder.embed(texts, { kind, signal })),
      });
    }

    /** A knowledge base that keeps nothing: it is gone with the page. Its model is fetched behind it. */
    static async memory(options = {}) {
      onlyKnown("KnowledgeBase.memory", options, ["embedder", "onProgress", "maxDocumentBytes", "chunkTokens"]);
      const { embedder, onProgress, ...engineOptions } = options;
      if (embedder && !["onnx", "custom"].includes(embedder.type)) {
        throw invalid("embedder", "made by Embedder.onnx(…) or Embedder.custom(…)", typeof embedder);
      }
      const kb = new KnowledgeBase(embedder);
      const { embed: _, ...description } = embedder ?? {};
      try {
        await kb.#engine.call("open", { options: engineOptions, embedder: embedder ? description : null });
      } catch (error) {
        kb.#engine.terminate();
        throw error;
      }
      // Whoever needs the model waits for it, or is told why not: this promise need not be handled.
      if (embedder) kb.loadEmbedder({ onProgress }).catch(() => {});
      return kb;
    }

    /** Resolves when the model is there. After a failure, this begins anew. */
    loadEmbedder({ onProgress, signal } = {}) {
      return this.#engine.call("loadEmbedder", {}, { signal, onEvent: onProgress });
    }

    async collection(name, { description = "", ...unknown } = {}) {
      onlyKnown("collection", unknown, ["description"]);
      if (typeof name !== "string") throw invalid("name", "a collection's name", typeof name);
      return this.#engine.call("collection", { name: String(name), description: String(description) });
    }

    /** `add(documents)` adds to the collection "default". */
    async add(collection, documents, options) {
      if (Array.isArray(collection)) [collection, documents, options] = [DEFAULT, collection, documents];
      const { onProgress, signal, ...unknown } = options ?? {};
      onlyKnown("add", unknown, ["onProgress", "signal"]);
      return this.#engine.call("add", { collection: String(collection), documents }, { signal, onEvent: onProgress });
    }

    /** Embeds what has no vector yet: after a failure, or an abort. */
    embedPending({ onProgress, signal } = {}) {
      return this.#engine.call("embedPending", {}, { signal, onEvent: onProgress });
    }

    async search(query, options) {
      const { signal, ...request } = options ?? {};
      onlyKnown("search", request, ["collections", "mode", "limit", "threshold", "prefix", "fusion", "explain"]);
      return this.#engine.call("search", { ...request, query: String(query ?? "") }, { signal });
    }

    /** `remove(ids)` removes from the collection "default". */
    remove(collection, ids) {
      if (Array.isArray(collection)) [collection, ids] = [DEFAULT, collection];
      if (!Array.isArray(ids)) return Promise.reject(invalid("ids", "an array of document ids", typeof ids));
      return this.#engine.call("remove", { collection: String(collection), ids: ids.map(String) });
    }

    document(collection, id) {
      if (id === undefined) [collection, id] = [DEFAULT, collection];
      return this.#engine.call("document", { collection: String(collection), id: String(id) });
    }

    stats() {
      return this.#engine.call("stats", {});
    }

    /** The ids the embedder's tokenizer gives a text. */
    tokenIds(text) {
      return this.#engine.call("tokenIds", { text: String(text) });
    }

    /** What `Agent` runs its pipelines by. */
    async runPipeline(pipeline, { llm, signal, onEvent }) {
      const run = ++this.#lastRun;
      if (llm) this.#llms.set(run, llm);
      try {
        // Also a run that is aborted before it begins ends with a result, and with its one terminal event.
        return await this.#engine.call("run", { run, pipeline, hasLlm: Boolean(llm) }, { signal, onEvent, evenAborted: true });
      } finally {
        this.#llms.delete(run);
      }
    }

    /** Frees everything at once. Every later call rejects with the code `closed`. */
    close() {
      this.#engine.call("close", {}).catch(() => {});
      this.#engine.terminate();
    }

    [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
      this.close();
    }
  };
}
