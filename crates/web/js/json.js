// Converts values to JSON's types. Values without a JSON form are refused, because they would be lost or changed
// silently on the way to the engine.

import { invalid } from "./error.js";

/** Maximum depth of metadata. */
const LEVELS = 64;

/**
 * Copies a value to JSON's types, like `JSON.stringify`, with maps as objects and typed arrays as lists.
 * @param refuse `(path, what)` returns the error for a value without a JSON form
 */
export function asJson(path, value, refuse, levels = LEVELS) {
  const wrong = (what) => refuse(path, what);
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return value;
  if (typeof value !== "object") throw wrong(typeof value === "number" ? String(value) : `a ${typeof value}`);
  if (levels === 0) throw wrong(`nested more than ${LEVELS} levels deep, or a circle`);
  const tag = Object.prototype.toString.call(value);
  if (tag === "[object Date]" && Number.isNaN(Number(value))) throw wrong("an invalid date");
  if (typeof value.toJSON === "function") return asJson(path, value.toJSON(), refuse, levels - 1);
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && Symbol.iterator in value)) {
    return Array.from(/** @type {Iterable<unknown>} */ (value), (one, at) => asJson(`${path}[${at}]`, one, refuse, levels - 1));
  }
  const prototype = Object.getPrototypeOf(value);
  const isMap = tag === "[object Map]";
  // An object of another realm has another prototype, whose own prototype is null.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isMap && (!isPlain || Symbol.iterator in value)) throw wrong(`an instance of ${value.constructor?.name ?? "a class"}`);
  const given = (isMap ? [...value] : Object.entries(value)).filter(([, one]) => one !== undefined);
  for (const [name] of given) if (typeof name !== "string" || !isWhole(name)) throw wrong("one with a key that is no text, or has half a surrogate pair");
  return Object.fromEntries(given.map(([name, one]) => [name, asJson(`${path}.${name}`, one, refuse, levels - 1)]));
}

/** Returns metadata, called `name` in errors, in the engine's form. */
export function metadataOf(name, metadata) {
  const copy = asJson(name, metadata, (path, what) => invalid(path, "plain data", what));
  refuseHalves(name, copy);
  return copy;
}

/** Different values must not become equal. */
function refuseHalves(path, value) {
  if (typeof value === "string" && !isWhole(value)) throw invalid(path, WHOLE, shortened(value));
  if (Array.isArray(value)) value.forEach((one, at) => refuseHalves(`${path}[${at}]`, one));
  else if (typeof value === "object" && value !== null) for (const [name, one] of Object.entries(value)) refuseHalves(`${path}.${name}`, one);
}

/** Whether a string has no unpaired surrogates: the engine, which reads UTF-8, would replace each with U+FFFD. */
export const isWhole = (text) => !/\p{Surrogate}/u.test(text);

const shortened = (text) => JSON.stringify(text.length <= 40 ? text : `${text.slice(0, 40)}…`);
const WHOLE = "free of halves of surrogate pairs (`toWellFormed()` makes it so)";

/** Restricts a kind of string (`options.js`) to those without unpaired surrogates. */
export const wellFormed = (kind) => (name, value) => {
  if (!isWhole(kind(name, value))) throw invalid(name, WHOLE, shortened(value));
  return value;
};

/** Refuses such names among the arguments of a call, because the engine would read them as other names, including those of a pipeline and its steps. */
export function checkNames(call) {
  const { collection, collections, documents, id, ids, library, name, options, pipeline } = call ?? {};
  const given = { collection, collections, documents, id, ids, name: name ?? library?.name };
  const inner = { "": options, "pipeline.": pipeline, "pipeline.style.": pipeline?.style };
  const steps = Array.isArray(pipeline?.steps) ? pipeline.steps : [];
  steps.forEach((step, at) => (inner[`pipeline.steps[${at}].`] = step));
  for (const [where, own] of Object.entries(inner)) {
    for (const option of ["collection", "collections", "documents"]) given[where + option] ??= own?.[option];
  }
  for (const [option, value] of Object.entries(given)) {
    const names = [value].flat().map((one) => one?.id ?? one?.name ?? one);
    const at = names.findIndex((one) => typeof one === "string" && !isWhole(one));
    if (at === -1) continue;
    const place = Array.isArray(value) ? `${option}[${at}]` : option;
    throw invalid(value[at]?.id === undefined ? place : `${place}.id`, WHOLE, JSON.stringify(names[at]));
  }
}
