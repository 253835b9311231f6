// The head of the Ask tab: what it promises about privacy, and its compact form once a question is asked.

import { byId } from "../dom.js";
import { remember } from "../remember.js";
import { language, t } from "../words.js";

/** The promise while nothing is sent, as in the page itself. */
const PRIVATE = t("Private: your files stay in this browser.");

const isPlain = ({ metaKey, ctrlKey, shiftKey, altKey }) => !(metaKey || ctrlKey || shiftKey || altKey);

/**
 * @param model the observable of the language model in use
 * @param anew returns to the start, and is told whether that is for a new question
 */
export function startHead(model, anew) {
  model.on((chosen) => {
    const promise = chosen?.isElsewhere ? elsewhere(chosen) : PRIVATE;
    byId("promise").textContent = promise;
    remember(language === "en" ? "promise" : `promise-${language}`, promise); // the next visit begins with it, so that nothing moves: see boot.js
  });
  byId("new-question").addEventListener("click", () => anew(true));
  // Before the tab changes: on another tab, the name of the page leads back to the answer.
  const leave = (event) => isPlain(event) && !byId("ask").hidden && anew(false);
  document.querySelector(".wordmark").addEventListener("click", leave, { capture: true });
  return {
    /** Reduces the head to the field, so that the answer below is in view; or shows all of it again. */
    fold(is) {
      byId("ask").toggleAttribute("data-asked", is);
      byId("new-question").hidden = !is;
    },
  };
}

/** Says what leaves the browser with a model that runs somewhere else. */
const elsewhere = ({ name, host }) =>
  t`Your question and the passages found for it are sent to the language model you chose: ${name}${host ? t` at ${host}` : ""}. Your files stay here.`;
