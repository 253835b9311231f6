// What the right answer is: the nearest vectors by the full dot product.

import fs from "node:fs";
import { DIMENSIONS, synthetic } from "./synthetic.mjs";

export const LIMIT = 10;

/** Row `at` of a matrix. */
export const row = (matrix, at) => matrix.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS);

/**
 * `count` vectors and `queries` queries; from a file of 32-bit floats where one is given, whose last rows are then the queries.
 */
export function testVectors(count, queries, file) {
  if (!file) return { ...synthetic(count, queries), source: "synthetic" };
  const bytes = fs.readFileSync(file);
  const all = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const rows = all.length / DIMENSIONS;
  if (!Number.isInteger(rows) || rows <= queries) {
    throw new Error(`${file} holds ${all.length} floats, not more than ${queries} rows of ${DIMENSIONS}`);
  }
  const kept = Math.min(count, rows - queries);
  return {
    vectors: all.slice(0, kept * DIMENSIONS),
    queries: all.slice((rows - queries) * DIMENSIONS),
    source: "embeddings",
  };
}

/** The ids of the nearest `LIMIT` vectors of each query. */
export function nearest(vectors, queries) {
  const [count, asked] = [vectors.length / DIMENSIONS, queries.length / DIMENSIONS];
  return Array.from({ length: asked }, (_, query) => {
    const wanted = row(queries, query);
    const scores = new Float32Array(count);
    for (let at = 0; at < count; at++) {
      let sum = 0;
      for (let d = 0, from = at * DIMENSIONS; d < DIMENSIONS; d++) sum += wanted[d] * vectors[from + d];
      scores[at] = sum;
    }
    const least = Float32Array.from(scores).sort()[Math.max(0, count - LIMIT)];
    const best = [];
    for (let at = 0; at < count; at++) if (scores[at] >= least) best.push(at);
    return new Set(best);
  });
}

/** The share of the nearest vectors that were found, over all queries. */
export function recall(found, truth) {
  const hits = found.map((ids, query) => Array.from(ids).slice(0, LIMIT).filter((id) => truth[query].has(id)).length);
  return hits.reduce((sum, count) => sum + count, 0) / (truth.length * LIMIT);
}
