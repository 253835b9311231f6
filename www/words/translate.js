// Puts the texts of index.html into the language of the page: only a page that is not in English loads this.

import { t } from "../words.js";

/** Attributes that hold texts. */
const ATTRIBUTES = ["aria-label", "title", "placeholder", "content"];

/** Replaces the texts of a page that is written in English: text nodes one by one, and attributes. What has a language of its own stays. */
export function translate(root) {
  const isForeign = (/** @type {Element | null} */ element) => Boolean(element?.closest("body [lang], script, style"));
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = /** @type {Text} */ (walker.currentNode);
    if (!node.data.trim() || isForeign(node.parentElement)) continue;
    const option = node.parentElement?.closest("option");
    if (option) option.value = String(option.value); // which is otherwise its text
    node.data = pieceOf(node.data);
  }
  for (const name of ATTRIBUTES) {
    for (const element of root.querySelectorAll(name === "content" ? 'meta[name="description"]' : `[${name}]`)) {
      if (!isForeign(element)) element.setAttribute(name, pieceOf(element.getAttribute(name)));
    }
  }
}

/** Line ends within a text of the page are spaces. */
const pieceOf = (text) => t(/\n/.test(text) ? text.replace(/(?<=\S)\s+(?=\S)/g, " ") : text);
