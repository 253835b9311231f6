// Projects vectors onto the plane on which they differ most: principal component analysis by power iteration.
//
// It begins from the same start each time, so that the same library gives the same map.

/** Number of vectors the plane is fitted to: more hardly move it. */
const SAMPLE = 1000;
/** Rounds of power iteration. A map needs a plane that keeps nearly the most, not the very most. */
const ROUNDS = 20;
/** No distance between unit vectors that would be worth showing. */
const NOTHING = 1e-4;

const pause = () => new Promise((resolve) => setTimeout(resolve));

/**
 * @param {Float32Array} values vectors, one after the other
 * @param {number} dimensions the length of each
 * @returns {Promise<{ explained: number, points: { x: number, y: number }[] }>} each vector's place, from -1 to 1, to one scale; and the
 *   share of the differences between the vectors that the plane shows, from 0 to 1: how far the map can be trusted
 */
export async function project(values, dimensions) {
  const count = dimensions > 0 ? values.length / dimensions : 0;
  const rows = Array.from({ length: count }, (_, row) => values.subarray(row * dimensions, (row + 1) * dimensions));
  const chosen = Math.min(count, SAMPLE);
  const { middle, axes, explained } = await fit(Array.from({ length: chosen }, (_, at) => rows[Math.floor((at * count) / chosen)]), dimensions);
  const points = rows.map((row) => {
    const fromMiddle = row.map((value, at) => value - middle[at]);
    return { x: dot(fromMiddle, axes[0]), y: dot(fromMiddle, axes[1]) };
  });
  const reach = points.reduce((most, { x, y }) => Math.max(most, Math.abs(x), Math.abs(y)), 0);
  // Vectors that are all but equal lie on one point: what rounding makes of them is no difference.
  const scale = reach > NOTHING ? reach : 1;
  return { explained, points: points.map(({ x, y }) => ({ x: x / scale, y: y / scale })) };
}

/** Finds the plane through the middle of some vectors on which they differ most, pausing between rounds so that the page can answer. */
async function fit(vectors, dimensions) {
  const middle = new Float64Array(dimensions);
  for (const vector of vectors) add(middle, vector, 1 / vectors.length);
  const centred = vectors.map((vector) => Float64Array.from(vector, (value, at) => value - middle[at]));
  const all = centred.reduce((sum, vector) => sum + dot(vector, vector), 0);
  // Any start will do that is not at right angles to the axis; where all vectors are equal there is none.
  const start = (turn) => Float64Array.from({ length: dimensions }, (_, at) => 1 / (1 + ((at + turn) % 7)));
  let axes = [start(0), start(3)];
  let kept = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const [one, two] = axes;
    toUnit(one);
    add(two, one, -dot(two, one));
    toUnit(two);
    const next = [new Float64Array(dimensions), new Float64Array(dimensions)];
    kept = 0;
    for (const vector of centred) {
      const along = [dot(vector, one), dot(vector, two)];
      kept += along[0] ** 2 + along[1] ** 2;
      add(next[0], vector, along[0]);
      add(next[1], vector, along[1]);
    }
    if (round + 1 < ROUNDS) axes = next;
    await pause();
  }
  return { middle, axes: axes.map(upright), explained: all > NOTHING ** 2 ? Math.min(1, kept / all) : 0 };
}

/** Of the two ways an axis may point, the one in which its largest number is positive. */
function upright(axis) {
  const largest = axis.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
  return largest < 0 ? axis.map((value) => -value) : axis;
}

function toUnit(vector) {
  const length = Math.sqrt(dot(vector, vector));
  if (length > 0) for (let at = 0; at < vector.length; at++) vector[at] /= length;
}

function add(sum, vector, times) {
  for (let at = 0; at < sum.length; at++) sum[at] += times * vector[at];
}

function dot(one, other) {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += one[at] * other[at];
  return sum;
}
