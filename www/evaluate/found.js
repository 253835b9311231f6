// What one way found for one question: the documents in their order, each to be opened.

import { byId, h } from "../dom.js";
import { idsOf } from "./cases.js";

const dialog = () => byId("found");

export function startFound() {
  dialog().addEventListener("click", (event) => event.target === dialog() && dialog().close());
}

/**
 * @param one the case
 * @param run what came of it: `{ ranking, metrics, failure }`
 * @param documents by id: `{ collection, title }`
 */
export function showFound({ strategy, one, run, failure, documents, open }) {
  const wanted = idsOf(one.relevant);
  const missed = wanted.filter((id) => !run.ranking.includes(id));
  const item = (id, mark) => {
    const { title, collection } = documents.get(id) ?? {};
    const isWanted = wanted.includes(id);
    return h(isWanted ? "li.wanted" : "li", {},
      h("button.quiet", { type: "button", onclick: () => open({ collection: one.collection ?? collection, docId: id }) }, title ?? id),
      isWanted ? h("span.mark", {}, mark) : null);
  };
  dialog().replaceChildren(
    h("header", {},
      h("div", {}, h("h2", { id: "found-title" }, one.question), h("p.hint", {}, `What ${strategy} found`)),
      h("button.quiet", { type: "button", onclick: () => dialog().close() }, "Close")),
    h("div.found-body", {},
      failure ? h("p.notice", {}, failure.message) : null,
      run.ranking.length === 0 && !failure ? h("p", {}, "Nothing.") : null,
      h("ol", {}, ...run.ranking.map((id) => item(id, "answers it"))),
      missed.length > 0 ? h("h3", {}, "Not found") : null,
      missed.length > 0 ? h("ul", {}, ...missed.map((id) => item(id, "should have been"))) : null),
  );
  dialog().showModal();
}
