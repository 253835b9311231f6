// What the elements share: shadow tree, style sheet, properties that were set before the element was defined, texts by language, events.

import { labelsOf, languageOf } from "./labels.js";
import { dress } from "./styles.js";

/** In Node there are no elements: the classes can be imported there, and not be constructed. */
const Base = /** @type {typeof HTMLElement} */ (globalThis.HTMLElement ?? class {});

export class VademecumElement extends Base {
  /** The name of its style sheet. */
  static sheet = "search";
  /** Whether the element passes the focus on to its first field or button, also where a click is on neither. */
  static delegatesFocus = true;
  /** Properties that may be set before the element is defined. */
  static properties = /** @type {string[]} */ (["labels"]);

  /** @type {Record<string, any> | null} */
  #own = null;
  #texts = labelsOf("en", null);
  /** @type {ShadowRoot} */
  #root;

  constructor() {
    super();
    const { sheet, delegatesFocus } = /** @type {typeof VademecumElement} */ (this.constructor);
    this.#root = this.attachShadow({ mode: "open", delegatesFocus });
    dress(this.#root, sheet);
  }

  /** The shadow root. */
  get tree() {
    return this.#root;
  }

  /** The texts in use. */
  get texts() {
    return this.#texts;
  }

  /** Texts of the page in place of those that are built in. */
  get labels() {
    return this.#own;
  }
  set labels(own) {
    this.#own = own ?? null;
    this.relabel();
  }

  connectedCallback() {
    const { properties } = /** @type {typeof VademecumElement} */ (this.constructor);
    for (const name of properties) {
      if (!Object.hasOwn(this, name)) continue;
      // Set before the element was defined: the value hides the accessor of the class until it is deleted.
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
    this.relabel();
  }

  adoptedCallback() {
    dress(this.#root, /** @type {typeof VademecumElement} */ (this.constructor).sheet);
  }

  /** @param {string} name */
  attributeChangedCallback(name) {
    if (name === "lang") this.relabel();
  }

  /** Reads the texts again. Elements that show some update them in `relabelled`. */
  relabel() {
    this.#texts = labelsOf(languageOf(this), this.#own);
    this.relabelled();
  }

  relabelled() {}

  /**
   * Dispatches an event that leaves shadow trees; returns whether its default remains to be done.
   * @param {string} name @param {Record<string, any>} detail
   */
  tell(name, detail) {
    return this.dispatchEvent(new CustomEvent(`vademecum-${name}`, { detail, bubbles: true, composed: true, cancelable: true }));
  }

  /**
   * Dispatches an event for a place in a document, and shows it in the reader that the attribute `reader` names, unless the event is cancelled. An element in the
   * shadow tree of another one, such as the answer in the element that asks, has the reader of that one.
   */
  point(name, detail, place) {
    if (!this.tell(name, detail)) return;
    for (let at = /** @type {any} */ (this); at; at = at.getRootNode().host ?? null) {
      const id = at.getAttribute("reader");
      if (id) return void at.getRootNode().getElementById?.(id)?.open?.(place);
    }
  }
}
