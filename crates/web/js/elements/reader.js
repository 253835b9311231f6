// <vademecum-reader>: a document, with a place in it marked.

import { VademecumElement } from "./element.js";
import { node, pathOf } from "./nodes.js";
import { SearchSource } from "./source.js";
import { textNodes } from "./text/document.js";

export class ReaderElement extends VademecumElement {
  static sheet = "reader";
  static properties = ["labels", "source"];
  static observedAttributes = ["lang", "src"];

  #source = new SearchSource();
  /** @type {any[]} */
  #openers = []; // what had the focus when a document was opened, innermost first
  #turn = 0; // a later call of `open` overtakes an earlier one
  #heading = node("h2", "heading", { id: "heading" });
  #path = node("p", "path");
  #close = node("button", "button close", { type: "button", click: () => this.close() });
  #status = node("p", "status", { role: "status", hidden: true });
  #error = node("p", "error", { role: "alert", hidden: true });
  #text = node("div", "text", { class: "text prose", tabindex: "0", role: "region", "aria-labelledby": "heading" });

  constructor() {
    super();
    const titles = node("div", "titles", {}, this.#heading, this.#path, node("slot", null, { name: "about" }));
    this.tree.append(node("div", "head", {}, titles, this.#close), this.#status, this.#error, node("slot", null), this.#text);
  }

  disconnectedCallback() {
    queueMicrotask(() => !this.isConnected && this.#source.release());
  }

  /** @param {string} name */
  attributeChangedCallback(name) {
    super.attributeChangedCallback(name);
    if (name === "src") this.#source.address = this.getAttribute("src");
  }

  /** Where documents are from: a knowledge base, an attached library, or anything with `document(collection, id)`. */
  get source() {
    return this.#source.value;
  }
  set source(source) {
    this.#source.value = source;
  }

  relabelled() {
    this.#close.textContent = this.texts.close;
  }

  /** Shows a document. Resolves to whether it is shown: false if it could not be read, which the element says, or if another was opened meanwhile. */
  async open({ collection = "default", docId, span = null, quote = null }) {
    const turn = ++this.#turn;
    if (!this.tree.activeElement) this.#openers = focused();
    this.setAttribute("open", "");
    this.#error.hidden = true;
    this.#heading.textContent = docId;
    this.#path.textContent = "";
    this.#text.replaceChildren();
    this.#text.hidden = true;
    this.#say(this.texts.loading);
    try {
      const source = await this.#source.get();
      if (!source) throw new Error(this.texts.noSource);
      const document = await source.document(collection, docId);
      if (turn !== this.#turn) return false;
      this.#show(document, { span, quote });
      this.focus({ preventScroll: true });
      return true;
    } catch (error) {
      if (turn !== this.#turn) return false;
      this.#error.textContent = error.message;
      this.#error.hidden = false;
      this.tell("error", { error });
      return false;
    } finally {
      if (turn === this.#turn) this.#say("");
    }
  }

  /** Shows a document that the page has read, such as a passage as it was found. The focus stays where it is. */
  show(document, place = {}) {
    this.#turn += 1;
    this.setAttribute("open", "");
    this.#error.hidden = true;
    this.#say("");
    this.#show(document, place);
  }

  /** Scrolls to the marked words, or else to the beginning. */
  reveal() {
    const target = this.#text.querySelector("mark.quoted") ?? this.#text.querySelector("mark");
    // Scrolls the text alone if it has a height of its own, and the page where the reader is out of sight.
    const isWhole = target && target.getBoundingClientRect().height <= this.#text.clientHeight; // otherwise its beginning is what one reads first
    if (target) target.scrollIntoView({ block: isWhole ? "center" : "start", behavior: "instant" });
    else this.#text.scrollTop = 0;
  }

  /** Scrolls to a heading, and moves the focus to the text. Returns whether the text has this heading. */
  goTo(heading) {
    const own = [...this.#text.querySelectorAll("h3, h4, h5, h6")].find((one) => one.textContent?.trim() === heading);
    own?.scrollIntoView({ block: "start", behavior: "instant" });
    this.focus({ preventScroll: true });
    return own !== undefined;
  }

  /** Moves the focus to the text, which can be scrolled by keys. @param {FocusOptions} [options] */
  focus(options) {
    this.#text.focus(options);
  }

  close() {
    this.#turn += 1;
    if (!this.hasAttribute("open")) return;
    const hadFocus = this.tree.activeElement !== null;
    this.removeAttribute("open");
    // An opener that is gone, such as a hit of an earlier search, is replaced by the element that it was in.
    if (hadFocus) this.#openers.find((one) => one.isConnected)?.focus({ preventScroll: true });
    this.#openers = [];
    this.tell("close", {});
  }

  #say(text) {
    this.#status.textContent = text;
    this.#status.hidden = text === "";
  }

  /** @param {any} document @param {any} place `{ span, quote, headings, page }` */
  #show(document, { span = null, quote = null, headings, page }) {
    const { title, id, text, chunks = [] } = document;
    this.#heading.textContent = title || id;
    const start = (span ?? quote)?.start;
    const chunk = start === undefined ? undefined : chunks.find((one) => one.span?.start <= start && start < one.span.end);
    const place = { title, docId: id, headings: headings ?? chunk?.headings, page: page ?? chunk?.page };
    this.#path.textContent = pathOf(place, this.texts).slice(1).join(" › ");
    this.#text.replaceChildren(...textNodes(document, { span: within(span, text), quote: within(quote, text) }, this.texts));
    this.#text.hidden = false;
    this.reveal();
  }
}

/** Returns the element that has the focus and the elements whose shadow trees it is in, innermost first. */
function focused() {
  const found = [];
  for (let at = document.activeElement; at && at !== document.body; at = at.shadowRoot?.activeElement ?? null) found.unshift(at);
  return found;
}

/** Returns a span that is inside of the text, or null. */
const within = (span, text) => (span && span.start >= 0 && span.start < span.end && span.end <= text.length ? span : null);
