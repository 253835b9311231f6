// Kinds of options of agents and conversations that need more than `options.js`.

import { invalid } from "./error.js";
import { searcher, shown } from "./options.js";

/** One of these methods, or a function in place of them. */
export const answerer = (methods) => (name, value) => {
  if (typeof value === "function" || methods.includes(value)) return value;
  throw invalid(name, `${methods.map((one) => `"${one}"`).join(", ")} or a function`, shown(value));
};

/** Options of a style that is not known here. */
export function styleOptions(name, value) {
  if (typeof value !== "object" || Array.isArray(value)) throw invalid(name, "an object of options", shown(value));
  // An object that searches would not survive as data; its method does by name.
  return value.searcher ? { ...value, searcher: searcher(`${name}.searcher`, value.searcher) } : { ...value };
}

/** Functions that saved data names. */
export function functionsByName(name, value) {
  if (typeof value !== "object" || Array.isArray(value)) throw invalid(name, "an object of functions by name", shown(value));
  return value;
}
