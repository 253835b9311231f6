// Asks for confirmation before an action that cannot be undone.

import { h } from "../dom.js";
import { t } from "../words.js";

/** Returns whether the user agrees. */
export function confirmed({ title, text, yes }) {
  const dialog = h("dialog.confirm", { ariaLabel: title });
  const button = (name, value, label) => h(name, { type: "button", onclick: () => dialog.close(value) }, label);
  dialog.append(h("h2", {}, title), h("p", {}, text), h("menu", {}, button("button.quiet", "no", t("Cancel")), button("button.primary", "yes", yes)));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}
