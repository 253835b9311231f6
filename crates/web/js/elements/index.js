// Web components for other people's pages. Importing this file defines them; where there are no elements, as in Node, it defines nothing.

import { AskElement } from "./ask.js";
import { ReaderElement } from "./reader.js";
import { SearchElement } from "./search.js";

export { AskElement, ReaderElement, SearchElement };

const ELEMENTS = { "vademecum-search": SearchElement, "vademecum-ask": AskElement, "vademecum-reader": ReaderElement };

// A page may load this file twice, by a bundle of its own and by one of a widget: the first definition stays.
for (const [name, element] of Object.entries(ELEMENTS)) {
  if (globalThis.customElements && !customElements.get(name)) customElements.define(name, element);
}
