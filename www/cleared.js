// Storage that the browser clears while the page is open: by the user, or when space is short. The library is then in this tab alone, and later
// additions would be stored without what they belong to. The page says so, and stores the whole library again when asked to.

import { byId, h } from "./dom.js";
import { download } from "./download.js";
import { STOPPED } from "./embedding-status.js";
import { reload } from "./kept-question.js";
import { complain } from "./notice.js";
import { status } from "./status.js";
import { KnowledgeBase } from "./vademecum/index.js";
import { t } from "./words.js";

/** Milliseconds between two checks while the page is visible. */
const PAUSE = 10_000;
const TOLD = t("This browser has cleared what it had stored for this page, and with it your library. It is all still in this tab: keep it open, and choose “Store it again” above.");
const LOST = t("Your library is not stored any more.");
const ASKED = t("Store it again");
const SAVED = t("Save it as a file");

/**
 * @param kb the open library @param {string} name its name
 * @param changed the observable of main.js for changes of the library, after which is checked as well
 */
export async function watchStorage(kb, name, changed) {
  const { library } = await kb.stats();
  if (!library || library.kind === "memory") return;
  let isLost = false;
  let isStoring = false;
  /** @type {any} */
  let file = null; // the whole library, once it is exported: the only copy after the library is closed

  async function check() {
    if (byId("status-text").textContent === STOPPED) return forget();
    if (isLost) return showAgain();
    if (document.visibilityState === "hidden") return;
    const names = await KnowledgeBase.list().catch(() => null); // storage that cannot be read is reported by whatever needs it
    if (!names || names.includes(name) || isLost) return;
    isLost = true;
    addEventListener("beforeunload", warn);
    complain({ message: TOLD });
    showLoss();
  }

  /** Asks before the tab is left, since the library would be gone. */
  const warn = (event) => event.preventDefault();

  /** Shows in the bar that the library is not stored, and how to store it. */
  function showLoss() {
    status("failed", LOST);
    Object.assign(byId("retry"), { hidden: false, textContent: ASKED, onclick: store });
  }

  /** Replaces what other work has written into the bar. */
  function showAgain() {
    if (isStoring || byId("status").dataset.state === "busy") return;
    if (byId("status-text").textContent !== LOST || byId("retry").hidden) showLoss();
  }

  /** Ends the warning when the engine has stopped or was restarted: this tab then has no library to store, except one that was exported. */
  function forget() {
    if (file) return;
    isLost = false;
    removeEventListener("beforeunload", warn);
  }

  async function store() {
    isStoring = true;
    byId("retry").hidden = true;
    status("busy", t("Storing your library again…"));
    /** @type {any} */
    let anew = null;
    try {
      file ??= await kb.export();
      await kb.close();
      await KnowledgeBase.delete(name); // what later additions have stored, without the rest
      anew = await KnowledgeBase.open(name);
      await anew.import(file);
      await anew.close();
      removeEventListener("beforeunload", warn);
      reload(); // the page's library is closed
    } catch (error) {
      await anew?.close().catch(() => {}); // it would keep the next attempt from deleting what it has stored
      isStoring = false;
      const rest = file ? t(" It is still in this tab: keep it open, and try again, or save the library as a file.") : "";
      complain({ message: t`Your library could not be stored again: ${error.message}${rest}` });
      if (isLost || file) showLoss(); // else the engine has ended meanwhile
      if (file) offerFile();
    }
  }

  /** Offers the library as a file, beside the button that tries again. */
  function offerFile() {
    if (byId("save-library")) return;
    const save = () => download("library.vdm", file, "application/octet-stream");
    byId("retry").after(" ", h("button.quiet", { type: "button", id: "save-library", onclick: save }, SAVED));
  }

  setInterval(check, PAUSE);
  document.addEventListener("visibilitychange", check);
  addEventListener("focus", check);
  changed.on(check);
  kb.on("restarted", forget);
  // Work that ends, even by an error, writes its own state into the bar.
  const ended = () => isLost && check();
  new MutationObserver(ended).observe(byId("status-text"), { childList: true });
}
