// Each vector engine behind the same few functions.
//   settings   what can be turned, each with a label; `prepare(setting)` turns it and is not timed
//   build      takes the vectors; timed
//   search     what is timed; `ids` reads its answer and is not
//   bytes      the size of what would be saved; `memory` the bytes it holds now
// Each is called as its own documentation recommends for unit vectors.

import "../shims.mjs";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { LIMIT, row } from "../exact.mjs";
import { heap } from "../measure.mjs";
import { DIMENSIONS } from "../synthetic.mjs";

const installed = (file) => path.join(path.dirname(fileURLToPath(import.meta.url)), "../node_modules", file);

const each = (vectors, act) => {
  for (let at = 0; at < vectors.length / DIMENSIONS; at++) act(row(vectors, at), at);
};

/** The engine under test. The graph is built apart from the rest, because it is worth having only for large libraries. */
export function vademecum(module) {
  let index;
  const setting = (method, option, value) => ({
    label: value === undefined ? method : `${method}, ${option} ${value}`,
    options: value === undefined ? { method } : { method, [option]: value },
  });
  return {
    settings: [
      setting("exact"),
      ...[20, 30, 50, 100, 200, 400].map((value) => setting("sketch", "candidates", value)),
      ...[16, 24, 40, 60, 100, 200].map((value) => setting("hnsw", "ef", value)),
    ],
    build(vectors) {
      index = new module.VectorIndex(DIMENSIONS);
      index.add(vectors);
      index.build();
    },
    graph: () => index.graph(),
    setGraph: (bytes) => index.setGraph(bytes),
    search: (query, { options }) => index.search(query, LIMIT, options),
    ids: (answer) => answer.ids,
    bytes: () => index.save().length,
    memory() {
      const { vectors, sketch, graph } = index.memory();
      return vectors + sketch + graph;
    },
  };
}

const M = 16;

async function hnswlib() {
  const { default: load } = await import(installed("hnswlib-wasm/lib/hnswlib.mjs"));
  const module = await load();
  let index;
  let count;
  // It saves through a browser's IndexedDB alone, so its file's size is worked out: vector, links below, label, and links above.
  const bytes = (n) => Math.round(n * (DIMENSIONS * 4 + (2 * M * 4 + 4) + 4 + 4 + (M * 4 + 4) / (M - 1)));
  return {
    settings: [20, 30, 40, 50, 60, 80, 100, 150, 200].map((ef) => ({ label: `efSearch ${ef}`, ef })),
    build(vectors) {
      count = vectors.length / DIMENSIONS;
      index = new module.HierarchicalNSW("ip", DIMENSIONS, "");
      index.initIndex(count, M, 200, 100);
      each(vectors, (vector, at) => index.addPoint(vector, at, false));
    },
    prepare: ({ ef }) => index.setEfSearch(ef),
    search: (query) => index.searchKnn(query, LIMIT, undefined),
    ids: (answer) => answer.neighbors,
    bytes: () => bytes(count),
    bytesFor: bytes,
    memory: () => module.HEAPU8.length,
  };
}

async function edgevec() {
  const module = await import(installed("edgevec/edgevec.js"));
  const exports = module.initSync({ module: fs.readFileSync(installed("edgevec/edgevec_bg.wasm")) });
  let kept;
  let index;
  // How far a search looks is fixed when the index is made: each setting has an index of its own, made before it is first timed.
  const indexes = new Map();
  const make = (ef) => {
    const config = new module.EdgeVecConfig(DIMENSIONS);
    // Its two other metrics return the farthest vectors; on unit vectors the order of l2 is that of the dot product.
    config.metric = "l2";
    if (ef) config.ef_search = ef;
    const made = { edgevec: new module.EdgeVec(config), places: new Map() };
    each(kept, (vector, at) => made.places.set(made.edgevec.insert(vector.slice()), at));
    indexes.set(ef, made);
    return made;
  };
  return {
    settings: [{ label: "as it comes" }, ...[80, 120, 200].map((ef) => ({ label: `ef_search ${ef}`, ef }))],
    build(vectors) {
      kept = vectors;
      index = make();
    },
    prepare({ ef }) {
      index = indexes.get(ef) ?? make(ef);
    },
    search: (query) => index.edgevec.search(query, LIMIT),
    ids: (answer) => answer.map(({ id }) => index.places.get(id)),
    bytes: () => index.edgevec.serializedSize(),
    memory: () => exports.memory.buffer.byteLength,
  };
}

async function voy() {
  const glue = await import(installed("voy-search/voy_search_bg.js"));
  const wasm = fs.readFileSync(installed("voy-search/voy_search_bg.wasm"));
  const { instance } = await WebAssembly.instantiate(wasm, { "./voy_search_bg.js": glue });
  glue.__wbg_set_wasm(instance.exports);
  let index;
  return {
    settings: [{ label: "as it comes" }],
    build(vectors) {
      const embeddings = [];
      each(vectors, (vector, at) =>
        embeddings.push({ id: String(at), title: "", url: "", embeddings: Array.from(vector) }));
      index = new glue.Voy({ embeddings });
    },
    search: (query) => index.search(query, LIMIT),
    ids: (answer) => answer.neighbors.map(({ id }) => Number(id)),
    bytes: () => index.serialize().length,
    memory: () => /** @type {WebAssembly.Memory} */ (instance.exports.memory).buffer.byteLength,
  };
}

async function orama() {
  const module = await import("@orama/orama");
  let db;
  const before = await heap();
  return {
    settings: [{ label: "as it comes" }],
    async build(vectors) {
      db = module.create({ schema: { embedding: `vector[${DIMENSIONS}]` } });
      for (let at = 0; at < vectors.length / DIMENSIONS; at++) {
        await module.insert(db, { id: String(at), embedding: Array.from(row(vectors, at)) });
      }
    },
    query: (vector) => Array.from(vector),
    search: (value) =>
      module.searchVector(db, { vector: { value, property: "embedding" }, limit: LIMIT, similarity: 0, includeVectors: false }),
    ids: (answer) => answer.hits.map(({ id }) => Number(id)),
    bytes: () => JSON.stringify(module.save(db)).length,
    memory: async () => (await heap()) - before,
  };
}

export const PEERS = { "hnswlib-wasm": hnswlib, edgevec, "voy-search": voy, "@orama/orama": orama };
