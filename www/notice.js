// The error message, sticky at the top of the page until the next action or until it is closed. Messages about one
// tab are shown only there.

import { tabOf } from "./address.js";
import { byId } from "./dom.js";
import { sentenceOf } from "./sentences.js";

/** Pixels between the message and what is below it. */
const GAP = 16;
/** Share of the window that may be scrolled to show it in its own place. */
const NEAR = 0.3;
let current = null; // `{ text, tab, isOfCrash }`
let held = 0; // messages about a crash stay while this is above 0

/**
 * Shows an error; `null` removes it. Calls that were pending in a crashed engine fail one after another: their errors do not replace
 * the message about the crash.
 *
 * @param tab the tab that it is about; null for all
 */
export function complain(error, tab = null) {
  if (current?.isOfCrash && (error?.code === "worker_failed" || (error === null && held > 0))) return;
  current = error === null ? null : { text: sentenceOf(error), tab };
  draw();
}

/** Shows the message about a crash of the engine. */
export function complainOfCrash(error) {
  current = { text: sentenceOf(error), tab: null, isOfCrash: true };
  draw();
}

/** Keeps the message about a crash although the next action would remove it. Returns a function that ends this. */
export function holdNotice() {
  held += 1;
  return () => void (held = Math.max(0, held - 1));
}

/** Returns `complain` for messages about one tab. */
export const complainIn = (tab) => (error) => complain(error, tab);

function draw() {
  const notice = byId("notice");
  const wasShown = !notice.hidden;
  notice.hidden = current === null || ![null, tabOf()].includes(current.tab);
  notice.textContent = notice.hidden ? "" : current.text;
  if (!notice.hidden && !wasShown) requestAnimationFrame(uncover);
}

/** Sticky at the top of the window, the message would cover content. Scrolls to its own place if that is near. */
function uncover() {
  const box = byId("notice").parentElement;
  const main = box.parentElement;
  const past = -main.getBoundingClientRect().top - parseFloat(getComputedStyle(main).paddingTop); // distance to its own place above
  if (past > 0) scrollBy({ top: past < innerHeight * NEAR + box.offsetHeight ? -scrollY : -box.offsetHeight - GAP, behavior: "instant" });
}

export function startNotice() {
  const box = byId("notice").parentElement;
  if (!byId("notice").hidden) current = { text: byId("notice").textContent, tab: null }; // set by boot.js
  byId("notice-close").addEventListener("click", () => {
    held = 0;
    complain(null);
    document.querySelector('[role="tab"][aria-selected="true"]').focus(); // the button that had the focus is gone
  });
  for (const panel of document.querySelectorAll('[role="tabpanel"]')) panel.addEventListener("shown", draw);
  // Scroll targets stop below it.
  new ResizeObserver(() => {
    const above = box.offsetHeight > 0 ? `${box.offsetHeight + GAP}px` : "";
    document.documentElement.style.scrollPaddingTop = above;
    document.documentElement.style.setProperty("--notice", above || "0px"); // what else stays at the top is below it
  }).observe(box);
}
