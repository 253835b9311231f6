// What went wrong, above the page and in view wherever one is on it, until something else is done or it is put away. What is about one
// tab is seen there alone.

import { tabOf } from "./address.js";
import { byId } from "./dom.js";
import { sentenceOf } from "./sentences.js";

/** Pixels between the message and what is below it. */
const GAP = 16;
/** How much of the window may be scrolled for its own place. */
const NEAR = 0.3;
let current = null; // `{ text, tab }`

/**
 * Says what went wrong; `null` takes it back.
 *
 * @param tab the tab that it is about; null for all
 */
export function complain(error, tab = null) {
  current = error === null ? null : { text: sentenceOf(error), tab };
  draw();
}

/** `complain` for what is about one tab. */
export const complainIn = (tab) => (error) => complain(error, tab);

function draw() {
  const notice = byId("notice");
  const wasShown = !notice.hidden;
  notice.hidden = current === null || ![null, tabOf()].includes(current.tab);
  notice.textContent = notice.hidden ? "" : current.text;
  if (!notice.hidden && !wasShown) requestAnimationFrame(uncover);
}

/** Where it sticks to the top of the window it would cover what stands there. Its own place is better, where that is near. */
function uncover() {
  const box = byId("notice").parentElement;
  const main = box.parentElement;
  const past = -main.getBoundingClientRect().top - parseFloat(getComputedStyle(main).paddingTop); // its own place is so far above
  if (past > 0) scrollBy({ top: past < innerHeight * NEAR + box.offsetHeight ? -scrollY : -box.offsetHeight - GAP, behavior: "instant" });
}

export function startNotice() {
  const box = byId("notice").parentElement;
  if (!byId("notice").hidden) current = { text: byId("notice").textContent, tab: null }; // of boot.js
  byId("notice-close").addEventListener("click", () => {
    complain(null);
    document.querySelector('[role="tab"][aria-selected="true"]').focus(); // the button that had the focus is gone
  });
  for (const panel of document.querySelectorAll('[role="tabpanel"]')) panel.addEventListener("shown", draw);
  // What is scrolled to stops below it.
  new ResizeObserver(() => (document.documentElement.style.scrollPaddingTop = box.offsetHeight > 0 ? `${box.offsetHeight + GAP}px` : "")).observe(box);
}
