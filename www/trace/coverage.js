// The coverage of each part of the question, and of each condition.

import { h } from "../dom.js";
import { number, plural } from "../format.js";
import { t } from "../words.js";

const STATUS = { covered: t("covered"), partial: t("in part"), gap: t("nothing found") };

/** @param view `{ places, open, kept }` */
export function coverageOf({ coverage = [], relaxations = [] }, view) {
  const parts = coverage.map(({ kind, text, status, share, chunks, missing }) =>
    h("li", {},
      h("div.coverage-head", {},
        h(`span.badge.${status}`, {}, STATUS[status]),
        h("b", {}, text),
        h("span.hint", {}, kind === "constraint" ? t("a condition") : t`${Math.round(share * 100)} % of its words`),
      ),
      missing.length > 0 ? h("p.hint", {}, t`No passage contains: ${missing.join(", ")}.`) : null,
      chunks.length > 0 ? h("details", {}, h("summary", {}, plural(chunks.length, "passage")), view.places.list(chunks, view)) : null,
    ),
  );
  const tried = relaxations.map(({ without, found, used }) =>
    h("li", {}, t`Without ${without === "threshold" ? t("the similarity threshold") : t`“${without}”`}: ${number(found)} found${used ? t("; the run continued without it") : ""}.`),
  );
  return [h("ul.coverage", {}, ...parts), ...(tried.length > 0 ? [h("p", {}, t("Restrictions that were removed, or tried without:")), h("ul.tried", {}, ...tried)] : [])];
}
