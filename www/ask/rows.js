// An answer that is a list of documents: a table that is sorted by its columns, with export as CSV.

import { h } from "../dom.js";
import { download } from "../download.js";
import { number, plural } from "../format.js";
import { documentAt } from "../run-snapshot.js";
import { orderOf, writtenIn } from "./columns.js";
import { areNumbers, sorted } from "./sorting.js";
import { t } from "../words.js";

const SHOWN = 25;

/** Returns the texts of the documents of a table, up to those that are shown first; empty for those that were removed. */
export const textsOf = (kb, { documents }, count = SHOWN) =>
  Promise.all(documents.slice(0, count).map(async ([collection, docId]) => (await documentAt(kb, { collection, docId }))?.text ?? ""));

/**
 * @param output the `output` of a result
 * @param texts the texts of its first documents
 * @param on `{ question, open, read }`: `read` returns the texts of some documents
 */
export function rowsOf({ columns, rows, documents, total, csv }, texts, { question, open, read }) {
  const body = h("tbody");
  const said = h("span.hint", { role: "status" });
  const sortedBy = h("span.visually-hidden", { role: "status" });
  const all = h("button.quiet", { type: "button", onclick: () => showAll() }, t`Show all ${number(rows.length)}`);
  const written = new Map(texts.map((text, at) => [at, writtenIn(text, columns)])); // by the row's place
  const order = orderOf({ columns, rows }, [...written.values()], question);
  const numeric = new Set(columns.map((_, at) => at).filter((at) => areNumbers(rows.map((row) => row[at]))));
  let count = SHOWN;
  let places = rows.map((_, at) => at);
  let turn = 0; // a later order overtakes the reading of documents for an earlier one
  const show = () => {
    body.replaceChildren(...places.slice(0, count).map((at) => rowOf(rows[at], documents[at], { columns, order, numeric, written: written.get(at), open })));
    all.hidden = count >= rows.length;
  };
  /** Reads the documents of the rows to show, and shows them; without their texts, numbers are as the library has them. */
  const readAndShow = async () => {
    const own = ++turn;
    const missing = places.slice(0, count).filter((at) => !written.has(at));
    const found = missing.length > 0 ? await read(missing.map((at) => documents[at])).catch(() => []) : [];
    for (const [at, text] of found.entries()) written.set(missing[at], writtenIn(text, columns));
    if (own === turn) show();
    return own === turn;
  };
  const showAll = async () => {
    count = rows.length;
    if (await readAndShow()) body.rows[SHOWN].querySelector("button").focus(); // the button is gone: focus the first new row
  };
  show();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(csv);
      said.textContent = t("Copied.");
    } catch {
      said.textContent = t("This browser does not allow copying. Download the file instead.");
    }
  };
  const file = columns.indexOf("file"); // that a row comes from
  const areRows = file > 0 && rows.every((row) => row[file] !== null);
  const counted = total === rows.length ? plural(total, areRows ? "row" : "document") : areRows ? t`${number(rows.length)} of ${number(total)} rows` : t`${number(rows.length)} of ${number(total)} documents`;
  const nameOf = (at) => columns[at].replaceAll("_", " ");
  /** Sorts by a column: ascending, descending, and as before. */
  const sortBy = (at) => {
    const head = heads[order.indexOf(at)];
    const direction = head.ariaSort === "ascending" ? "descending" : head.ariaSort ? null : "ascending";
    for (const one of heads) one.ariaSort = null;
    head.ariaSort = direction;
    places = direction ? sorted(rows.map((row) => row[at]), direction) : rows.map((_, place) => place);
    sortedBy.textContent = direction === "ascending" ? t`Sorted by ${nameOf(at)}, ascending.` : direction ? t`Sorted by ${nameOf(at)}, descending.` : t("In the first order again.");
    void readAndShow();
  };
  const headOf = (at) => (rows.length > 1 ? h("button.sort", { type: "button", title: t("Sort by this column"), onclick: () => sortBy(at) }, nameOf(at)) : nameOf(at));
  const heads = order.map((at) => h(numeric.has(at) ? "th.number" : "th", { scope: "col" }, headOf(at)));
  const table = h("table", {}, h("caption", {}, counted), h("thead", {}, h("tr", {}, ...heads)), body);
  return h("div.rows", {},
    h("div.rows-scroll", { tabIndex: 0, role: "region", ariaLabel: t("The answer as a table") }, table),
    h("div.actions", {},
      all,
      h("button", { type: "button", onclick: copy }, t("Copy as CSV")),
      h("button", { type: "button", onclick: () => download("answer.csv", csv, "text/csv") }, t("Download CSV")),
      said,
      sortedBy,
    ),
  );
}

/** The first column that is shown opens the document. */
function rowOf(row, [collection, docId], { columns, order, numeric, written = new Map(), open }) {
  const [first, ...others] = order;
  const asWritten = (at) => {
    const [value, text] = [row[at], written.get(columns[at])];
    return typeof value === "number" && text?.trim() && Number(text) === value ? text.trim() : shown(value);
  };
  const name = h("button.link", { type: "button", onclick: () => open({ collection, docId }) }, asWritten(first) || shown(row[0]) || docId);
  const cell = (tag, at, content, properties = {}) => h(`${tag}${numeric.has(at) ? ".number" : shown(row[at]).length <= SHORT ? ".short" : ""}`, properties, content);
  return h("tr", {}, cell("th", first, name, { scope: "row" }), ...others.map((at) => cell("td", at, asWritten(at))));
}

/** Values up to this many letters, such as dates and names, stay on one line. */
const SHORT = 32;

const shown = (value) => (value === null ? "" : Array.isArray(value) ? value.map(shown).join(", ") : typeof value === "object" ? JSON.stringify(value) : String(value));
