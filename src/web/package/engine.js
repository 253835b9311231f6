// The engine's side of the channel: each handler is one method of a wasm module's Engine.

import { VademecumError } from "./error.js";
import { Conversations } from "./storage/conversations.js";
import { MemoryFiles } from "./storage/memory.js";
import { openStorage } from "./storage/index.js";
import { Upkeep } from "./upkeep.js";

/**
 * @param build `{ start, Engine }` are the wasm module's, `agent()` and `html()` start the agent's and the one that
 *   reads HTML; `encoders(kind)` makes a pool of encoders, `graphBuilder()` starts a worker
 * @param page calls functions of the page: `llm`, `function` and `embed` are the user's
 */
export function engineHandlers(build, page) {
  const { Engine } = build;
  let engine = null;
  let embedder = null;
  let storage = null;
  let upkeep = null;
  let conversations = null;
  let readsHtml = false; // its module is not started before it is needed
  let writes = true; // false while another tab has the library
  const runs = new Set(); // pipelines under way, each by what ends it

  const changed = (value) => {
    if (writes) upkeep.begin();
    return value;
  };

  /** The user's LLM functions, for the engine. Each call has a signal of its own, aborted when it is no longer waited for. */
  const llmOf = (run) => ([step, name, sources], request, onPart, signal) =>
    page.call("llm", { run, step, name, request, sources }, { signal, onEvent: onPart });

  async function openLibrary({ name, kind }, options) {
    storage = await openStorage(name, { kind });
    try {
      writes = !storage.readOnly;
      engine = await Engine.open(writes ? storage : frozen(storage), options, embedder ?? undefined);
    } catch (error) {
      await storage.close();
      throw error;
    }
    // Whoever wrote has closed it. What is here may be old and stays read-only, for calls under way; later ones go to
    // what they left. Where that cannot be opened, this one goes on as it was.
    storage.onWritable(async () => {
      const fresh = await Engine.open(storage, options, embedder ?? undefined).catch(() => null);
      if (!fresh) return;
      upkeep.close();
      [engine, writes] = [fresh, true];
      upkeep = new Upkeep(engine, build.graphBuilder);
      changed();
    });
  }

  return {
    async open({ options, embedder: kind, library }) {
      await build.start();
      embedder = makeEmbedder(kind, page, build.encoders);
      if (library) await openLibrary(library, options);
      else engine = new Engine(options, embedder ?? undefined);
      upkeep = new Upkeep(engine, build.graphBuilder);
      conversations = new Conversations(storage ?? new MemoryFiles());
      changed(); // a graph that was not finished last time
    },
    /** Resolves when the model is there; begins anew after a failure. Emits progress. */
    loadEmbedder: (_, { signal, emit }) => embedder?.load(signal, emit),
    collection: ({ name, options }) => engine.collection(name, options),
    async add({ collection, documents }, { signal, emit }) {
      let own = documents;
      if (!readsHtml && Array.isArray(documents) && documents.some(isHtml)) {
        own = documents.map(withOwnBytes);
        await build.html();
        readsHtml = true;
      }
      return changed(await engine.add(collection, own, emit, signal));
    },
    /** After a failure the model is loaded anew. */
    async embedPending(_, { signal, emit }) {
      await embedder?.load(signal, emit);
      return changed(await engine.embedPending(emit, signal));
    },
    search: (request, { signal }) => engine.search(request, signal),
    facets: (request) => engine.facets(request),
    documents: (request) => engine.documents(request),
    map: (request) => engine.map(request),
    remove: ({ collection, ids }) => engine.remove(collection, ids).then(changed),
    document: ({ collection, id }) => engine.document(collection, id),
    export: () => engine.export(),
    import: ({ bytes }) => engine.import(bytes).then(changed),
    save: () => engine.save(),
    stats: async () => ({
      ...engine.stats(),
      library: storage && { kind: storage.kind, readOnly: !writes, ...(await storage.estimate()) },
    }),
    conversations: () => conversations.names(),
    conversation: ({ name }) => conversations.load(name),
    saveConversation: ({ name, state }) => conversations.save(name, state),
    deleteConversation: ({ name }) => conversations.delete(name),
    fingerprint: () => engine.fingerprint(),
    locate: (wanted) => engine.locate(wanted),
    measure: async (trials) => (await build.agent()).measureTrials(trials),
    async makeCases({ run, options, hasLlm }, { signal }) {
      const drafts = await engine.draftCases(options, signal);
      return (await build.agent()).writeCases(drafts, llmOf(run), hasLlm, signal);
    },
    tokenIds({ text }) {
      if (embedder?.tokenIds) return embedder.tokenIds(text);
      throw new VademecumError("Token ids need an embedder made by `Embedder.onnx(…)`.", { code: "no_embedder" });
    },
    /** Whoever makes an agent will ask: its module may be fetched before the first question is there. */
    expectRun: () => build.agent().then(() => {}),
    async run({ run, pipeline, hasLlm }, { signal, emit }) {
      const functions = (name, input, signal) => page.call("function", { run, name, input }, { signal });
      const ending = new AbortController();
      const end = () => ending.abort();
      if (signal.aborted) end();
      signal.addEventListener("abort", end);
      runs.add(ending);
      try {
        const agent = await build.agent();
        return await agent.run(engine, pipeline, llmOf(run), hasLlm, functions, emit, ending.signal);
      } finally {
        runs.delete(ending);
        signal.removeEventListener("abort", end);
      }
    },
    /** What is not saved yet is saved first. */
    async close() {
      for (const ending of runs) ending.abort();
      upkeep?.close();
      if (storage && writes) await engine.save().catch(() => {});
      engine?.close();
      embedder?.close();
      await storage?.close();
    },
  };
}

/** Whether a document may have to be read as HTML: one too many costs a request, and one too few its text. */
const isHtml = (document) => (document?.format ? document.format === "html" : /\.x?html?$/i.test(document?.id));

/** In place, the caller may use its buffers again while the module is fetched. */
const withOwnBytes = (document) => (document?.bytes instanceof Uint8Array ? { ...document, bytes: document.bytes.slice() } : document);

/** A storage that stays read-only, whatever becomes of it. */
const frozen = (storage) => ({
  readOnly: true,
  list: () => storage.list(),
  read: (name) => storage.read(name),
  write: (name, bytes) => storage.write(name, bytes),
  remove: (name) => storage.remove(name),
});

function makeEmbedder(kind, page, encoders) {
  if (kind?.type === "onnx") return encoders(kind);
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
