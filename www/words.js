// The language of the page. English texts are in the code and in index.html; another language is a catalogue of them (words/de), which boot.js
// has loaded before any other script runs. Without one, texts stay as they are.

/** @typedef {{ words?: Record<string, string>, nouns?: Record<string, { one: string, other: string }>, reasons?: Record<string, string>, phrases?: Record<string, string>, errors?: Record<string, string> }} Catalogue */

/** @type {Required<Catalogue> | null} */
let catalogue = null;
/** The language of the page, as in `<html lang>`. */
export let language = "en";
let forms = new Intl.PluralRules(language);

/**
 * Sets the language, before texts are asked for.
 *
 * @param {string} name
 * @param {Catalogue[]} parts
 */
export function speak(name, parts) {
  language = name;
  forms = new Intl.PluralRules(name);
  const all = (/** @type {keyof Catalogue} */ kind) => Object.assign({}, ...parts.map((part) => part[kind]));
  templates = null;
  catalogue = { words: all("words"), nouns: all("nouns"), reasons: all("reasons"), phrases: all("phrases"), errors: all("errors") };
}

/**
 * Returns a text in the language of the page. The English text is its key, with `{0}`, `{1}` … for what a template inserts; spaces around it stay.
 *
 * @param {string | TemplateStringsArray} text
 * @param {any[]} values
 */
export function t(text, ...values) {
  if (catalogue === null) return typeof text === "string" ? text : String.raw({ raw: text }, ...values);
  const english = typeof text === "string" ? text : text.reduce((sofar, part, at) => `${sofar}{${at - 1}}${part}`);
  const key = english.trim();
  const said = english.replace(key, () => catalogue?.words[key] ?? key);
  return values.length === 0 ? said : said.replace(/\{(\d+)\}/g, (_, at) => String(values[at]));
}

/** Returns a noun in the form that belongs to a number: `passage` → `passages`. */
export function nounOf(count, noun) {
  const own = catalogue?.nouns[noun];
  if (own) return own[/** @type {"one" | "other"} */ (forms.select(count))] ?? own.other;
  return count === 1 ? noun : `${noun}${noun.endsWith("ch") ? "es" : "s"}`;
}

/** Returns a text of the package with the sentences that are known in the language of the page. */
export const worded = (text) => Object.entries(catalogue?.reasons ?? {}).reduce((sofar, [english, own]) => sofar.replaceAll(english, () => own), text);

/** @type {[RegExp, string][] | null} the phrases, those with most of their own letters first, because another one may be a part of it */
let templates = null;

/** @param {Record<string, string>} phrases @returns {[RegExp, string][]} */
function templatesOf(phrases) {
  const own = (text) => text.replace(/\{\d\}/g, "").length;
  const escaped = (text) => text.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\d\}/g, "([^]+?)");
  return Object.entries(phrases).sort(([a], [b]) => own(b) - own(a)).map(([english, german]) => /** @type {[RegExp, string]} */ ([new RegExp(`^${escaped(english)}$`), german]));
}

/** Returns what the package says of a step or of rows in the language of the page, if it is known there as a whole: `found {0} in {1}`. */
export function phrased(text) {
  if (catalogue === null) return text;
  templates ??= templatesOf(catalogue.phrases);
  for (const [pattern, own] of templates) {
    const found = pattern.exec(text);
    if (found) return own.replace(/\{(\d)\}|<(\d)>/g, (_, asItIs, at) => (asItIs === undefined ? phrased(found[Number(at) + 1]) : found[Number(asItIs) + 1]));
  }
  return worded(text);
}

/** Returns the sentence for the code of an error of the package, or null where the page has none of its own. */
export const errorOf = (code) => catalogue?.errors[code] ?? null;
