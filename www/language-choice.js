// The choice of the page's language, among the options of the Ask tab. It is remembered, and the page loads again, with the typed question. Where that
// would lose something, as in a browser that stores nothing for the page, it asks first.

import { addressOf, saidOf, tabOf } from "./address.js";
import { plural } from "./format.js";
import { canKeepQuestion, keepQuestion } from "./kept-question.js";
import { confirmed } from "./library/confirm.js";
import { PATH } from "./library/filter-words.js";
import { allDocuments } from "./list-documents.js";
import { complain } from "./notice.js";
import { canRemember, remember } from "./remember.js";
import { COLLECTION } from "./sample.js";
import { language, t } from "./words.js";

export function startLanguageChoice() {
  /** @type {any} */
  let kb = null;
  /** @type {NodeListOf<HTMLInputElement>} */
  const inputs = document.querySelectorAll('#language input[name="language"]');
  const showChosen = () => inputs.forEach((input) => (input.checked = input.value === language));
  showChosen();
  for (const input of inputs) {
    input.addEventListener("change", async () => {
      try {
        if (await mayReload(kb)) loadIn(input.value, showChosen);
        else showChosen();
      } catch (error) {
        showChosen();
        complain(error);
      }
    });
  }
  return {
    /** Tells which library the page has opened: before that, there is none that could be lost. */
    opened: (library) => (kb = library),
  };
}

/** Returns whether nothing is lost, or the user agrees to losing it. */
async function mayReload(kb) {
  const { documents, hasThread } = kb ? await ownInMemory(kb) : { documents: 0, hasThread: false };
  const isKept = canKeepQuestion();
  if (documents === 0 && !hasThread && isKept) return true;
  const lost = [documents > 0 && plural(documents, "document"), hasThread && t("the conversation"), !isKept && t("the question that you have typed")].filter(Boolean).join(t(" and "));
  const said = t`The page loads again, and this browser stores nothing for it. What will be lost: ${lost}.`;
  const copy = documents > 0 ? t(" Your files stay where they are. To keep a copy, export the library first, in the Library tab under Storage.") : "";
  return confirmed({ title: t("Change the language?"), text: `${said}${copy}`, yes: t("Change the language") });
}

/** Returns the number of the user's own documents that are in this tab alone, and whether a conversation is. */
async function ownInMemory(kb) {
  const { library, collections } = await kb.stats();
  if (library && library.kind !== "memory") return { documents: 0, hasThread: false };
  const own = collections.filter(({ name }) => name !== COLLECTION).reduce((sum, { documents }) => sum + documents, 0);
  return { documents: own + (await addedToSample(kb, collections)), hasThread: (await kb.conversations()).length > 0 };
}

/** Returns the number of documents that the user has added to the sample: those of the sample itself have no path of a file. */
async function addedToSample(kb, collections) {
  if (!collections.some(({ name }) => name === COLLECTION)) return 0;
  const documents = await allDocuments(kb, { collections: [COLLECTION] });
  return documents.filter(({ metadata }) => metadata[PATH] !== undefined).length;
}

/** Loads the page again. The choice and the question are stored as it is left: another part of the page may ask before that, and the user may stay. */
function loadIn(chosen, showChosen) {
  showChosen();
  const address = location.href;
  const ending = new AbortController();
  const { signal } = ending;
  let isLeaving = false;
  const stayed = () => {
    ending.abort();
    history.replaceState(history.state, "", address);
  };
  addEventListener("beforeunload", (event) => {
    if (isLeaving) return stayed(); // this is another attempt to leave
    isLeaving = true;
    // The browser asks the user, and does not tell the answer: the page goes on if it is used again.
    if (event.defaultPrevented) for (const name of ["pointerdown", "keydown"]) addEventListener(name, stayed, { signal, capture: true });
  }, { signal });
  addEventListener("pagehide", () => {
    remember("language", chosen);
    keepQuestion();
  }, { signal });
  // The address names the language only where it cannot be remembered.
  const named = canRemember() ? "" : `?${new URLSearchParams({ lang: chosen })}`;
  history.replaceState(history.state, "", addressOf(tabOf(), saidOf(), named));
  location.reload();
}
