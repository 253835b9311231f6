// Documents to choose from where a question's are written: those that fit what stands there, out of all there are.

import { allDocuments } from "../all-documents.js";
import { byId, h } from "../dom.js";

const MOST = 50;

/** @param app what the parts of the page share: see main.js */
export function startSuggestions({ kb, complain }) {
  let all = null; // every document, as they were when the field got the focus
  let latest = 0;

  /** Fills the list that a field shows, for the last of the documents in it. */
  async function fill(value) {
    const turn = ++latest;
    const at = value.search(/[^|;]*$/);
    const [before, wanted] = [value.slice(0, at), value.slice(at).trim().toLowerCase()];
    const documents = await (all ??= allDocuments(kb));
    if (turn !== latest) return;
    const fitting = documents.filter(({ id, title }) => `${id} ${title ?? ""}`.toLowerCase().includes(wanted)).slice(0, MOST);
    byId("document-ids").replaceChildren(...fitting.map(({ id, title }) => h("option", { value: before ? `${before} ${id}` : id, label: title ?? id })));
  }

  /** @param anew lists the documents anew: they may have changed, here or in another tab */
  return (field, { anew = false } = {}) => {
    if (anew) all = null;
    fill(field.value).catch((error) => complain(error));
  };
}
