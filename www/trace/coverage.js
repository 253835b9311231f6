// The coverage of each part of the question, and of each condition.

import { h } from "../dom.js";
import { number } from "../format.js";

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
      missing.length > 0 ? h("p.hint", {}, `No passage contains: ${missing.join(", ")}.`) : null,
      chunks.length > 0 ? h("details", {}, h("summary", {}, `${number(chunks.length)} passage${chunks.length === 1 ? "" : "s"}`), view.places.list(chunks, view)) : null,
    ),
  );
  const tried = relaxations.map(({ without, found, used }) =>
    h("li", {}, `Without ${without === "threshold" ? "the similarity threshold" : `“${without}”`}: ${number(found)} found${used ? "; the run continued without it" : ""}.`),
  );
  return [h("ul.coverage", {}, ...parts), ...(tried.length > 0 ? [h("p", {}, "Restrictions that were removed, or tried without:"), h("ul.tried", {}, ...tried)] : [])];
}
