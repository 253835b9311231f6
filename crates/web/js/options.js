// What options must be: one table per call, from an option's name to its kind. A kind is a function that takes the
// option's full name and the value, and returns the value, as a plain copy where it is an object, or throws
// `invalid_argument` with the name, what was expected and what came. `checked` applies a table.
//
// Tables are generated from what the options are declared by in Rust (`crates/schema`), into `generated/`; `cargo xtask generate`
// writes them. The kinds are these, and some few beside what they are about.

import { invalid, meant, onlyKnown } from "./error.js";
import { plain } from "./plain.js";

/** Returns a value for a message: short ones as they are, others by their type. */
export function shown(value) {
  if (typeof value === "string") return value.length <= 40 ? `the string ${JSON.stringify(value)}` : "a long string";
  if (typeof value === "function") return "a function";
  if (typeof value === "bigint") return `the BigInt ${value}`;
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  const name = value.constructor?.name;
  return typeof name === "string" && !["", "Object"].includes(name) ? `an instance of ${name}` : "an object";
}

const kind = (expected, fits) => (name, value) => {
  if (!fits(value)) throw invalid(name, expected, shown(value));
  return value;
};

const isText = (value) => typeof value === "string" && value.trim() !== "";
const isNumber = (value, from, to) => typeof value === "number" && value >= from && value <= to;
const shownNumber = (value) => value.toLocaleString("en");

/** The largest integer that the engine accepts. */
const MOST = 2 ** 32 - 1;

export const any = (_, value) => value;
export const string = kind("a string", (value) => typeof value === "string");
export const text = kind("a non-empty string", isText);
export const flag = kind("true or false", (value) => typeof value === "boolean");
export const func = kind("a function", (value) => typeof value === "function");
/**
 * Property of the package's own remote collections, whose replies are plain data, and of the function of a searcher that is one. For a collection: `search`, and
 * `chroma`, the options by which the engine's worker can search in its place, if it can.
 */
export const REMOTE = Symbol("RemoteCollection");
/** A function that searches, or an object with such a method `search`; returns a function. */
export function searcher(name, value) {
  if (typeof value === "function") return value;
  if (typeof value === "object" && typeof value?.search === "function") {
    const search = (...given) => value.search(...given);
    // A remote collection is asked with the question's vector, and not as a function is.
    return value[REMOTE] ? Object.assign(search, { [REMOTE]: value }) : search;
  }
  throw invalid(name, "a function, or an object with a method `search`", shown(value));
}
/** A function that ranks, or the run's LLM. */
export const reranker = kind('a function or "llm"', (value) => typeof value === "function" || value === "llm");
export const signal = kind("an AbortSignal", (value) => typeof value?.addEventListener === "function");
export const number = (from, to = Number.MAX_VALUE) => kind(`a number from ${from}${to < MOST ? ` to ${to}` : ""}`, (value) => isNumber(value, from, to));
export const above = (from) => kind(`a number above ${from}`, (value) => Number.isFinite(value) && value > from);
export const cosine = number(0, 1);
export const whole = (from, to = MOST) => (name, value) => {
  if (Number.isInteger(value) && isNumber(value, from, to)) return value;
  const most = to < MOST || (typeof value === "number" && value > to) ? ` to ${shownNumber(to)}` : "";
  throw invalid(name, `a whole number from ${from}${most}`, shown(value));
};
/** A whole number, or a word in its place. */
export const wholeOr = (word, from, to) => (name, value) => {
  if (value === word || (Number.isInteger(value) && isNumber(value, from, to))) return value;
  throw invalid(name, `a whole number from ${from} to ${to} or ${JSON.stringify(word)}`, shown(value));
};
export const oneOf = (...values) => (name, value) => {
  if (values.includes(value)) return value;
  const hint = meant(value, values.filter((one) => typeof one === "string"), JSON.stringify);
  throw invalid(name, values.map((one) => JSON.stringify(one)).join(" or "), shown(value), hint);
};

/** An array of values of a kind; `of` describes them. */
export const list = (of, one) => (name, value) => {
  if (!Array.isArray(value)) throw invalid(name, `an array of ${of}`, shown(value));
  return value.map((item, at) => one(`${name}[${at}]`, item));
};

export const names = list("strings", text);

/** An object with options of its own. */
export const shape = (kinds) => (name, value) => checked(name, value, kinds);

/** Plain data: objects, arrays, strings, numbers, booleans and null. `what` describes the expected value. */
export const data = (what) => (name, value) => {
  if (typeof value !== "object" || Array.isArray(value)) throw invalid(name, what, shown(value));
  return plain(name, value);
};

/** Names, some optionally with a description. */
export const choices = list("names, or of { name, description }", (name, one) =>
  typeof one === "string" ? text(name, one) : checked(name, one, { name: text, description: text }),
);

export function filters(name, value) {
  if (typeof value !== "object") throw invalid(name, "an object or an array of conditions", shown(value));
  return plain(name, value, { gaps: false, levels: 128 });
}

/** The turns of a conversation. One that sums up others has no question. */
export const turns = (kinds) => list("{ question, answer }", (name, one) => checked(name, one, one?.summary === true ? { ...kinds, question: string } : kinds));

/** The steps of a style that ask an LLM, each with options of its own. */
export const stepsOf = (kinds, ...steps) => shape(Object.fromEntries(steps.map((step) => [step, shape(kinds)])));

/**
 * Returns checked options, all known and of their kind. `undefined` and `null` mean the default, and are omitted. `elsewhere` is passed to `onlyKnown`.
 * @param {(key: string) => string} [elsewhere]
 * @returns {any}
 */
export function checked(where, options, kinds, elsewhere) {
  if (options === undefined || options === null) return {};
  if (typeof options !== "object" || Array.isArray(options)) throw invalid(where, "an object of options", shown(options));
  onlyKnown(where, options, Object.keys(kinds), elsewhere);
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, kinds[name](`${where}.${name}`, value)]));
}
