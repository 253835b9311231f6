// Vectors that behave like the embeddings of sentences: a common direction, clusters of which few are large, clusters within
// clusters, and noise whose variance decays over the directions. Uniformly random vectors have no neighbours worth finding.
//
// As a program it writes vectors to a file: node synthetic.mjs 100000 vectors.f32

import fs from "node:fs";
import { pathToFileURL } from "node:url";

export const DIMENSIONS = 384;
const CLUSTERS = 300;
const PARTS = 10;
const BLOCK = 128;

/** Xoshiro128**, so that every machine makes the same vectors. */
function generator(seed) {
  const state = new Uint32Array(4);
  for (let at = 0; at < 4; at++) state[at] = Math.imul(seed + at + 1, 0x9e3779b9) ^ 0x85ebca6b;
  const turned = (value, by) => (value << by) | (value >>> (32 - by));
  const next = () => {
    const result = Math.imul(turned(Math.imul(state[1], 5), 7), 9) >>> 0;
    const shifted = state[1] << 9;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = turned(state[3], 11);
    return result;
  };
  for (let warm = 0; warm < 20; warm++) next();
  const uniform = () => (next() + 0.5) / 2 ** 32;
  return { uniform, normal: () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()) };
}

/** Spreads the decaying directions over all dimensions: signs, Hadamard transforms and shuffles, all of which keep lengths. */
function rotation(random) {
  const passes = Array.from({ length: 3 }, () => {
    const order = Array.from({ length: DIMENSIONS }, (_, at) => at);
    for (let at = DIMENSIONS - 1; at > 0; at--) {
      const other = Math.floor(random.uniform() * (at + 1));
      [order[at], order[other]] = [order[other], order[at]];
    }
    return { order, signs: Float64Array.from({ length: DIMENSIONS }, () => (random.uniform() < 0.5 ? -1 : 1)) };
  });
  return (vector) => {
    for (const { order, signs } of passes) {
      const moved = Float64Array.from(order, (from, at) => vector[from] * signs[at]);
      for (let block = 0; block < DIMENSIONS; block += BLOCK) hadamard(moved, block);
      vector.set(moved);
    }
    return vector;
  };
}

function hadamard(vector, start) {
  for (let step = 1; step < BLOCK; step *= 2) {
    for (let group = start; group < start + BLOCK; group += 2 * step) {
      for (let at = group; at < group + step; at++) {
        const [low, high] = [vector[at], vector[at + step]];
        vector[at] = (low + high) * Math.SQRT1_2;
        vector[at + step] = (low - high) * Math.SQRT1_2;
      }
    }
  }
}

function unit(vector) {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

/** `count` unit vectors and `queries` more from the same distribution, always the same ones for the same numbers. */
export function synthetic(count, queries) {
  const shapes = generator(7);
  const rotate = rotation(shapes);
  const spectrum = Float64Array.from({ length: DIMENSIONS }, (_, at) => (at + 1) ** -0.45);
  const direction = (random) => unit(rotate(spectrum.map((scale) => scale * random.normal())));
  const mean = direction(shapes);
  const centres = Array.from({ length: CLUSTERS }, () => direction(shapes));
  const parts = Array.from({ length: CLUSTERS * PARTS }, () => direction(shapes));
  const weights = centres.map((_, at) => (at + 1) ** -0.7);
  const total = weights.reduce((sum, weight) => sum + weight);
  let reached = 0;
  const upTo = weights.map((weight) => (reached += weight / total));

  const draw = (random, many) => {
    const all = new Float32Array(many * DIMENSIONS);
    for (let row = 0; row < many; row++) {
      const place = random.uniform();
      const cluster = Math.min(CLUSTERS - 1, upTo.findIndex((limit) => place < limit) >>> 0);
      const part = parts[cluster * PARTS + Math.floor(random.uniform() * PARTS)];
      const noise = direction(random);
      const vector = noise.map(
        (value, at) => 0.25 * mean[at] + 0.55 * centres[cluster][at] + 0.45 * part[at] + 0.75 * value,
      );
      all.set(unit(vector), row * DIMENSIONS);
    }
    return all;
  };
  // Queries have a generator of their own, so that more vectors leave them what they are.
  return { vectors: draw(generator(11), count), queries: draw(generator(13), queries) };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [count, file] = process.argv.slice(2);
  fs.writeFileSync(file, new Uint8Array(synthetic(Number(count), 0).vectors.buffer));
}
