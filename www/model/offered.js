// The models that a server lists: suggestions in the field, and buttons for the first of them.

import { byId, h } from "../dom.js";
import { t } from "../words.js";

/** Number of models with a button. */
const SHOWN = 8;

/** Shows the models of a server. @param {string[]} names @param {(name: string) => void} choose */
export function offer(names, choose) {
  byId("model-names").replaceChildren(...names.map((value) => h("option", { value })));
  const chosen = byId("model-name").value.trim();
  const button = (name) => h("button", { type: "button", ariaPressed: String(name === chosen), onclick: () => choose(name) }, name);
  byId("models-offered").replaceChildren(...names.slice(0, SHOWN).map(button));
  byId("models-offered").hidden = names.length === 0;
  byId("models-told").textContent = names.length === 0 ? "" : names.length > SHOWN ? t`It has ${names.length} models; type to see the others.` : names.length === 1 ? t("It has one model.") : t("It has these models:");
}

/** Marks the button of the model in the field. */
export function markChosen() {
  const chosen = byId("model-name").value.trim();
  for (const button of byId("models-offered").children) button.ariaPressed = String(button.textContent === chosen);
}
