// An answer that is a list of documents: a table, with export as CSV.

import { h } from "../dom.js";
import { download } from "../download.js";
import { number, plural } from "../format.js";
import { documentAt } from "../run-snapshot.js";
import { orderOf, writtenIn } from "./columns.js";
import { t } from "../words.js";

const SHOWN = 25;

/** Returns the texts of the documents of a table, up to those that are shown first; empty for those that were removed. */
export const textsOf = (kb, { documents }, count = SHOWN) =>
  Promise.all(documents.slice(0, count).map(async ([collection, docId]) => (await documentAt(kb, { collection, docId }))?.text ?? ""));

/**
 * @param output the `output` of a result
 * @param texts the texts of its first documents
 * @param more returns the texts of all its documents
 */
export function rowsOf({ columns, rows, documents, total, csv }, texts, { open, more }) {
  const body = h("tbody");
  const said = h("span.hint", { role: "status" });
  const all = h("button.quiet", { type: "button", onclick: () => showAll() }, t`Show all ${number(rows.length)}`);
  const written = (some) => some.map((text) => writtenIn(text, columns));
  const order = orderOf({ columns, rows }, written(texts));
  const show = (count, ofRows) => {
    body.replaceChildren(...rows.slice(0, count).map((row, at) => rowOf(row, documents[at], { columns, order, written: ofRows[at], open })));
    all.hidden = count >= rows.length;
  };
  const showAll = async () => {
    show(rows.length, written(await more().catch(() => texts)));
    body.rows[SHOWN].querySelector("button").focus(); // the button is gone: focus the first new row
  };
  show(SHOWN, written(texts));
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(csv);
      said.textContent = t("Copied.");
    } catch {
      said.textContent = t("This browser does not allow copying. Download the file instead.");
    }
  };
  const count = total === rows.length ? plural(total, "document") : t`${number(rows.length)} of ${number(total)} documents`;
  const isNumber = (at) => rows.every((row) => row[at] === null || typeof row[at] === "number") && rows.some((row) => row[at] !== null);
  const heads = order.map((at) => h(isNumber(at) ? "th.number" : "th", { scope: "col" }, columns[at].replaceAll("_", " ")));
  return h("div.rows", {},
    h("div.rows-scroll", { tabIndex: 0, role: "region", ariaLabel: t("The answer as a table") }, h("table", {}, h("caption", {}, count), h("thead", {}, h("tr", {}, ...heads)), body)),
    h("div.actions", {},
      all,
      h("button", { type: "button", onclick: copy }, t("Copy as CSV")),
      h("button", { type: "button", onclick: () => download("answer.csv", csv, "text/csv") }, t("Download CSV")),
      said,
    ),
  );
}

/** The first column that is shown opens the document. */
function rowOf(row, [collection, docId], { columns, order, written = new Map(), open }) {
  const [first, ...others] = order;
  const asWritten = (at) => {
    const [value, text] = [row[at], written.get(columns[at])];
    return typeof value === "number" && text?.trim() && Number(text) === value ? text.trim() : shown(value);
  };
  const name = h("button.link", { type: "button", onclick: () => open({ collection, docId }) }, asWritten(first) || shown(row[0]) || docId);
  return h("tr", {}, cell("th", row[first], name, { scope: "row" }), ...others.map((at) => cell("td", row[at], asWritten(at))));
}

const cell = (tag, value, content, properties = {}) => h(`${tag}${typeof value === "number" ? ".number" : shown(value).length <= SHORT ? ".short" : ""}`, properties, content);

/** Values up to this many letters, such as dates and names, stay on one line. */
const SHORT = 24;

const shown = (value) => (value === null ? "" : Array.isArray(value) ? value.map(shown).join(", ") : typeof value === "object" ? JSON.stringify(value) : String(value));
