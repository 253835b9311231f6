// What each part of the question, and each condition, is covered by.

import { h } from "../dom.js";
import { number } from "../words.js";

const STATUS = { covered: "covered", partial: "in part", gap: "nothing found" };

/** @param view `{ places, open, kept }` */
export function coverageOf({ coverage = [], relaxations = [] }, view) {
  const parts = coverage.map(({ kind, text, status, share, chunks, missing }) =>
    h("li", {},
      h("div.coverage-head", {},
        h(`span.badge.${status}`, {}, STATUS[status]),
        h("b", {}, text),
        h("span.hint", {}, kind === "constraint" ? "a condition" : `${Math.round(share * 100)} % of its words`),
      ),
      missing.length > 0 ? h("p.hint", {}, `No passage holds: ${missing.join(", ")}.`) : null,
      chunks.length > 0 ? h("details", {}, h("summary", {}, `${number(chunks.length)} passage${chunks.length === 1 ? "" : "s"}`), view.places.list(chunks, view)) : null,
    ),
  );
  const tried = relaxations.map(({ without, found, used }) =>
    h("li", {}, `Without ${without === "threshold" ? "the threshold of likeness" : `“${without}”`}: ${number(found)} found${used ? "; the run went on without it" : ""}.`),
  );
  return [h("ul.coverage", {}, ...parts), ...(tried.length > 0 ? [h("p", {}, "Given up, or tried to:"), h("ul.tried", {}, ...tried)] : [])];
}
