// Results per question: the rank of the first relevant document for each strategy.

import { h } from "../dom.js";
import { idsOf } from "./cases.js";
import { t } from "../words.js";

/** @param show called with the chosen cell: `{ strategy, one, run, failure }` */
export function matrix(report, cases, show) {
  const rows = cases.map((one, at) => {
    const cells = report.strategies.map((strategy) => cellOf(strategy, one, at));
    const row = h("tr", {},
      h("th", { scope: "row" }, one.question),
      ...cells.map(({ name, state, text, said, run, failure }) => {
        const button = h("button.cell", { type: "button", ariaLabel: `${name}: ${said}`, onclick: () => show({ strategy: name, one, run, failure }) }, text);
        button.dataset.state = state;
        return h("td", {}, button);
      }));
    return { row, differ: new Set(cells.map(({ text }) => text)).size > 1 };
  });
  const some = rows.filter(({ differ }) => differ).length;
  const filter = h("input", { type: "checkbox", disabled: some === 0, onchange: () => rows.forEach(({ row, differ }) => (row.hidden = filter.checked && !differ)) });
  const names = report.strategies.map(({ name }) => h("th", { scope: "col" }, name));
  const scroll = h("div.matrix-scroll", { tabIndex: 0, role: "region", ariaLabel: t("Question by question") },
    h("table.matrix", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("Question")), ...names)), h("tbody", {}, ...rows.map(({ row }) => row))));
  return h("section", {},
    h("h3", {}, t("Question by question")),
    h("p.hint", {}, t`The rank of the first document that answers it, among the first ${report.k}; – if there is none, ! if the run failed. Choose a cell to see what was found.`),
    h("label.check", {}, filter, t` only the ${some} where they differ`),
    scroll);
}

function cellOf({ name, perCase, failures }, one, at) {
  const run = perCase[at];
  const place = run.ranking.findIndex((id) => idsOf(one.relevant).includes(id)) + 1;
  const failure = run.failure ? failures.find(({ question, code }) => question === one.question && code === run.failure) : null;
  if (failure) return { name, run, failure, state: "failed", text: "!", said: t("failed") };
  if (place === 0) return { name, run, state: "missed", text: "–", said: t("not found") };
  return { name, run, state: place === 1 ? "first" : "found", text: String(place), said: t`found at rank ${place}` };
}
