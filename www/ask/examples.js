// What is offered to try before anything is asked: questions that the sample library answers, and adding files.

import { byId } from "../dom.js";
import { remember } from "../remember.js";
import { COLLECTION } from "../sample.js";

/**
 * @param ask called with the chosen question
 * @param add called to add files
 */
export function startExamples(ask, add) {
  const examples = byId("examples");
  // In the page itself, so that nothing moves when the scripts have loaded. Until then, boot.js handles them.
  for (const button of examples.querySelectorAll("button")) button.addEventListener("click", () => ask(button.textContent));
  byId("ask-add").addEventListener("click", add);

  return {
    show: (is) => (byId("to-try").hidden = !is),
    /**
     * Shows the examples while the library has the sample that answers them.
     *
     * @param isRead whether all automatic loading has finished
     */
    offer(collections, isRead) {
      const sample = collections.find(({ name }) => name === COLLECTION);
      const isAnswerable = sample?.documents > 0 || (!isRead && !sample?.description); // it has a description if it was loaded before
      examples.hidden = byId("sample-told").hidden = !isAnswerable;
      if (isRead) remember("examples", isAnswerable); // the next visit starts as this one ends: see boot.js
    },
  };
}
