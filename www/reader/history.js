// Gives the open reader an entry of its own in the browser's history, so that going back closes the reader and nothing else.

import { leaveEntry, whenLeft } from "../address.js";

/** @param {HTMLDialogElement} dialog @returns `enter`, called when the reader opens */
export function startHistory(dialog) {
  let entered = null; // the address of the entry
  dialog.addEventListener("close", () => {
    if (entered === location.href) leaveEntry(); // closed by a button or a key
    entered = null;
  });
  window.addEventListener("popstate", (event) => {
    if (!entered) return;
    entered = null;
    if (dialog.open) dialog.close();
    event.stopImmediatePropagation(); // the question and the answer stay
  });
  const enter = () => {
    if (!dialog.open) return; // closed meanwhile
    entered = location.href;
    history.pushState(history.state, "");
  };
  return () => whenLeft(enter);
}
