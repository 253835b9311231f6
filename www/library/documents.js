// The list of documents, in pages: search by title, open, remove.

import { allDocuments } from "../list-documents.js";
import { byId, h } from "../dom.js";
import { number, plural } from "../format.js";
import { nameOf } from "./names.js";

const PAGE = 20;
const PAUSE = 150;

/** @param app what the parts of the page share: see main.js */
export function startDocuments({ kb, open, complain, changed, filters, removals }) {
  const list = byId("documents");
  const field = byId("document-search");
  let page = 0;
  let all = null; // all documents that match the filter, loaded by the first title search
  let latest = 0; // the latest drawing; earlier ones are discarded

  changed.on(() => {
    all = null;
    void show();
  });
  filters.on(() => {
    all = null;
    page = 0;
    void show();
  });

  async function show() {
    const turn = ++latest;
    try {
      let found = await find();
      if (turn !== latest) return;
      if (found.documents.length === 0 && page > 0) {
        page = Math.max(0, Math.ceil(found.total / PAGE) - 1); // the last page was removed with its documents
        found = await find();
        if (turn !== latest) return;
      }
      draw(found);
    } catch (error) {
      // The filter's field disappeared with its last document.
      if (error.code === "unknown_field" && filters.value) filters.value = null;
      else complain(error);
    }
  }

  async function find() {
    const wanted = field.value.trim().toLowerCase();
    const where = filters.value ? { filters: filters.value } : {};
    if (!wanted) return kb.documents({ ...where, offset: page * PAGE, limit: PAGE });
    all ??= allDocuments(kb, where);
    const words = wanted.split(/\s+/);
    const has = ({ title, id }) => {
      const text = `${title ?? ""} ${id}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const documents = (await all).filter(has);
    return { total: documents.length, documents: documents.slice(page * PAGE, (page + 1) * PAGE) };
  }

  function draw({ total, documents }) {
    const focused = list.contains(document.activeElement) ? document.activeElement : null;
    list.replaceChildren(...documents.map((one) => (removals.has(one) ? removedLine(one) : line(one))));
    if (focused) focusAgain(focused);
    const isNarrowed = field.value.trim() !== "" || filters.value !== null;
    byId("documents-empty").hidden = total > 0;
    byId("documents-empty").textContent = isNarrowed
      ? "No document matches. Remove a filter, or search for other words."
      : "The library is empty. Drop files anywhere on this page, or add the sample again below.";
    const [first, last] = [page * PAGE + 1, page * PAGE + documents.length];
    byId("documents-range").textContent = total > PAGE ? `${number(first)}–${number(last)} of ${number(total)}` : total > 0 ? plural(total, "document") : "";
    byId("documents-back").hidden = byId("documents-on").hidden = total <= PAGE;
    byId("documents-back").disabled = page === 0;
    byId("documents-on").disabled = last >= total;
  }

  /** Restores the focus after a button was replaced or removed. */
  function focusAgain(button) {
    const { key } = button.closest("li").dataset;
    const own = [...list.children].find((one) => one.dataset.key === key);
    const next = own?.querySelector(button.matches(".title") ? ".title" : ".remove, .undo") ?? list.querySelector(".title") ?? field;
    next.focus({ preventScroll: true });
  }

  function line({ id, collection, title, chunks }) {
    const name = title ?? id;
    return entry(
      { id, collection },
      h("li"),
      h("button.title", { type: "button", title: id, onclick: () => open({ collection, docId: id }) }, h("span.name", {}, name), name === id ? null : h("span.hint", {}, id)),
      h("span.hint.in", {}, nameOf(collection)),
      h("span.hint.count", {}, plural(chunks, "passage")),
      h("button.remove.quiet", { type: "button", ariaLabel: `Remove ${name}`, onclick: () => remove(collection, id, name).catch(complain) }, "Remove"),
    );
  }

  function entry({ id, collection }, element, ...parts) {
    element.dataset.key = JSON.stringify([collection, id]);
    element.append(...parts.filter((part) => part !== null));
    return element;
  }

  /** The row of a document that is being removed. */
  function removedLine({ id, collection, title }) {
    const name = title ?? id;
    const undo = () => {
      removals.undo({ collection, id });
      byId("documents-said").textContent = `“${name}” was not removed.`;
    };
    return entry({ id, collection }, h("li.removed"), h("span.hint", {}, `“${name}” was removed.`), h("button.undo.quiet", { type: "button", ariaLabel: `Undo: keep ${name}`, onclick: undo }, "Undo"));
  }

  async function remove(collection, id, name) {
    byId("documents-said").textContent = `“${name}” was removed. You can undo this for a few seconds.`;
    await removals.remove(collection, id);
  }

  /** @type {ReturnType<typeof setTimeout>} */
  let pause;
  field.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(() => {
      page = 0;
      void show();
    }, PAUSE);
  });
  const turn = (by) => () => {
    page += by;
    void show();
  };
  byId("documents-back").addEventListener("click", turn(-1));
  byId("documents-on").addEventListener("click", turn(1));
}
