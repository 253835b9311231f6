// A line of the list of files: a document, or a table with its rows.

import { h } from "../dom.js";
import { number, plural } from "../format.js";
import { nameOf } from "./names.js";
import { t } from "../words.js";

/** Rows that are shown at first, and with each press of “more”. */
const ROWS = 20;

/**
 * @param {import("./catalogue.js").Entry} entry
 * @param {{ unfolded: number, isPart: boolean, open: (place: any) => void, unfold: (entry: any, count: number) => void, ask: (entry: any) => void,
 *   remove: (documents: any[], name: string, event: MouseEvent) => void }} options `unfolded` is the number of rows that are shown, and
 *   `isPart` tells whether the table has more rows than the entry
 */
export function lineOf(entry, { unfolded, isPart, open, unfold, ask, remove }) {
  const { collection, id, name, path, chunks, rows } = entry;
  const documents = rows ?? [{ collection, id }];
  const some = isPart ? plural(rows?.length ?? 0, "row") : null; // what is removed, if not the whole table
  const removed = some ? t`${some} of ${name}` : name;
  const isUnfolded = rows !== null && unfolded > 0;
  const title = h(
    "button.title",
    rows === null
      ? { type: "button", title: id, onclick: () => open(entry) }
      : { type: "button", title: id, ariaExpanded: String(isUnfolded), onclick: () => unfold(entry, isUnfolded ? 0 : ROWS) },
    h("span.name", {}, name),
    rows !== null ? h("span.hint", {}, plural(rows.length, "row")) : name === id ? null : h("span.hint", {}, id),
  );
  title.dataset.part = "title";
  const line = h(
    "li",
    {},
    title,
    h("span.hint.in", {}, nameOf(collection)),
    h("span.hint.count", {}, plural(chunks, "passage")),
    h("span.entry-actions", {}, path === null ? null : part("ask", h("button.ask-one.quiet", { type: "button", ariaLabel: t`Ask ${name}`, title: t("Ask this document"), onclick: () => ask(entry) }, t("Ask"))), removal(removed, (event) => remove(documents, removed, event), some)),
  );
  line.dataset.key = JSON.stringify([collection, id]);
  if (isUnfolded) line.append(rowsOf(entry, unfolded, { open, unfold, remove }));
  return line;
}

function rowsOf(entry, count, { open, unfold, remove }) {
  const list = h("ul.rows", { ariaLabel: t`Rows of ${entry.name}` });
  for (const row of entry.rows.slice(0, count)) {
    const name = row.title ?? row.id;
    const line = h("li", {}, part("title", h("button.title", { type: "button", title: row.id, onclick: () => open(row) }, h("span.name", {}, name))), removal(name, (event) => remove([row], name, event)));
    line.dataset.key = JSON.stringify([row.collection, row.id]);
    list.append(line);
  }
  const rest = entry.rows.length - count;
  if (rest > 0) {
    const more = h("li", {}, part("more", h("button.quiet", { type: "button", onclick: () => unfold(entry, count + ROWS) }, t`Show ${number(Math.min(ROWS, rest))} more of ${number(rest)}`)));
    more.dataset.key = JSON.stringify([entry.collection, entry.id, "more"]);
    list.append(more);
  }
  return list;
}

const removal = (name, onclick, some = null) => part("remove", h("button.remove.quiet", { type: "button", ariaLabel: t`Remove ${name}`, onclick }, some ? t`Remove ${some}` : t("Remove")));

/** Names a button within its line, so that the focus finds it again after the line was drawn anew. */
function part(name, button) {
  button.dataset.part = name;
  return button;
}
