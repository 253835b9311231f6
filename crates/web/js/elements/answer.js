// <vademecum-answer>: the answer of a run: quotations as cards, or a text with citations and its sources.

import { answerText, sourceList } from "./citations.js";
import { VademecumElement } from "./element.js";
import { node } from "./nodes.js";
import { documentsOf, quoteCards, quotesOf } from "./quotes.js";
import { growing } from "./text/blocks.js";

export class AnswerElement extends VademecumElement {
  static sheet = "answer";
  static delegatesFocus = false; // its text is for reading: a click leads to none of its buttons
  static properties = ["labels", "source", "written", "result"];
  static observedAttributes = ["lang", "live"];

  /** @type {any} */
  #source = null;
  /** @type {any} the result, or the turn of a conversation, on display */
  #result = null;
  /** @type {import("./quotes.js").Quote[] | null} */
  #quotes = null;
  /** @type {any[]} citations whose sources are listed */
  #cited = [];
  /** @type {string | null} the unfinished text */
  #written = null;
  /** @type {((text: string) => void) | null} */
  #grow = null;
  #turn = 0; // a later answer overtakes the reading of documents for an earlier one

  #body = node("div", "body text", { class: "body text prose" });
  #heading = node("p", "heading sources-heading", { id: "sources", hidden: true });
  #sources = node("ol", "sources", { "aria-labelledby": "sources" });

  constructor() {
    super();
    this.tree.append(this.#body, node("slot", null), this.#heading, this.#sources);
  }

  /** @param {string} name */
  attributeChangedCallback(name) {
    super.attributeChangedCallback(name);
    if (name === "live") this.#body.setAttribute("aria-live", this.hasAttribute("live") ? "polite" : "off");
  }

  /** Where the documents of quotations are read: anything with `document(collection, id)`. Without it, quotations are shown within their passages. */
  get source() {
    return this.#source;
  }
  set source(source) {
    this.#source = source ?? null;
  }

  /** The text of an answer that is being written, or that was stopped; null when it is complete. */
  get written() {
    return this.#written;
  }
  set written(text) {
    if (text === null || text === undefined) this.show(null);
    else this.#write(String(text));
  }

  /** Ends writing, and keeps the text so far. */
  stop() {
    this.#body.classList.remove("writing");
    this.#body.setAttribute("aria-busy", "false");
  }

  /** The result whose answer is shown, or null. */
  get result() {
    return this.#result;
  }
  set result(result) {
    const turn = ++this.#turn;
    const show = (quotes) => turn === this.#turn && this.show(result ?? null, quotes);
    // Without the documents, the text of the answer is shown.
    quotesOf(result, documentsOf(this.#source)).then(show, () => show(null));
  }

  /**
   * Shows an answer at once, with quotations that were read before: of the other elements and the demo page, not of the package's interface.
   * @internal
   * @param {any} result a result, a turn of a conversation, or null for none
   * @param {import("./quotes.js").Quote[] | null} [quotes]
   * @param {any[]} [cited] citations whose sources are listed. Default: those of the answer
   */
  show(result, quotes = null, cited = result?.citations ?? []) {
    this.#turn += 1;
    this.#written = this.#grow = null;
    this.#result = result;
    this.#quotes = quotes;
    this.#cited = cited;
    this.#render();
  }

  relabelled() {
    this.#heading.textContent = this.texts.sources;
    if (this.#result) this.#render();
  }

  #write(text) {
    if (this.#grow === null) {
      this.show(null);
      this.#grow = growing(this.#body, this.texts);
    }
    this.#turn += 1;
    this.#written = text;
    this.#grow(text);
    this.#body.classList.add("writing");
    this.#body.setAttribute("aria-busy", "true"); // read out when it is complete
  }

  #render() {
    const { answer = "", citations = [] } = this.#result ?? {};
    const shown = { texts: this.texts, open: (place, about) => this.point("open", { ...place, ...about }, place) };
    const quotes = answer ? this.#quotes : null;
    this.#body.className = quotes ? "body quotes" : "body text prose";
    this.#body.setAttribute("part", quotes ? "body quotes" : "body text");
    this.#body.setAttribute("aria-busy", "false");
    this.#body.replaceChildren(...(quotes ? quoteCards(quotes, citations, shown) : answer ? answerText(this.#result, shown) : []));
    this.#sources.replaceChildren(...(quotes ? [] : sourceList(this.#cited, shown))); // each quotation has its source
    this.#heading.hidden = this.#sources.childElementCount === 0;
  }
}
