// Passages while a question is typed: by words at once, then by meaning as well.

import { byId } from "../dom.js";
import { keyOf } from "../kept.js";
import { hideHits, showHits } from "./hits.js";

const LIMIT = 8;
/** A passage that is no nearer in meaning has nothing to do with the question. */
const THRESHOLD = 0.25;
const TYPING_PAUSE = 60;

/** Whether there is anything in it that can be looked for. */
export const isSearchable = (text) => /[\p{L}\p{N}]/u.test(text);

export const nothingIn = (text) => `There is nothing to look for in “${text.trim()}”. Use words or numbers.`;

export class Passages {
  #app;
  #scope;
  #under = null; // the search under way

  /** @param scope gives the collections that are searched, or none for all */
  constructor(app, scope) {
    this.#app = app;
    this.#scope = scope;
  }

  stop() {
    this.#under?.abort();
  }

  async typed(text) {
    this.stop();
    const searchable = isSearchable(text);
    byId("ask-said").textContent = searchable || !text.trim() ? "" : nothingIn(text);
    if (!searchable) return this.none();
    const { signal } = (this.#under = new AbortController());
    await new Promise((resolve) => setTimeout(resolve, TYPING_PAUSE));
    try {
      this.show(await this.#search(text, { mode: "keyword", prefix: true, signal }), text);
      this.show(await this.#search(text, { prefix: true, signal }), text);
    } catch (error) {
      if (error.code === "empty_question") return this.none();
      if (error.code !== "aborted") this.#app.complain(error);
    }
  }

  /** The passages for a question that is asked; null where they cannot be found, for the answer says why. */
  async asked(text, signal) {
    this.stop();
    return this.#search(text, { signal }).catch(() => null);
  }

  /** @param gone the keys of documents that were removed since */
  show(found, text, gone = new Set()) {
    showHits(found, text, this.#app.open, (hit) => gone.has(keyOf(hit)));
    this.#app.hits.value = found.hits;
  }

  none() {
    hideHits();
    this.#app.hits.value = [];
  }

  #search(text, options) {
    const { kb, filters } = this.#app;
    const collections = this.#scope();
    const where = { ...(collections.length > 0 && { collections }), ...(filters?.value && { filters: filters.value }) };
    return kb.search(text, { limit: LIMIT, threshold: THRESHOLD, explain: true, ...where, ...options });
  }
}
