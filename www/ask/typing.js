// Passages while a question is typed: keyword search at once, then vector search as well.

import { byId } from "../dom.js";
import { keyOf } from "../run-snapshot.js";
import { hideHits, showHits } from "./hits.js";
import { chosenOf, narrowedTo } from "./scope.js";
import { t } from "../words.js";

const LIMIT = 8;
/** Minimum similarity of hits: anything below is irrelevant. */
const THRESHOLD = 0.25;
const TYPING_PAUSE = 60;

/** Whether the text contains anything to search for. */
export const isSearchable = (text) => /[\p{L}\p{N}]/u.test(text);

/** Shown while the sample is loading, when an empty result means nothing. */
export const BEING_READ = t("Your library is loading…");

export const nothingIn = (text) => t`“${text.trim()}” contains nothing to search for. Use words or numbers.`;

export class Passages {
  #app;
  #chosen;
  #isRead = false;
  #under = null; // the current search

  /** @param chosen returns the chosen collections, or none for all */
  constructor(app, chosen) {
    this.#app = app;
    this.#chosen = chosen;
    app.searchable.then(() => (this.#isRead = true));
  }

  stop() {
    this.#under?.abort();
  }

  /** @param isBeside whether the answer to another question is shown above */
  async typed(text, { isBeside = false } = {}) {
    this.stop();
    const searchable = isSearchable(text);
    byId("ask-said").textContent = searchable || !text.trim() ? "" : nothingIn(text);
    if (!searchable) return this.none();
    const { signal } = (this.#under = new AbortController());
    await new Promise((resolve) => setTimeout(resolve, TYPING_PAUSE));
    try {
      const where = await this.#where();
      for (const mode of [{ mode: "keyword" }, {}]) {
        const found = await this.#search(text, { ...where, ...mode, prefix: true, signal });
        if (signal.aborted) return; // the result was on its way
        this.#showTyped(found, text, isBeside);
      }
    } catch (error) {
      if (error.code === "empty_question") return this.none();
      if (error.code !== "aborted") this.#app.complain(error);
    }
  }

  /** Returns the passages for a question that is asked, in place of those of what was typed before. */
  asked(text, signal) {
    this.stop();
    return this.find(text, signal);
  }

  /** Returns the passages for a question, while what is typed is searched for as well; null if the search fails, which the answer reports. */
  async find(text, signal) {
    try {
      return await this.#search(text, { ...(await this.#where()), signal });
    } catch {
      return null;
    }
  }

  /** @param gone the keys of removed documents */
  show(found, text, gone = new Set()) {
    this.#draw(found, text, { isGone: (hit) => gone.has(keyOf(hit)) });
  }

  #showTyped(found, text, isBeside) {
    if (found.hits.length > 0 || this.#isRead) return this.#draw(found, text, { isTyped: true, isBeside });
    byId("ask-said").textContent = BEING_READ;
    this.none();
  }

  #draw(found, text, about) {
    showHits(found, text, this.#app, about);
    this.#app.hits.value = found.hits;
  }

  none() {
    hideHits();
    this.#app.hits.value = [];
  }

  async #where() {
    const { kb, filters } = this.#app;
    const chosen = this.#chosen();
    const collections = chosen.length > 0 ? chosenOf((await kb.stats()).collections, chosen) : [];
    return { ...(collections.length > 0 && { collections }), ...(filters?.value && { filters: filters.value }) };
  }

  async #search(text, options) {
    const { collections = [], filters = null } = options;
    const found = await this.#app.kb.search(text, { limit: LIMIT, threshold: THRESHOLD, explain: true, ...options });
    return { ...found, narrowed: narrowedTo({ collections, filters }) };
  }
}
