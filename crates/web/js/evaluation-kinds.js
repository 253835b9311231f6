// Kinds of the fields of evaluation cases that need more than `options.js`.

import { invalid } from "./error.js";
import { shown, text, whole } from "./options.js";

/** Returns grades by document; in a plain list, all are equal. */
export function relevance(name, value) {
  const isObject = typeof value === "object" && value !== null;
  const grades = Array.isArray(value) ? value.map((id) => [text(name, id), 1]) : Object.entries(isObject ? value : {});
  if (grades.length === 0) throw invalid(name, "at least one relevant document: a list of ids, or { id: grade }", shown(value));
  return Object.fromEntries(grades.map(([id, grade]) => [id, whole(1, 1000)(`${name}.${id}`, grade)]));
}
