// <vademecum-ask>: a question, and its answer with citations: quoted without a language model, written with one.

import { Asker } from "./asker.js";
import { VademecumElement } from "./element.js";
import { node } from "./nodes.js";
import { outcomeOf } from "./outcome.js";
import { documentsOf, quotesOf } from "./quotes.js";

/** Parts of the answer, which are parts of this element as well. */
const PARTS = "body, text, cite, sourced, of-quote, unsupported, unsupported-row, quotes, quote, path, words, quoted, mark, sources, sources-heading, source, number, link, code, table, heading";

export class AskElement extends VademecumElement {
  static sheet = "ask";
  static properties = ["labels", "source", "llm", "options"];
  static observedAttributes = ["lang", "placeholder", "label"];

  /** @type {any} */
  #source = null;
  /** @type {any} */
  #llm = null;
  /** @type {Record<string, any>} */
  #options = {};
  #asker = new Asker();
  /** @type {AbortController | null} */
  #run = null;
  /** @type {any} the state of a run that asked back */
  #waiting = null;
  /** @type {any} */
  #result = null;

  #field = node("input", "field", { type: "text", autocomplete: "off", enterkeyhint: "send" });
  #ask = node("button", "button ask", { type: "submit" });
  #stop = node("button", "button stop", { type: "button", hidden: true, click: () => this.stop() });
  #status = node("p", "status", { role: "status" });
  #error = node("p", "error", { role: "alert", hidden: true });
  #answer = node("div", "answer");
  #text = /** @type {any} */ (node(/** @type {any} */ ("vademecum-answer"), null, { exportparts: PARTS }));
  #hits = /** @type {any} */ (node(/** @type {any} */ ("vademecum-hits"), null, { exportparts: "hits: nearest, found-in: passage, path, title, why, hit, place, excerpt, mark, code, table" }));

