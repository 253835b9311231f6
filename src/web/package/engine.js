// The engine's side of the channel: each handler is one method of the wasm module's Engine.

import init, { Engine } from "./vademecum.js";
import { EmbedderPool } from "./embedder-pool.js";
import { VademecumError } from "./error.js";

/**
 * @param page calls functions of the page: `llm` and `embed` are the user's
 * @param spawn starts an embedding worker
 */
export function engineHandlers(page, spawn) {
  let engine = null;
  let embedder = null;

  return {
    async open({ options, embedder: kind }) {
      await init();
      embedder = makeEmbedder(kind, page, spawn);
      engine = new Engine(options, embedder ?? undefined);
    },
    /** Resolves when the model is there; begins anew after a failure. Emits progress. */
    loadEmbedder: (_, { signal, emit }) => embedder?.load(signal, emit),
    collection: ({ name, description }) => engine.collection(name, description),
    add: ({ collection, documents }, { signal, emit }) => engine.add(collection, documents, emit, signal),
    /** After a failure the model is loaded anew. */
    async embedPending(_, { signal, emit }) {
      await embedder?.load(signal, emit);
      return engine.embedPending(emit, signal);
    },
    search: (request, { signal }) => engine.search(request, signal),
    remove: ({ collection, ids }) => engine.remove(collection, ids),
    document: ({ collection, id }) => engine.document(collection, id),
    stats: () => engine.stats(),
    tokenIds({ text }) {
      if (embedder?.tokenIds) return embedder.tokenIds(text);
      throw new VademecumError("Token ids need an embedder made by `Embedder.onnx(…)`.", { code: "no_embedder" });
    },
    run({ run, pipeline, hasLlm }, { signal, emit }) {
      // A run that ends early, for whatever reason, leaves no reply being read.
      const over = new AbortController();
      signal.addEventListener("abort", () => over.abort());
      const llm = (step, request, onPart) => page.call("llm", { run, step, request }, { signal: over.signal, onEvent: onPart });
      return engine.run(pipeline, hasLlm ? llm : undefined, emit, signal).finally(() => over.abort());
    },
    close() {
      engine?.close();
      embedder?.close();
    },
  };
}

function makeEmbedder(kind, page, spawn) {
  if (kind?.type === "onnx") return new EmbedderPool(kind, spawn);
  if (kind?.type !== "custom") return null;
  return {
    threshold: kind.threshold,
    concurrency: kind.concurrency,
    isReady: () => true,
    embed: (texts, kind, signal) => page.call("embed", { texts, kind }, { signal }),
    load: async () => {},
    close: () => {},
  };
}
