// The editable list of questions: generated, pasted, loaded or written here.

import { byId, h } from "../dom.js";
import { plural } from "../format.js";
import { idsOf, join, split, tidy } from "./cases.js";
import { t } from "../words.js";

/**
 * @param onChange called when the list has changed
 * @param suggest called with the documents field that the user is typing in
 */
export function startCaseList(onChange, suggest) {
  let rows = []; // { made, question, documents, answer }: the original case, and its fields on the page

  function add(cases) {
    for (const made of cases) append(made);
    changed();
  }

  function append(made) {
    const field = (label, value, properties) => h("textarea", { ariaLabel: label, value, rows: 1, spellcheck: false, oninput: changed, ...properties });
    const row = { made, question: field(t("Question"), made.question ?? ""), answer: field(t("Right answer"), made.answer ?? made.answers?.[0] ?? "") };
    row.documents = h("input", { type: "text", ariaLabel: t("Documents that answer it"), value: join(made.relevant ?? []), spellcheck: false });
    row.documents.addEventListener("focus", () => suggest(row.documents, { anew: true }));
    row.documents.addEventListener("input", () => (suggest(row.documents), changed()));
    row.documents.setAttribute("list", "document-ids");
    row.element = h("tr", {},
      h("td", {}, row.question), h("td", {}, row.documents), h("td", {}, row.answer),
      h("td", {}, h("button.quiet", { type: "button", ariaLabel: t("Remove this question"), onclick: () => remove(row) }, "×")));
    rows.push(row);
    byId("cases").append(row.element);
    return row;
  }

  function remove(row) {
    const at = rows.indexOf(row);
    rows.splice(at, 1);
    row.element.remove();
    changed();
    ((rows[at] ?? rows[at - 1])?.question ?? byId("add-case")).focus();
  }

  function clear() {
    rows = [];
    byId("cases").replaceChildren();
    changed();
  }

  function changed() {
    byId("case-count").textContent = rows.length > 0 ? String(rows.length) : "";
    byId("cases-scroll").hidden = byId("save-cases").hidden = byId("clear-cases").hidden = rows.length === 0;
    onChange();
  }

  /** Returns the cases as edited; marks invalid ones and returns `null`. */
  function read() {
    const cases = rows.map(caseOf);
    const bad = rows.filter((row, at) => {
      const lacks = { question: !cases[at].question, documents: idsOf(cases[at].relevant).length === 0 };
      for (const [name, is] of Object.entries(lacks)) row[name].ariaInvalid = is ? "true" : null;
      return lacks.question || lacks.documents;
    });
    if (bad.length === 0) return cases;
    (bad[0].question.ariaInvalid ? bad[0].question : bad[0].documents).focus();
    throw new Error(t`${plural(bad.length, "question")} cannot be asked: each needs a text, and a document that answers it. Fill in the marked fields, or remove the row.`);
  }

  byId("add-case").addEventListener("click", () => {
    const row = append({});
    changed();
    row.question.focus();
  });
  byId("clear-cases").addEventListener("click", () => {
    clear();
    byId("add-case").focus();
  });
  return { add, clear, read, get count() { return rows.length; }, get byRule() { return rows.filter(({ made }) => made.by === "rule").length; } };
}

/** Unchanged fields keep their original value: grades, filters, further answers. */
function caseOf({ made, question, documents, answer }) {
  const text = question.value.trim();
  const same = documents.value === join(made.relevant ?? []);
  const right = answer.value.trim();
  const answers = right === (made.answer ?? made.answers?.[0] ?? "") ? { answer: made.answer, answers: made.answers } : { answer: right };
  return tidy({
    question: text,
    relevant: same ? (made.relevant ?? []) : split(documents.value),
    // A collection is set only if all documents are in it.
    collection: same ? made.collection : undefined,
    collections: same ? made.collections : undefined,
    filters: made.filters,
    ...answers,
  });
}
