// The engine's side of the channel: each handler is one method of the wasm module's Engine.

import init, { Engine } from "./vademecum.js";
import { EmbedderPool } from "./embedder-pool.js";
import { VademecumError } from "./error.js";
import { openStorage } from "./storage/index.js";
import { Upkeep } from "./upkeep.js";

/**
 * @param page calls functions of the page: `llm` and `embed` are the user's
 * @param spawn `{ embedder, graphBuilder }` start workers
 */
export function engineHandlers(page, spawn) {
  let engine = null;
  let embedder = null;
  let storage = null;
  let upkeep = null;
  let takingOver = null; // while a library that was only read is opened for writing

  const now = (use) => (takingOver ? takingOver.then(() => use(engine)) : use(engine));
  const changed = (value) => {
    if (!storage?.readOnly) upkeep.begin();
    return value;
  };

  async function openLibrary({ name, kind }, options) {
    storage = await openStorage(name, { kind });
    try {
      engine = await Engine.open(storage, options, embedder ?? undefined);
    } catch (error) {
      await storage.close();
      throw error;
    }
    // Whoever wrote has closed it: what is here may be old, and must not be written over what they left.
    storage.onWritable(() => {
      upkeep.close();
      engine.close();
      takingOver = Engine.open(storage, options, embedder ?? undefined).then((fresh) => {
        engine = fresh;
        upkeep = new Upkeep(engine, spawn.graphBuilder);
        takingOver = null;
      });
      takingOver.catch(() => {}); // every later call is told
    });
  }

  return {
    async open({ options, embedder: kind, library }) {
      await init();
      embedder = makeEmbedder(kind, page, spawn.embedder);
      if (library) await openLibrary(library, options);
      else engine = new Engine(options, embedder ?? undefined);
      upkeep = new Upkeep(engine, spawn.graphBuilder);
      changed(); // a graph that was not finished last time
    },
    /** Resolves when the model is there; begins anew after a failure. Emits progress. */
    loadEmbedder: (_, { signal, emit }) => embedder?.load(signal, emit),
    collection: ({ name, options }) => now((engine) => engine.collection(name, options)),
    add: ({ collection, documents }, { signal, emit }) =>
      now((engine) => engine.add(collection, documents, emit, signal)).then(changed),
    /** After a failure the model is loaded anew. */
    async embedPending(_, { signal, emit }) {
      await embedder?.load(signal, emit);
      return changed(await now((engine) => engine.embedPending(emit, signal)));
    },
    search: (request, { signal }) => now((engine) => engine.search(request, signal)),
    facets: (request) => now((engine) => engine.facets(request)),
    remove: ({ collection, ids }) => now((engine) => engine.remove(collection, ids)).then(changed),
    document: ({ collection, id }) => now((engine) => engine.document(collection, id)),
    export: () => now((engine) => engine.export()),
    import: ({ bytes }) => now((engine) => engine.import(bytes)).then(changed),
    save: () => now((engine) => engine.save()),
    stats: () =>
      now(async (engine) => ({
        ...engine.stats(),
        library: storage && { kind: storage.kind, readOnly: storage.readOnly, ...(await storage.estimate()) },
      })),
    tokenIds({ text }) {
      if (embedder?.tokenIds) return embedder.tokenIds(text);
      throw new VademecumError("Token ids need an embedder made by `Embedder.onnx(…)`.", { code: "no_embedder" });
    },
    run({ run, pipeline, hasLlm }, { signal, emit }) {
      // A run that ends early, for whatever reason, leaves no reply being read.
      const over = new AbortController();
      signal.addEventListener("abort", () => over.abort());
      const llm = (step, request, onPart) => page.call("llm", { run, step, request }, { signal: over.signal, onEvent: onPart });
      const begun = now((engine) => engine.run(pipeline, hasLlm ? llm : undefined, emit, signal));
      return begun.finally(() => over.abort());
    },
    /** What is not saved yet is saved first. */
    async close() {
      upkeep?.close();
      if (storage && !storage.readOnly) await now((engine) => engine.save()).catch(() => {});
      engine?.close();
      embedder?.close();
      await storage?.close();
    },
  };
}

function makeEmbedder(kind, page, spawn) {
  if (kind?.type === "onnx") return new EmbedderPool(kind, spawn);
  if (kind?.type !== "custom") return null;
  return {
    id: kind.id,
    threshold: kind.threshold,
    concurrency: kind.concurrency,
    tokenizer: async () => {},
    isReady: () => true,
    embed: (texts, kind, signal) => page.call("embed", { texts, kind }, { signal }),
    load: async () => {},
    close: () => {},
  };
}
