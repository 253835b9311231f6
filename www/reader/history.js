// Gives the open reader an entry of its own in the browser's history, so that going back closes the reader and nothing else.

/** @param {HTMLDialogElement} dialog @returns `enter`, called when the reader opens */
export function startHistory(dialog) {
  let entered = null; // the address of the entry
  let isLeaving = false;
  dialog.addEventListener("close", () => {
    if (entered === location.href) {
      isLeaving = true; // closed by a button or a key: the entry is left as well
      history.back();
    }
    entered = null;
  });
  window.addEventListener("popstate", (event) => {
    if (!isLeaving && !entered) return;
    isLeaving = false;
    entered = null;
    if (dialog.open) dialog.close();
    event.stopImmediatePropagation(); // the question and the answer stay
  });
  return () => {
    entered = location.href;
    history.pushState(history.state, "");
  };
}
