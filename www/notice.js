// What went wrong, above the page and in view wherever one is on it, until something else is done or it is put away.

import { byId } from "./dom.js";
import { sentenceOf } from "./sentences.js";

/** Says what went wrong; `null` takes it back. */
export function complain(error) {
  const notice = byId("notice");
  notice.hidden = error === null;
  notice.textContent = error === null ? "" : sentenceOf(error);
}

export function startNotice() {
  byId("notice-close").addEventListener("click", () => {
    complain(null);
    document.querySelector('[role="tab"][aria-selected="true"]').focus(); // the button that had the focus is gone
  });
}
