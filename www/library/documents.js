// The documents, a page of them at a time, however many there are: found by title, opened, removed.

import { allDocuments } from "../all-documents.js";
import { byId, h } from "../dom.js";
import { number, plural } from "../words.js";
import { nameOf } from "./collections.js";

const PAGE = 20;
const PAUSE = 150;

/** @param app what the parts of the page share: see main.js */
export function startDocuments({ kb, open, complain, changed, filters }) {
  const field = byId("document-search");
  let page = 0;
  let all = null; // every document that the filter wants, once a title was searched for
  let latest = 0; // the drawing that counts

  changed.on(() => {
    all = null;
    show();
  });
  filters.on(() => {
    all = null;
    page = 0;
    show();
  });

  async function show() {
    const turn = ++latest;
    try {
      let found = await list();
      if (turn !== latest) return;
      if (found.documents.length === 0 && page > 0) {
        page = Math.max(0, Math.ceil(found.total / PAGE) - 1); // the last page went with its documents
        found = await list();
        if (turn !== latest) return;
      }
      draw(found);
    } catch (error) {
      // The last document with a field took the filter's field along.
      if (error.code === "unknown_field" && filters.value) filters.value = null;
      else complain(error);
    }
  }

  async function list() {
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
    byId("documents").replaceChildren(...documents.map(line));
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

  function line({ id, collection, title, chunks }) {
    const name = title ?? id;
    return h(
      "li",
      {},
      h("button.title", { type: "button", title: id, onclick: () => open({ collection, docId: id }) }, h("span.name", {}, name), name === id ? null : h("span.hint", {}, id)),
      h("span.hint.in", {}, nameOf(collection)),
      h("span.hint.count", {}, plural(chunks, "passage")),
      h("button.remove.quiet", { type: "button", ariaLabel: `Remove ${name}`, onclick: () => remove(collection, id).catch(complain) }, "Remove"),
    );
  }

  async function remove(collection, id) {
    await kb.remove(collection, [id]);
    changed.value = { removed: [id] };
    field.focus(); // the button that had the focus is gone
  }

  let pause = 0;
  field.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(() => {
      page = 0;
      show();
    }, PAUSE);
  });
  const turn = (by) => () => {
    page += by;
    show();
  };
  byId("documents-back").addEventListener("click", turn(-1));
  byId("documents-on").addEventListener("click", turn(1));
}
