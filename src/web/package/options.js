// What options must be. Each kind takes an option's name and value, gives the value back, or says what was expected.

import { checkPlain, invalid, onlyKnown } from "./error.js";

/** A value in a message: what it is, or, where it is short, itself. */
export function shown(value) {
  if (typeof value === "string") return value.length <= 40 ? `the text ${JSON.stringify(value)}` : "a long text";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}

const kind = (expected, fits, keep = (value) => value) => (name, value) => {
  if (!fits(value)) throw invalid(name, expected, shown(value));
  return keep(value);
};

const isText = (value) => typeof value === "string" && value.trim() !== "";

export const text = kind("a text", isText);
export const flag = kind("true or false", (value) => typeof value === "boolean");
export const func = kind("a function", (value) => typeof value === "function");
export const names = kind("a list of names", (value) => Array.isArray(value) && value.every(isText), (value) => [...value]);
export const cosine = kind("a number from 0 to 1", (value) => typeof value === "number" && value >= 0 && value <= 1);
export const whole = (from, to = Infinity) =>
  kind(`a whole number from ${from}${to === Infinity ? "" : ` to ${to}`}`, (value) => Number.isSafeInteger(value) && value >= from && value <= to);
export const oneOf = (...values) =>
  kind(values.map((value) => JSON.stringify(value)).join(" or "), (value) => values.includes(value));

/** Names, some perhaps with what is in them. */
export function choices(name, value) {
  if (!Array.isArray(value)) throw invalid(name, "a list of names, or of { name, description }", shown(value));
  const described = (one, at) => checked(`${name}[${at}]`, one, { name: text, description: text });
  return value.map((one, at) => (typeof one === "string" ? text(`${name}[${at}]`, one) : described(one, at)));
}

export function filters(name, value) {
  if (typeof value !== "object") throw invalid(name, "an object or a list of conditions", shown(value));
  checkPlain(name, value, { gaps: false, levels: 128 });
  return value;
}

const milliseconds = kind("a number above 0", (value) => Number.isFinite(value) && value > 0);

export const budget = (name, value) =>
  checked(name, value, { llmCalls: whole(0), tokens: whole(0), ms: milliseconds, toolCalls: whole(0) });

const anyText = kind("a text", (value) => typeof value === "string");

export function history(name, value) {
  if (!Array.isArray(value)) throw invalid(name, "a list of { question, answer }", shown(value));
  // What sums up other turns has no question.
  const turn = (one) => ({ question: one?.summary === true ? anyText : text, answer: anyText, withheld: flag, summary: flag });
  return value.map((one, at) => checked(`${name}[${at}]`, one, turn(one)));
}

/** What every run may be given when it begins. */
export const ENDS = { signal: (_, value) => value, onCheckpoint: func, onBeforeSend: func };

/** Options that are all known and of their kind. `undefined` and `null` mean the default, and are left out. */
export function checked(where, options, kinds) {
  if (options === undefined || options === null) return {};
  if (typeof options !== "object" || Array.isArray(options)) throw invalid(where, "an object of options", shown(options));
  onlyKnown(where, options, Object.keys(kinds));
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, kinds[name](`${where}.${name}`, value)]));
}