  constructor() {
    super();
    const submit = (event) => (event.preventDefault(), void this.ask(this.#field.value));
    this.tree.append(node("form", "form", { submit, role: "search" }, this.#field, this.#ask, this.#stop), this.#status, this.#error, this.#answer);
  }

  disconnectedCallback() {
    queueMicrotask(() => !this.isConnected && this.stop()); // moved, it goes on
  }

  /** The knowledge base that is asked. */
  get source() {
    return this.#source;
  }
  set source(source) {
    this.#source = source ?? null;
  }

  /** The language model; without one, answers are quotations. */
  get llm() {
    return this.#llm;
  }
  set llm(llm) {
    this.#llm = llm ?? null;
  }

  /** Options of the run, those of the agent, and `run`, which begins a run in another way. */
  get options() {
    return this.#options;
  }
  set options(options) {
    this.#options = options ?? {};
  }

  /** The result that is shown, or null. */
  get result() {
    return this.#result;
  }

  relabelled() {
    const { question, askPlaceholder, ask, stop } = this.texts;
    this.#field.placeholder = this.getAttribute("placeholder") ?? askPlaceholder;
    this.#field.setAttribute("aria-label", this.getAttribute("label") ?? question);
    this.#ask.textContent = ask;
    this.#stop.textContent = stop;
    this.#text.labels = this.#hits.labels = this.labels;
  }

  /** @param {string} name */
  attributeChangedCallback(name) {
    super.attributeChangedCallback(name);
    if (name !== "lang") this.relabelled();
  }

  /** Asks a question, or replies to one that the run has asked. Resolves to the result, or to null if there is none: the element then says why. */
  async ask(text) {
    const question = String(text ?? "").trim();
    if (question === "") {
      this.#field.focus();
      return null;
    }
    const waiting = this.#waiting;
    this.#field.value = question;
    this.stop();
    this.#waiting = null;
    const abort = (this.#run = new AbortController());
    this.#begin();
    try {
      const run = await this.#started(question, waiting, abort.signal);
      for await (const event of run) if (this.#run === abort) this.#follow(event);
      const result = await run.result;
      const quotes = await quotesOf(result, documentsOf(this.#source)).catch(() => null); // without the documents, the text of the answer is shown
      if (this.#run !== abort) return null;
      this.#end(result, quotes, question);
      return result;
    } catch (error) {
      if (this.#run === abort) {
        this.#waiting = waiting; // the next attempt is a reply as well
        this.#fail(error);
      }
      return null;
    } finally {
      if (this.#run === abort) this.#idle();
    }
  }

  /** Stops the run; keeps the text that was written so far. */
  stop() {
    this.#run?.abort();
  }

  async #started(question, waiting, signal) {
    if (!this.#source) throw new Error(this.texts.noSource);
    return this.#asker.begin(this.#source, this.#llm, this.#options, { question, waiting, signal });
  }

  #begin() {
    this.#result = null;
    this.#isDraft = false;
    this.#error.hidden = true;
    this.#show();
    this.#answer.setAttribute("aria-busy", "true"); // read out when it is complete
    this.#status.textContent = this.texts.reading;
    this.#stop.hidden = false;
  }

  /** Shows the answer while it is written. */
  #follow(event) {
    if (event.type === "token" || event.type === "draft") {
      this.#write(event.type === "draft" || this.#isDraft ? event.text : `${this.#text.written ?? ""}${event.text}`);
      this.#isDraft = event.type === "draft";
      if (this.#status.textContent !== this.texts.writing) this.#status.textContent = this.texts.writing;
    } else if (event.type === "failed" && event.fallback) this.#show(); // the step begins anew by a rule
  }
  #isDraft = false;

  #write(text) {
    if (!this.#text.isConnected) this.#show(this.#text);
    this.#text.written = text;
  }

  #end(result, quotes, question) {
    this.#result = result;
    if (result.terminatedBy === "aborted") {
      const written = result.partial ?? this.#text.written;
      if (written) this.#write(written);
      else this.#show();
      this.#text.stop();
      this.#status.textContent = this.texts.stopped;
    } else {
      this.#waiting = result.terminatedBy === "clarify" ? result.state : null;
      if (this.#waiting) this.#field.value = "";
      const hadFocus = this.#answer.contains(this.tree.activeElement);
      this.#text.show(result, quotes);
      this.#show(...outcomeOf(result, { answer: this.#text, hits: this.#hits }, question, { texts: this.texts, ask: (question) => void this.ask(question), reply: (text) => void this.ask(text) }));
      if (hadFocus) this.#field.focus({ preventScroll: true });
      this.#told(result);
      if (result.error) this.#fail(result.error);
    }
    this.tell("answer", { result });
  }

  /** Shows nodes in place of those before. The focus moves from a button that vanishes to the field. */
  #show(...nodes) {
    const hadFocus = this.#answer.contains(this.tree.activeElement);
    if (!nodes.includes(this.#text)) this.#text.show(null);
    this.#answer.replaceChildren(...nodes);
    if (hadFocus) this.#field.focus({ preventScroll: true });
  }

  /** Says how a run has ended, for screen readers only, which do not read out the answer by itself: others see it. */
  #told(result) {
    const isBack = result.terminatedBy === "clarify";
    const isAnswered = !result.error && !isBack && !result.abstained && result.answer !== null;
    const said = result.error ? "" : isBack ? result.clarification.question : isAnswered ? this.texts.answered : this.texts.abstained;
    this.#status.replaceChildren(node("span", null, { class: "unseen" }, said));
  }

  #fail(error) {
    this.#status.textContent = "";
    this.#show();
    this.#error.textContent = error.message;
    this.#error.hidden = false;
    this.tell("error", { error });
  }

  #idle() {
    this.#run = null;
    const hadFocus = this.tree.activeElement === this.#stop;
    this.#stop.hidden = true;
    if (hadFocus) this.#field.focus({ preventScroll: true });
    this.#answer.setAttribute("aria-busy", "false");
  }
}
