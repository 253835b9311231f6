// <vademecum-search>: a field with hits while one types, as a combobox with a list.

import { VademecumElement } from "./element.js";
import { excerptOf, markedOf } from "./excerpt.js";
import { node, pathOf } from "./nodes.js";
import { SearchSource } from "./source.js";

/** Milliseconds without a key press before a search. */
const PAUSE = 120;
const LIMIT = 8;
/** Milliseconds after which a missing source is reported as an error. */
const PATIENCE = 1000;
/** Errors that are none to the reader: a newer search, and a query of punctuation alone. */
const SILENT = ["aborted", "empty_question"];

let made = 0;

export class SearchElement extends VademecumElement {
  static sheet = "search";
  static properties = ["labels", "src", "source", "options", "value"];
  static observedAttributes = ["lang", "src", "placeholder", "label"];

  #source = new SearchSource();
  /** @type {Record<string, any>} */
  #options = {};
  /** @type {any[]} */
  #hits = [];
  #active = -1;
  #abort = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #shown = ""; // the query that the hits are of
  #id = `hits-${++made}`;

  #field = node("input", "field", {
    type: "search", role: "combobox", autocomplete: "off", spellcheck: "false", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.#id,
    input: () => this.#typed(), keydown: (event) => this.#pressed(event), focus: () => this.#focused(),
  });
  #list = node("ul", "list", { role: "listbox", id: this.#id, hidden: true, mousedown: (event) => event.preventDefault() });
  #status = node("p", "status", { role: "status" });
  #error = node("p", "error", { role: "alert", hidden: true });

  constructor() {
    super();
    this.tree.append(this.#field, this.#list, this.#status, this.#error);
    this.addEventListener("focusout", () => this.#close());
  }

  connectedCallback() {
    super.connectedCallback();
    if (this.#isPending) void this.#search(this.#hasFocus); // typed before, or ended by a move
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
    this.#abort.abort();
    if (this.#isPending) this.#status.textContent = "";
    this.#close();
    // Moved to another place, it is connected again before this runs.
    queueMicrotask(() => !this.isConnected && this.#source.release());
  }

  /** @param {string} name */
  attributeChangedCallback(name) {
    super.attributeChangedCallback(name);
    if (name === "src") {
      this.#source.address = this.getAttribute("src");
      if (this.#source.address) this.#searchAnew();
    } else this.relabelled();
  }

  /** What is searched: a knowledge base, an attached library, or anything with `search`. */
  get source() {
    return this.#source.value;
  }
  set source(source) {
    if (this.#source.value === (source ?? null)) return;
    this.#source.value = source;
    if (source) this.#searchAnew();
  }

  get src() {
    return this.getAttribute("src") ?? "";
  }
  set src(address) {
    this.setAttribute("src", address);
  }

  /** Options of the search beside those of attributes, such as `filters`. */
  get options() {
    return this.#options;
  }
  set options(options) {
    this.#options = options ?? {};
  }

  /** The text of the field. Setting it searches, without opening the list. */
  get value() {
    return this.#field.value;
  }
  set value(text) {
    this.#field.value = text ?? "";
    if (this.isConnected) void this.#search(false);
  }

  /** The hits that are shown. */
  get hits() {
    return this.#hits;
  }

  clear() {
    this.#field.value = "";
    void this.#search(false);
  }

  relabelled() {
    const { search, placeholder, results } = this.texts;
    this.#field.placeholder = this.getAttribute("placeholder") ?? placeholder;
    this.#field.setAttribute("aria-label", this.getAttribute("label") ?? search);
    this.#list.setAttribute("aria-label", results);
  }

  get #hasFocus() {
    return this.tree.activeElement === this.#field;
  }

  /** Whether the text of the field differs from the query of the listed hits. */
  get #isPending() {
    return this.#field.value.trim() !== this.#shown;
  }

  /** Searches the new source for the text of the field. */
  #searchAnew() {
    if (this.isConnected && this.#field.value.trim() !== "") void this.#search(this.#hasFocus);
  }

  #focused() {
    // Attaches the library before the first letter is typed; a failure is reported by the search.
    this.#source.get().catch(() => {});
    if (this.#hits.length > 0 && this.#shown === this.#field.value.trim()) this.#open();
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#abort.abort();
    this.#timer = setTimeout(() => void this.#search(true), PAUSE);
  }

  async #search(opens) {
    clearTimeout(this.#timer);
    this.#abort.abort();
    const { signal } = (this.#abort = new AbortController());
    const query = this.#field.value.trim();
    this.#error.hidden = true;
    if (query === "") return this.#show("", { hits: [] }, false);
    // Said after a while only, so that a screen reader is not interrupted by each letter.
    const late = setTimeout(() => !signal.aborted && (this.#status.textContent = this.texts.searching), 400);
    try {
      const source = await this.#source.get();
      if (signal.aborted) return;
      if (!source) return this.#awaitSource();
      const found = await source.search(query, { ...this.#chosen(), signal });
      if (!signal.aborted) this.#show(query, found, opens);
    } catch (error) {
      if (signal.aborted) return;
      if (SILENT.includes(error?.code)) this.#show(query, { hits: [] }, false);
      else this.#fail(error);
    } finally {
      clearTimeout(late);
    }
  }

  /** Waits for a page that sets the source later, such as one that is still opening its library: setting it searches. */
  #awaitSource() {
    this.#status.textContent = this.texts.loading;
    this.#timer = setTimeout(() => this.#fail(new Error(this.texts.noSource)), PATIENCE);
  }

  /** The options of a search: those of attributes, and over them those of the property. */
  #chosen() {
    const mode = this.getAttribute("mode");
    const collections = this.getAttribute("collections")?.split(",").map((name) => name.trim()).filter((name) => name !== "");
    const limit = Number(this.getAttribute("limit"));
    return {
      prefix: true,
      typos: true,
      limit: Number.isInteger(limit) && limit > 0 ? limit : LIMIT,
      ...(mode && { mode }),
      ...(collections && collections.length > 0 && { collections }),
      ...this.#options,
    };
  }

  #fail(error) {
    this.#show(this.#field.value.trim(), { hits: [] }, false);
    this.#status.textContent = "";
    this.#error.textContent = error.message;
    this.#error.hidden = false;
    this.tell("error", { error });
  }

  /** @param {string} query @param {{ hits: any[], searchedFor?: string, missing?: any[] }} found @param {boolean} opens whether the list is opened */
  #show(query, { hits, searchedFor, missing }, opens) {
    this.#hits = hits;
    this.#shown = query;
    this.#choose(-1);
    this.#list.replaceChildren(...hits.map((hit, at) => this.#optionOf(hit, at, searchedFor ?? query)));
    this.#status.textContent = query === "" ? "" : this.#told(hits, searchedFor, missing);
    if (opens && hits.length > 0) this.#open();
    else this.#close();
  }

  #told(hits, searchedFor, missing) {
    const { nothing, found, searchedFor: meant, incomplete } = this.texts;
    const parts = [hits.length === 0 ? nothing : found(hits.length), searchedFor ? `${meant(searchedFor)}.` : "", missing ? incomplete : ""];
    return parts.filter((part) => part !== "").join(" ");
  }

  #optionOf(hit, at, query) {
    const [name, ...below] = pathOf(hit, this.texts);
    return node("li", "hit", { role: "option", id: `${this.#id}-${at}`, "aria-selected": "false", click: () => this.#select(at), pointermove: () => this.#choose(at) },
      node("span", "title", {}, ...markedOf(name, query)),
      below.length > 0 ? node("span", "path", {}, below.join(" › ")) : null,
      node("span", "excerpt", {}, ...excerptOf(hit, query)));
  }

  #pressed(event) {
    if (event.isComposing) return;
    const count = this.#hits.length;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && count > 0) {
      event.preventDefault();
      const from = this.#list.hidden || this.#active < 0 ? (step > 0 ? -1 : 0) : this.#active;
      this.#open();
      this.#choose((from + step + count) % count, true);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (!this.#list.hidden && this.#active >= 0) this.#select(this.#active);
      else void this.#search(true);
    } else if (event.key === "Escape" && !this.#list.hidden) {
      event.preventDefault(); // the second one empties the field, as browsers do
      this.#close();
    }
  }

  #choose(at, scrolls = false) {
    this.#list.children[this.#active]?.setAttribute("aria-selected", "false");
    this.#active = at;
    const option = this.#list.children[at];
    option?.setAttribute("aria-selected", "true");
    if (option) this.#field.setAttribute("aria-activedescendant", option.id);
    else this.#field.removeAttribute("aria-activedescendant");
    if (scrolls) option?.scrollIntoView({ block: "nearest" });
  }

  #select(at) {
    const hit = this.#hits[at];
    if (!hit) return;
    this.#close();
    const { collection, docId, span } = hit;
    this.point("select", { hit, query: this.#shown }, { collection, docId, span });
  }

  #open() {
    this.#list.hidden = false;
    this.#field.setAttribute("aria-expanded", "true");
  }

  #close() {
    this.#list.hidden = true;
    this.#field.setAttribute("aria-expanded", "false");
    this.#choose(-1);
  }
}
