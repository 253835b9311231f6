// Earlier questions and answers of the thread.

import { byId, h } from "../dom.js";
import { texts } from "../texts.js";
import { answerText, sourceList } from "../vademecum/elements/citations.js";
import { t, worded } from "../words.js";

/** @param turns those before the question that is shown; or all, with the last one expanded */
export function showTurns(turns, open, { isLastOpen = false } = {}) {
  const shown = { texts, open: (_, { citation }) => open(citation) };
  byId("thread").hidden = turns.length === 0;
  requestAnimationFrame(() => (byId("turns").scrollTop = byId("turns").scrollHeight)); // the last ones are in view
  byId("turns").replaceChildren(
    ...turns.map((turn, at) =>
      h("li", {},
        h("details", { open: isLastOpen && at === turns.length - 1 },
          h("summary", {}, turn.question),
          h("div.answer-text", {}, ...answerText({ ...turn, answer: turn.citations?.length > 0 ? turn.answer : worded(turn.answer || t("No answer.")) }, shown)),
          h("ol.sources", {}, ...sourceList(turn.citations ?? [], shown)),
        ),
      ),
    ),
  );
}
