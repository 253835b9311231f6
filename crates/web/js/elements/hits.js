// <vademecum-hits>: the passages of a search, those of one document together, formatted, with the words of the query marked.

import { placeOf } from "./citations.js";
import { VademecumElement } from "./element.js";
import { passageOf } from "./excerpt.js";
import { namesOf, node, pathOf } from "./nodes.js";

export class HitsElement extends VademecumElement {
  static sheet = "hits";
  static delegatesFocus = false; // its text is for reading: a click leads to none of its buttons
  static properties = ["labels", "describe", "query", "hits"];
  static observedAttributes = ["lang"];

  /** @type {any[]} */
  #hits = [];
  #query = "";
  /** @type {((hit: any) => { notes?: string[], title?: string, near?: { start: number, end: number } }) | null} */
  #describe = null;
  #isPressed = false;
  #isDue = false; // to be drawn when the pointer is released
  #list = node("ol", "hits");

  constructor() {
    super();
    this.tree.append(this.#list);
    // A list that is replaced under a pressed pointer gets no click. Not every system reports the release after a context menu.
    this.#list.addEventListener("pointerdown", () => {
      this.#isPressed = true;
      const released = new AbortController();
      const release = () => {
        released.abort();
        setTimeout(() => {
          this.#isPressed = false;
          if (this.#isDue) this.#render();
        });
      };
      for (const end of ["pointerup", "pointercancel", "contextmenu"]) addEventListener(end, release, { signal: released.signal });
    });
  }

  /** The passages, best first. */
  get hits() {
    return this.#hits;
  }
  set hits(hits) {
    this.#hits = [...(hits ?? [])];
    this.#render();
  }

  /** The query whose words are marked. It is set before the hits. */
  get query() {
    return this.#query;
  }
  set query(query) {
    this.#query = String(query ?? "");
  }

  /** What the page says of a hit: notes beside the title of its document, a tooltip, and the sentence to emphasise. It is set before the hits. */
  get describe() {
    return this.#describe;
  }
  set describe(describe) {
    this.#describe = describe ?? null;
  }

  relabelled() {
    this.#render();
  }

  #render() {
    this.#isDue = this.#isPressed;
    if (this.#isDue) return;
    this.#list.replaceChildren(...byDocument(this.#hits).map((hits) => this.#documentOf(hits)));
    const excerpts = /** @type {NodeListOf<HTMLElement>} */ (this.#list.querySelectorAll(".excerpt"));
    const long = [...excerpts].filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1);
    const whole = new Set(long.filter(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight * LITTLE_MORE));
    for (const one of long) one.classList.add(whole.has(one) ? "whole" : "cut"); // the end of those that are cut fades
  }

  #documentOf(hits) {
    const [title] = namesOf(hits[0]);
    const notes = (this.#describe?.(hits[0]).notes ?? []).map((note) => node("span", "why", {}, note));
    return node("li", "found-in", {}, node("p", "path", {}, node("b", "title", {}, title), ...notes), ...hits.map((hit) => this.#hitOf(hit, title)));
  }

  /** The button covers the passage, so that all of it can be pressed; a button itself may not contain tables. */
  #hitOf(hit, title) {
    const place = pathOf(hit, this.texts).slice(1).join(" › ");
    const click = () => this.point("open", { ...placeOf(hit), hit }, placeOf(hit));
    const name = place ? `${title} › ${place}` : title;
    const show = node("button", "place", { type: "button", class: place ? "place" : "place untold", title: this.#describe?.(hit).title || null, "aria-label": name, click }, place);
    return node("div", "hit", {}, show, node("div", "excerpt", { class: "excerpt prose" }, ...passageOf(hit, this.#query, this.texts, this.#describe?.(hit).near)));
  }
}

/** An excerpt that exceeds the height of excerpts by this factor at most is shown as a whole: only a line or two would be left out. */
const LITTLE_MORE = 1.5;

/** Returns the hits of each document, in the order of the best ones. */
function byDocument(hits) {
  /** @type {Map<string, any[]>} */
  const documents = new Map();
  for (const hit of hits) {
    const key = JSON.stringify([hit.collection, hit.docId]);
    documents.set(key, [...(documents.get(key) ?? []), hit]);
  }
  return [...documents.values()];
}
