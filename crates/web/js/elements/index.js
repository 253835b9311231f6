// Web components for other people's pages. Importing this file defines them; where there are no elements, as in Node, it defines nothing.

import { AnswerElement } from "./answer.js";
import { AskElement } from "./ask.js";
import { HitsElement } from "./hits.js";
import { ReaderElement } from "./reader.js";
import { SearchElement } from "./search.js";

export { AnswerElement, AskElement, HitsElement, ReaderElement, SearchElement };

/** The element that asks contains the two before it. */
const ELEMENTS = { "vademecum-answer": AnswerElement, "vademecum-hits": HitsElement, "vademecum-search": SearchElement, "vademecum-ask": AskElement, "vademecum-reader": ReaderElement };

// A page may load this file twice, by a bundle of its own and by one of a widget: the first definition stays.
for (const [name, element] of Object.entries(ELEMENTS)) {
  if (globalThis.customElements && !customElements.get(name)) customElements.define(name, element);
}
