// Completion of document ids in the list of questions.

import { allDocuments } from "../list-documents.js";
import { byId, h } from "../dom.js";

const MOST = 50;

/** @param app what the parts of the page share: see main.js */
export function startSuggestions({ kb, complain }) {
  let all = null; // all documents, at the time when the field got the focus
  let latest = 0;

  /** Fills the list of the field, for the last document in it. */
  async function fill(value) {
    const turn = ++latest;
    const at = value.search(/[^|;]*$/);
    const [before, wanted] = [value.slice(0, at), value.slice(at).trim().toLowerCase()];
    const documents = await (all ??= allDocuments(kb));
    if (turn !== latest) return;
    const fitting = documents.filter(({ id, title }) => `${id} ${title ?? ""}`.toLowerCase().includes(wanted)).slice(0, MOST);
    byId("document-ids").replaceChildren(...fitting.map(({ id, title }) => h("option", { value: before ? `${before} ${id}` : id, label: title ?? id })));
  }

  /** @param anew lists the documents again: they may have changed, here or in another tab */
  return (field, { anew = false } = {}) => {
    if (anew) all = null;
    fill(field.value).catch((error) => complain(error));
  };
}
