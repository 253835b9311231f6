// Kinds of options of libraries in parts.

import { invalid } from "../error.js";
import { checked, shown, whole } from "../options.js";

/** Whether parts are stored, and how many bytes of them: false, or an object. */
export function partCache(name, value) {
  if (value === false) return value;
  if (value === true || typeof value !== "object") throw invalid(name, "false, or an object such as { bytes: 100e6 }", shown(value));
  return checked(name, value, { bytes: whole(0, Number.MAX_SAFE_INTEGER) });
}

/** The vector of a question, as one of length 1. */
export function questionVector(name, value) {
  const isNumbers = (ArrayBuffer.isView(value) && "length" in value) || Array.isArray(value);
  const vector = isNumbers ? Float32Array.from(/** @type {ArrayLike<number>} */ (value)) : null;
  if (!vector?.length || !vector.every(Number.isFinite)) throw invalid(name, "an array of finite numbers", shown(value));
  return unit(vector);
}

/** Scales a vector to length 1. */
export function unit(vector) {
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((value) => value / length) : vector;
}
