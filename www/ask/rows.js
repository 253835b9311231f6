// An answer that is a list of documents: a table, with export as CSV.

import { h } from "../dom.js";
import { download } from "../download.js";
import { number, plural } from "../format.js";

const SHOWN = 25;

/** @param output the `output` of a result */
export function rowsOf({ columns, rows, documents, total, csv }, open) {
  const body = h("tbody");
  const said = h("span.hint", { role: "status" });
  const all = h("button.quiet", { type: "button", onclick: () => showAll() }, `Show all ${number(rows.length)}`);
  const show = (count) => {
    body.replaceChildren(...rows.slice(0, count).map((row, at) => rowOf(row, documents[at], open)));
    all.hidden = count >= rows.length;
  };
  const showAll = () => {
    show(rows.length);
    body.rows[SHOWN].querySelector("button").focus(); // the button is gone: focus the first new row
  };
  show(SHOWN);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(csv);
      said.textContent = "Copied.";
    } catch {
      said.textContent = "This browser does not allow copying. Download the file instead.";
    }
  };
  const count = total === rows.length ? plural(total, "document") : `${number(rows.length)} of ${plural(total, "document")}`;
  const isNumber = columns.map((_, at) => rows.every((row) => row[at] === null || typeof row[at] === "number") && rows.some((row) => row[at] !== null));
  const heads = columns.map((name, at) => h(isNumber[at] ? "th.number" : "th", { scope: "col" }, name.replaceAll("_", " ")));
  return h("div.rows", {},
    h("div.rows-scroll", { tabIndex: 0, role: "region", ariaLabel: "The answer as a table" }, h("table", {}, h("caption", {}, count), h("thead", {}, h("tr", {}, ...heads)), body)),
    h("div.actions", {},
      all,
      h("button", { type: "button", onclick: copy }, "Copy as CSV"),
      h("button", { type: "button", onclick: () => download("answer.csv", csv, "text/csv") }, "Download CSV"),
      said,
    ),
  );
}

/** The first column is the title, which opens the document. */
function rowOf(row, [collection, docId], open) {
  const [title, ...values] = row;
  const name = h("button.link", { type: "button", onclick: () => open({ collection, docId }) }, shown(title) || docId);
  return h("tr", {}, h("th", { scope: "row" }, name), ...values.map((value) => h(typeof value === "number" ? "td.number" : shown(value).length <= SHORT ? "td.short" : "td", {}, shown(value))));
}

/** Values up to this many letters, such as dates and names, stay on one line. */
const SHORT = 24;

const shown = (value) => (value === null ? "" : Array.isArray(value) ? value.map(shown).join(", ") : typeof value === "object" ? JSON.stringify(value) : String(value));
