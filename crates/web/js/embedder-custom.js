// Embedders that are functions of the user's.

import { VademecumError } from "./error.js";
import { CUSTOM_EMBEDDER_DEFAULTS, CUSTOM_EMBEDDER_OPTIONS } from "./generated/embedder-table.js";
import { checked, func, shown } from "./options.js";

/** A function `(texts, { kind, signal }) => vectors`, which returns one array of numbers per text. */
export function custom(embed, options) {
  func("embed", embed);
  const { threshold, concurrency, id } = { ...CUSTOM_EMBEDDER_DEFAULTS, ...checked("Embedder.custom", options, CUSTOM_EMBEDDER_OPTIONS) };
  return { type: "custom", threshold, concurrency, id, embed };
}

/** Flattens the result of a custom embedder. */
export function flatten(vectors) {
  const wrong = (expected, got) =>
    new VademecumError(`The embedder must return ${expected}, but returned ${got}.`, { code: "vector_shape" });
  const isVector = (one) => ArrayBuffer.isView(one) || (Array.isArray(one) && one.every((value) => typeof value === "number"));
  if (!Array.isArray(vectors)) throw wrong("an array of vectors", typeof vectors);
  const other = vectors.find((one) => !isVector(one));
  if (other !== undefined || vectors.includes(undefined)) throw wrong("arrays of numbers", shown(other));
  const dimensions = vectors[0]?.length ?? 0;
  const values = new Float32Array(vectors.length * dimensions);
  vectors.forEach((vector, at) => {
    if (vector?.length !== dimensions) throw wrong(`vectors of ${dimensions} numbers each`, `one of ${vector?.length}`);
    values.set(vector, at * dimensions);
  });
  return { dimensions, values, truncated: vectors.map(() => false) };
}
