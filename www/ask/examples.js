// Questions to try, while nothing is asked. The sample answers them: they go with it.

import { byId, h } from "../dom.js";
import { COLLECTION } from "../sample.js";

/** @param ask is given the question that was chosen */
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
    /** @param isRead whether all is there that will come by itself */
    offer(collections, isRead) {
      const sample = collections.find(({ name }) => name === COLLECTION);
      isAnswerable = sample?.documents > 0 || (!isRead && !sample?.description); // it has one once it was here
      draw();
    },
  };
}
