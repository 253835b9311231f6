// Earlier questions and answers of the thread.

import { byId, h } from "../dom.js";
import { OWN } from "../texts.js";
import { t, worded } from "../words.js";

/** @param turns those before the question that is shown; or all, with the last one expanded */
export function showTurns(turns, open, { isLastOpen = false } = {}) {
  byId("thread").hidden = turns.length === 0;
  requestAnimationFrame(() => (byId("turns").scrollTop = byId("turns").scrollHeight)); // the last ones are in view
  byId("turns").replaceChildren(
    ...turns.map((turn, at) =>
      h("li", {},
        h("details", { open: isLastOpen && at === turns.length - 1 },
          h("summary", {}, turn.question),
          answerOf(turn, open),
        ),
      ),
    ),
  );
}

function answerOf(turn, open) {
  const answer = h("vademecum-answer", { labels: OWN });
  answer.addEventListener("vademecum-open", ({ detail }) => open(detail.citation));
  answer.show({ ...turn, answer: turn.citations?.length > 0 ? turn.answer : worded(turn.answer || t("No answer.")) });
  return answer;
}
