// The choice of the page's language, among the options of the Ask tab. It is remembered, and the page loads again, with the typed question. Where that
// would lose something, as in a browser that stores nothing for the page, it asks first.

import { addressOf, saidOf, tabOf } from "./address.js";
import { plural } from "./format.js";
import { keepQuestion } from "./kept-question.js";
import { confirmed } from "./library/confirm.js";
import { complain } from "./notice.js";
import { remember, remembered } from "./remember.js";
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
        if (await mayReload(kb)) loadIn(input.value);
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

/** Keeps the typed question. Returns whether nothing is lost, or the user agrees to losing it. */
async function mayReload(kb) {
  const documents = kb ? await ownInMemory(kb) : 0;
  const isKept = keepQuestion();
  if (documents === 0 && isKept) return true;
  const lost = [documents > 0 && plural(documents, "document"), !isKept && t("the question that you have typed")].filter(Boolean).join(t(" and "));
  const said = t`The page loads again, and this browser stores nothing for it. What will be lost: ${lost}.`;
  const copy = documents > 0 ? t(" Your files stay where they are. To keep a copy, export the library first, in the Library tab under Storage.") : "";
  return confirmed({ title: t("Change the language?"), text: `${said}${copy}`, yes: t("Change the language") });
}

/** Returns the number of the user's own documents that are in this tab alone. */
async function ownInMemory(kb) {
  const { library, collections } = await kb.stats();
  if (library && library.kind !== "memory") return 0;
  return collections.filter(({ name }) => name !== COLLECTION).reduce((sum, { documents }) => sum + documents, 0);
}

function loadIn(chosen) {
  remember("language", chosen);
  // The address names the language only where it could not be remembered.
  const named = remembered("language", null) === chosen ? "" : `?${new URLSearchParams({ lang: chosen })}`;
  history.replaceState(history.state, "", addressOf(tabOf(), saidOf(), named));
  location.reload();
}
