// The projection of the demo's map, compared with known variances and with all eigenvectors of the covariance matrix.

import assert from "node:assert/strict";
import { test } from "node:test";
import { project } from "../../../www/library/projection.js";

/** Returns a seeded generator of pseudorandom numbers from 0 to 1 (mulberry32). */
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns random vectors with these standard deviations per axis. */
function cloud(count, spreads, seed = 1) {
  const next = random(seed);
  return Float32Array.from({ length: count * spreads.length }, (_, at) => 0.3 + spreads[at % spreads.length] * (next() + next() + next() - 1.5));
}

/** Returns the eigenvalues of the covariance matrix in descending order (Jacobi's method). */
function eigenvalues(values, size) {
  const count = values.length / size;
  const mean = Array.from({ length: size }, (_, column) => values.reduce((sum, value, at) => (at % size === column ? sum + value : sum), 0) / count);
  const centred = Array.from(values, (value, at) => value - mean[at % size]);
  const matrix = mean.map((_, one) => mean.map((_, other) => Array.from({ length: count }, (_, row) => centred[row * size + one] * centred[row * size + other]).reduce((a, b) => a + b, 0)));
  for (let sweep = 0; sweep < 30; sweep++) {
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        if (Math.abs(matrix[p][q]) < 1e-15) continue;
        const angle = Math.atan2(2 * matrix[p][q], matrix[q][q] - matrix[p][p]) / 2;
        const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
        for (const row of matrix) [row[p], row[q]] = [cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]];
        [matrix[p], matrix[q]] = [matrix[p].map((value, at) => cos * value - sin * matrix[q][at]), matrix[p].map((value, at) => sin * value + cos * matrix[q][at])];
      }
    }
  }
  return matrix.map((row, at) => row[at]).sort((a, b) => b - a);
}

test("the two widest directions are the map's, the widest first, to one scale", async () => {
  const values = cloud(400, [0.01, 1, 0.01, 3, 0.01]);
  const { points, explained } = await project(values, 5);
  assert.equal(points.length, 400);
  assert.ok(explained > 0.999 && explained <= 1, String(explained));
  const mean = (column) => values.reduce((sum, value, at) => (at % 5 === column ? sum + value : sum), 0) / 400;
  const reach = Math.max(...points.map((_, row) => Math.abs(values[row * 5 + 3] - mean(3))));
  for (const [row, { x, y }] of points.entries()) {
    assert.ok(Math.abs(x - (values[row * 5 + 3] - mean(3)) / reach) < 0.02, `${row}: ${x}`);
    assert.ok(Math.abs(y - (values[row * 5 + 1] - mean(1)) / reach) < 0.02, `${row}: ${y}`);
  }
});

test("the share that is shown is that of the two largest eigenvalues of the covariance", async () => {
  for (const seed of [1, 2, 3]) {
    const values = cloud(60, [0.9, 0.3, 0.6, 0.2, 0.1, 0.4], seed);
    const all = eigenvalues(values, 6);
    const sum = all.reduce((a, b) => a + b, 0);
    const { explained } = await project(values, 6);
    assert.ok(Math.abs(explained - (all[0] + all[1]) / sum) < 0.002, `${explained} of ${all}`);
  }
});

test("of two subjects each lies together, apart from the other, and the same vectors make the same map", async () => {
  const next = random(7);
  const values = Float32Array.from({ length: 12 * 8 }, (_, at) => ((at >> 3) % 2 === Math.floor((at % 8) / 4) ? 0.5 : 0) + 0.05 * next());
  const { points } = await project(values, 8);
  const sides = points.map(({ x }) => Math.sign(x));
  assert.ok(sides[0] !== sides[1] && sides.every((side, at) => side === sides[at % 2]), String(sides));
  assert.ok(points.every(({ x, y }) => Math.abs(x) > 0.8 && Math.abs(y) < 0.3), JSON.stringify(points));
  assert.deepEqual(await project(values, 8), await project(values.slice(), 8));
});

test("of thousands the plane is fitted to some, and all are placed on it", async () => {
  const { points, explained } = await project(cloud(3001, [0.1, 2, 1]), 3);
  assert.equal(points.length, 3001);
  assert.ok(explained > 0.98, String(explained));
  assert.ok(points.every(({ x, y }) => Math.abs(x) <= 1 && Math.abs(y) <= 1));
});

test("vectors that are all alike lie on one point, and none make an empty map", async () => {
  const { points, explained } = await project(new Float32Array(12).fill(0.5), 4);
  assert.equal(explained, 0);
  assert.ok(points.length === 3 && points.every(({ x, y }) => Math.abs(x) < 1e-3 && Math.abs(y) < 1e-3), JSON.stringify(points));
  assert.deepEqual(await project(new Float32Array(0), 0), { explained: 0, points: [] });
});
