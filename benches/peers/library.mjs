// The same library in two engines: ten thousand passages, each with its vector.

import { labelled } from "./passages.mjs";
import { DIMENSIONS, synthetic } from "./synthetic.mjs";
import { row } from "./exact.mjs";

/** `count` passages and their vectors. The labelled set has fewer: it is gone through again from its first. */
export function passages(folder, count) {
  const { texts } = labelled(folder);
  const { vectors } = synthetic(count, 0);
  return Array.from({ length: count }, (_, at) => ({ text: texts[at % texts.length], vector: row(vectors, at) }));
}

/** Our knowledge base, imported from a file of unknown origin, whose postings are validated: `make` returns the bytes of a saved one, `open` opens them, `ask` asks the opened one. */
export function vademecum({ KnowledgeBase, Embedder }) {
  /** Hands out the vectors in order. */
  const embedder = (vectors) => {
    let next = 0;
    return Embedder.custom(async (texts) => texts.map(() => vectors[next++ % vectors.length]));
  };
  // A passage is a chunk, as it is a document in the other engine.
  const empty = (vectors) => KnowledgeBase.memory({ embedder: embedder(vectors), chunkTokens: 1000 });
  return {
    async make(all) {
      const kb = await empty(all.map(({ vector }) => vector));
      await kb.collection("passages");
      await kb.add("passages", all.map(({ text }, at) => ({ id: String(at), text })));
      const bytes = await kb.export();
      await kb.close();
      return bytes;
    },
    open: openLibrary,
    ask: (kb, query) => kb.search(query, { mode: "keyword", limit: 10 }),
    close: (kb) => kb.close(),
    size: (bytes) => bytes.byteLength,
  };

  async function openLibrary(bytes) {
    const kb = await empty([new Float32Array(DIMENSIONS)]);
    await kb.import(bytes);
    return kb;
  }
}

/**
 * Our engine over the files of a saved library, held in memory as the browser's storage holds them on disk: `make` returns the
 * files, `open` opens them, `ask` asks the opened library. They are the library's own, so postings are not validated.
 */
export function stored({ Engine }, { MemoryFiles }, imported) {
  return {
    async make(all) {
      const files = new MemoryFiles();
      const bytes = await imported.make(all); // starts the module
      const engine = await Engine.open(files, {}, undefined);
      await engine.import(bytes, false);
      await engine.save();
      engine.free();
      return files;
    },
    open: (files) => Engine.open(files, {}, undefined),
    ask: (engine, query) => engine.search({ query, mode: "keyword", limit: 10 }),
    close: (engine) => engine.free(),
    size: async (files) => (await files.list()).reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Orama, saved as its documentation says: what `save` returns, as JSON. */
export function orama(module) {
  const empty = () => module.create({ schema: { text: "string", embedding: `vector[${DIMENSIONS}]` } });
  return {
    async make(all) {
      const db = empty();
      const documents = all.map(({ text, vector }, at) => ({ id: String(at), text, embedding: Array.from(vector) }));
      await module.insertMultiple(db, documents, 1000);
      return JSON.stringify(module.save(db));
    },
    open(text) {
      const db = empty();
      module.load(db, JSON.parse(text));
      return db;
    },
    ask: (db, term) => module.search(db, { term, limit: 10 }),
    close() {},
    size: (text) => Buffer.byteLength(text),
  };
}
