// The choice of the page's language, among the options of the Ask tab. It is remembered, and the page loads again.

import { addressOf, saidOf, tabOf } from "./address.js";
import { remember } from "./remember.js";
import { language } from "./words.js";

export function startLanguageChoice() {
  /** @type {NodeListOf<HTMLInputElement>} */
  const inputs = document.querySelectorAll('#language input[name="language"]');
  for (const input of inputs) {
    input.checked = input.value === language;
    input.addEventListener("change", () => {
      remember("language", input.value);
      history.replaceState(history.state, "", addressOf(tabOf(), saidOf(), "")); // the address no longer names another one
      location.reload();
    });
  }
}
