// The documents, a page of them at a time, however many there are: found by title, opened, removed.

import { allDocuments } from "../all-documents.js";
import { byId, h } from "../dom.js";
import { number, plural } from "../words.js";
import { nameOf } from "./names.js";

const PAGE = 20;
const PAUSE = 150;

/** @param app what the parts of the page share: see main.js */
export function startDocuments({ kb, open, complain, changed, filters, removals }) {
  const list = byId("documents");
  const field = byId("document-search");
  let page = 0;
  let all = null; // every document that the filter wants, once a title was searched for
  let latest = 0; // the drawing that counts

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
        page = Math.max(0, Math.ceil(found.total / PAGE) - 1); // the last page went with its documents
        found = await find();
        if (turn !== latest) return;
      }
      draw(found);
    } catch (error) {
      // The last document with a field took the filter's field along.
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
      ? "No document fits. Choose fewer filters, or other words."
      : "There is nothing in the library. Drop files anywhere on this page, or add the sample again below.";
    const [first, last] = [page * PAGE + 1, page * PAGE + documents.length];
    byId("documents-range").textContent = total > PAGE ? `${number(first)}–${number(last)} of ${number(total)}` : total > 0 ? plural(total, "document") : "";
    byId("documents-back").hidden = byId("documents-on").hidden = total <= PAGE;
    byId("documents-back").disabled = page === 0;
    byId("documents-on").disabled = last >= total;
  }

  /** The button that had the focus is made anew, or has become another one, or is gone with its document. */
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

  /** In the place of a document that is being removed. */
  function removedLine({ id, collection, title }) {
    const name = title ?? id;
    const undo = () => {
      removals.undo({ collection, id });
      byId("documents-said").textContent = `“${name}” was not removed.`;
    };
    return entry({ id, collection }, h("li.removed"), h("span.hint", {}, `“${name}” was removed.`), h("button.undo.quiet", { type: "button", ariaLabel: `Undo: keep ${name}`, onclick: undo }, "Undo"));
  }

  async function remove(collection, id, name) {
    byId("documents-said").textContent = `“${name}” was removed. For some seconds, that can be undone.`;
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
