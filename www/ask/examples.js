// Example questions, shown until a question is asked. The sample library answers them, so they are hidden without it.

import { byId, h } from "../dom.js";
import { COLLECTION } from "../sample.js";

/** @param ask called with the chosen question */
export function startExamples(questions, ask) {
  let isIdle = true;
  let isAnswerable = true; // the first visit fetches the sample

  byId("examples").replaceChildren(...questions.map((question) => h("button", { type: "button", onclick: () => ask(question) }, question)));
  const draw = () => (byId("to-try").hidden = !(isIdle && isAnswerable));

  return {
    show(is) {
      isIdle = is;
      draw();
    },
    /** @param isRead whether all automatic loading has finished */
    offer(collections, isRead) {
      const sample = collections.find(({ name }) => name === COLLECTION);
      isAnswerable = sample?.documents > 0 || (!isRead && !sample?.description); // it has a description if it was loaded before
      draw();
    },
  };
}
