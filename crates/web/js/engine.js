// The engine's side of the channel: each handler is one method of the wasm module's Engine.

import { isBlob } from "./blob.js";
import { toPlain, unsupported, VademecumError } from "./error.js";
import { timed } from "./remaining.js";
import { Conversations } from "./storage/conversations.js";
import { MemoryFiles } from "./storage/memory.js";
import { warnWithoutSimd } from "./simd.js";
import { openStorage } from "./storage/index.js";
import { Upkeep } from "./upkeep.js";

/**
 * @param build `{ start, Engine }` are the wasm module's; `agent()` and `html()` start the modules of the agent and of the
 *   HTML reader; `encoders(kind, spawn, page)` creates a pool of encoders, and `graphBuilder(address)` starts a worker
 * @param page calls functions of the page: `llm`, `function` and `embed` are the user's, `worker` and `endWorker` manage workers
 *   that the page creates, `sharedEmbedder` starts an encoder that tabs share, and `tell` passes on an event
 */
export function engineHandlers(build, page) {
  const { Engine } = build;
  let engine = null;
  let embedder = null;
  let storage = null;
  let held = null; // its files that are read at once; not in the lite build
  let upkeep = null;
  let isOnnx = false;
  let conversations = null;
  let maxDocumentBytes;
  let readsHtml = false; // its module is started when it is needed
  let writes = true; // false while another tab has the library open for writing
  let workers = {}; // the user's workers by kind: an address, or true for one that the page creates
  let lastWorker = 0;
  const remote = build.remotes?.(() => engine, page);
  const runs = new Set(); // running pipelines, as functions that end them

  const changed = (value) => {
    if (writes) upkeep.begin();
    return value;
  };

  /** The user's LLM functions for the engine. Each call has its own signal, aborted when the result is no longer needed. */
  const llmOf = (run) => ([step, name, sources], request, onPart, signal) =>
    page.call("llm", { run, step, name, request, sources }, { signal, onEvent: onPart });

  /** Returns a worker by `spawn(address)`, or one that the page creates and relays calls to. */
  function spawned(what, spawn) {
    if (workers[what] !== true) return spawn(workers[what]);
    const id = ++lastWorker;
    return {
      call: (method, params, how) => page.call("worker", { id, what, method, params }, how),
      terminate: (why) => void page.call("endWorker", { id, why: why && toPlain(why) }).catch(() => {}),
    };
  }

  // Calls of a custom embedder may cost money, so none are made in the background.
  const newUpkeep = () => new Upkeep(engine, () => spawned("graph", build.graphBuilder), { calibrates: isOnnx });

  const directory = (storage) => held?.over(storage) ?? storage;

  async function openLibrary(options) {
    try {
      writes = !storage.readOnly && !options.salvage;
      engine = await Engine.open(directory(writes ? storage : frozen(storage)), options, embedder ?? undefined);
    } catch (error) {
      held?.close();
      await storage.close();
      throw error;
    }
    // The former writer has closed. The open state may be outdated and stays read-only, for pending calls; later calls use
    // the state that the writer left. If that cannot be opened, the current state stays in use.
    if (options.salvage) return;
    storage.onWritable(async () => {
      const fresh = await Engine.open(directory(storage), options, embedder ?? undefined).catch(() => null);
      if (!fresh) return;
      upkeep.close();
      [engine, writes] = [fresh, true];
      remote?.again();
      upkeep = newUpkeep();
      changed();
      page.call("tell", { type: "writable" }).catch(() => {});
    });
  }

  return {
    /** `compiled` is the engine's module, if the page has compiled it. */
    async open({ options: given, embedder: kind, library, workers: own = {}, remotes, compiled }, { signal }) {
      const options = { maxDocumentBytes: 16 * 2 ** 20, ...given };
      warnWithoutSimd();
      maxDocumentBytes = options.maxDocumentBytes;
      workers = own;
      const opening = library ? openStorage(library.name, { ...library, signal }) : null;
      try {
        await Promise.all([build.start(compiled), opening]);
        isOnnx = kind?.type === "onnx";
        embedder = makeEmbedder(kind, page, (kind) => build.encoders(kind, (spawn) => spawned("embedder", spawn), page));
      } catch (error) {
        const closed = opening?.then((opened) => opened.close()).catch(() => {});
        if (!library?.wait) await closed; // otherwise it may be waiting for another writer
        throw error;
      }
      storage = await opening;
      if (storage) held = build.held?.(storage, library.name, options);
      if (storage) await openLibrary(options);
      else engine = new Engine(options, embedder ?? undefined);
      remote?.again(remotes);
      upkeep = newUpkeep();
      embedder?.onSettled?.(() => engine.settleEmbedder());
      conversations = new Conversations(storage ?? new MemoryFiles());
      changed(); // resumes a graph that was not finished last time
    },
    /** Resolves when the model is loaded; starts again after a failure. Emits progress. */
    loadEmbedder: (_, { signal, emit }) => embedder?.load(signal, timed(emit)),
    collection: ({ name, options }) => engine.collection(name, options),
    async add({ collection, documents }, { signal, emit }) {
      const needsHtml = !readsHtml && documents.some(isHtml);
      let own = documents;
      if (needsHtml || documents.some(({ bytes }) => isBlob(bytes))) {
        own = await Promise.all(documents.map((one) => withOwnBytes(one, maxDocumentBytes)));
      }
      if (needsHtml) {
        await build.html();
        readsHtml = true;
      }
      return changed(await engine.add(collection, own, timed(emit), signal));
    },
    /** While the page is hidden, only questions are embedded. */
    pauseEmbedding: async ({ isHidden }) => embedder?.pause?.(isHidden),
    /** After a failure the model is loaded again. */
    async embedPending(_, { signal, emit }) {
      const progress = timed(emit);
      await embedder?.load(signal, progress);
      return changed(await engine.embedPending(progress, signal));
    },
    search: (request, { signal }) => engine.search(request, signal),
    facets: (request) => engine.facets(request),
    documents: (request) => engine.documents(request),
    vectors: (request) => {
      if (!Engine.prototype.vectors) throw unsupported("`kb.vectors` is not in the lite build: import from `vademecum`.");
      return engine.vectors(request);
    },
    remove: ({ collection, ids }) => engine.remove(collection, ids).then(changed),
    document: ({ collection, id }, { signal }) => (remote?.has(collection) ? remote.document(collection, id, signal) : engine.document(collection, id)),
    ...remote?.handlers,
    export: () => engine.export(),
    import: ({ bytes, salvage }, { emit }) => engine.import(bytes, salvage === true, timed(emit)).then(changed),
    save: () => engine.save(),
    stats: async () => ({
      ...engine.stats(),
      embedder: embedder && { id: embedder.id, threshold: embedder.threshold ?? null, ...(embedder.loaded ?? UNKNOWN) },
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
    /** A new agent will be used soon: its module is fetched before the first question. */
    expectRun: () => build.agent().then(() => {}),
    toolSchema: async ({ style, tools }) => (await build.agent()).toolSchema(style, tools),
    async run({ run, pipeline, hasLlm }, { signal, emit }) {
      const functions = (name, input, signal) => page.call("function", { run, name, input }, { signal });
      const ending = new AbortController();
      const end = () => ending.abort();
      if (signal.aborted) end();
      signal.addEventListener("abort", end);
      runs.add(ending);
      try {
        const agent = await build.agent();
        return await agent.run(remote?.ofRun(run) ?? engine, pipeline, llmOf(run), hasLlm, functions, emit, ending.signal);
      } finally {
        runs.delete(ending);
        signal.removeEventListener("abort", end);
      }
    },
    /** After a trap: releases everything without calling the module. */
    abandon() {
      for (const ending of runs) ending.abort();
      upkeep?.close();
      embedder?.close();
      held?.close();
      storage?.close().catch(() => {});
    },
    /** Saves unsaved changes first. */
    async close() {
      for (const ending of runs) ending.abort();
      upkeep?.close();
      if (storage && writes) await engine.save().catch(() => {});
      engine?.close();
      embedder?.close();
      held?.close();
      await storage?.close();
    },
  };
}

/** Whether a document may have to be read as HTML: a false positive costs a request, a false negative the text. */
const isHtml = ({ format, id }) => (format ? format === "html" : /\.x?html?$/i.test(id));

/** Reads files, and copies other bytes: when running on the calling thread, the caller may reuse its buffers meanwhile. */
async function withOwnBytes(document, limit) {
  const { id, bytes } = document;
  if (bytes === undefined) return document;
  if (!isBlob(bytes)) return { ...document, bytes: bytes.slice() };
  if (bytes.size > limit) {
    const message = `Document \`${id}\` has ${bytes.size} bytes of text; the limit is ${limit}. Split it into parts, or raise \`maxDocumentBytes\`.`;
    throw new VademecumError(message, { code: "document_too_large" });
  }
  return { ...document, bytes: new Uint8Array(await bytes.arrayBuffer()) };
}

/** What is known of a function that embeds. */
const UNKNOWN = { pooling: null, backend: null, instructions: null, stored: null, shared: null };

/** A storage that stays read-only. */
const frozen = (storage) => ({
  readOnly: true,
  list: () => storage.list(),
  read: (name) => storage.read(name),
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
    align: async () => ({}),
    load: async () => {},
    close: () => {},
  };
}
