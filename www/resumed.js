// The return of a page that the browser had put to sleep: a frozen tab, and a page from the back/forward cache. Its engine usually goes on where it was;
// the page checks that, and says if it does not.

import { complain } from "./notice.js";
import { t } from "./words.js";

/** Milliseconds after which an engine that does not answer is taken for dead. */
const PATIENCE = 15_000;

/** @param kb the library @param understanding the state of embedding: see embedding-status.js */
export function startResumed(kb, understanding) {
  async function check() {
    const late = new Promise((_, reject) => setTimeout(reject, PATIENCE, new Error("late")));
    try {
      await Promise.race([kb.stats(), late]);
      await understanding.settle(); // what the bar said may be of before
    } catch (error) {
      if (error.message !== "late") return; // a crash is reported where the engine is restarted
      complain({ message: t("The browser had put this page to sleep, and its search engine does not answer any more. Reload the page; saved data is kept.") });
      understanding.halted();
    }
  }
  addEventListener("pageshow", ({ persisted }) => persisted && void check());
  document.addEventListener("resume", () => void check());
}
