// Plain copies of values from users, including the data of reactive proxies (Vue, Svelte, MobX, Immer), which cannot
// be sent to a worker.

import { invalid } from "./error.js";

/** Maximum depth of metadata and filters: much deeper values cannot be sent to a worker. */
const LEVELS = 64;

/**
 * Copies a value without proxies. Dates become ISO 8601; binary data and similar objects are passed on unchanged. Refuses values that would
 * arrive changed or not at all: functions, symbols, values that are too deep, cycles, and, without `gaps`,
 * `undefined` and NaN.
 */
export function plain(name, value, { gaps = true, levels = LEVELS } = {}) {
  if (!gaps && (value === undefined || Number.isNaN(value))) {
    throw invalid(name, "neither undefined nor NaN (`null` finds documents without the field)", String(value));
  }
  if (typeof value === "function" || typeof value === "symbol") throw invalid(name, "plain data", `a ${typeof value}`);
  if (typeof value !== "object" || value === null) return value;
  const isList = Array.isArray(value);
  const tag = Object.prototype.toString.call(value);
  if (tag === "[object Date]" && Number.isFinite(value.getTime())) return value.toISOString();
  if (!isList && tag !== "[object Object]" && tag !== "[object Map]") return value;
  if (levels === 0) throw invalid(name, "nested at most 64 levels deep", "nested deeper, or a circle");
  const inner = (one, key) => plain(isList ? `${name}[${key}]` : `${name}.${key}`, one, { gaps, levels: levels - 1 });
  if (isList) return Array.from(value, inner);
  const entries = tag === "[object Map]" ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, one]) => [key, inner(one, key)]));
}

/**
 * Binds the methods and getters of an object with private fields to it, so that it works through a reactive proxy, such
 * as the one of Vue's `ref`: a proxy has no private fields.
 */
export function bound(object) {
  for (let own = Object.getPrototypeOf(object); own !== Object.prototype; own = Object.getPrototypeOf(own)) {
    for (const key of Reflect.ownKeys(own)) {
      if (key === "constructor" || Object.hasOwn(object, key)) continue;
      const { value, get } = Object.getOwnPropertyDescriptor(own, key) ?? {};
      const descriptor = get ? { get: get.bind(object) } : { value: typeof value === "function" ? value.bind(object) : value, writable: true };
      Object.defineProperty(object, key, { ...descriptor, configurable: true });
    }
  }
}
