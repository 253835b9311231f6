// The ranking of one strategy for one question, with links to the documents.

import { byId, h } from "../dom.js";
import { nameOf } from "../library/names.js";
import { idsOf } from "./cases.js";
import { t } from "../words.js";

const dialog = () => byId("found");
let latest = 0; // the latest request

export function startRankingDialog() {
  dialog().addEventListener("click", (event) => event.target === dialog() && dialog().close());
}

/**
 * @param one the case
 * @param run its result: `{ ranking, metrics, failure }`
 */
export async function showRanking({ strategy, one, run, failure }, { kb, open }) {
  const turn = ++latest;
  const wanted = idsOf(one.relevant);
  const missed = wanted.filter((id) => !run.ranking.includes(id));
  const kept = await documentsOf(kb, one, [...run.ranking, ...missed]);
  if (turn !== latest) return;
  const item = (id, mark) => {
    const isWanted = wanted.includes(id);
    return h(isWanted ? "li.wanted" : "li", {}, ...named(id, kept.get(id), open), isWanted ? h("span.mark", {}, mark) : null);
  };
  dialog().replaceChildren(
    h("header", {},
      h("div", {}, h("h2", { id: "found-title" }, one.question), h("p.hint", {}, t`What ${strategy} found`)),
      h("button.quiet", { type: "button", onclick: () => dialog().close() }, t("Close"))),
    h("div.found-body", {},
      failure ? h("p.notice", {}, failure.message) : null,
      run.ranking.length === 0 && !failure ? h("p", {}, t("Nothing.")) : null,
      h("ol", {}, ...run.ranking.map((id) => item(id, t("answers it")))),
      missed.length > 0 ? h("h3", {}, t("Not found")) : null,
      missed.length > 0 ? h("ul", {}, ...missed.map((id) => item(id, t("should have been found")))) : null),
  );
  if (!dialog().open) dialog().showModal();
}

/** Returns the documents of each id: reports name documents by id, which several collections may share. */
async function documentsOf(kb, { collection, collections }, ids) {
  const where = collections ?? (collection ? [collection] : (await kb.stats()).collections.map(({ name }) => name));
  const look = (collection, id) =>
    kb.document(collection, id).then(
      ({ title }) => ({ collection, title }),
      (error) => (/^unknown_/.test(error.code) ? null : Promise.reject(error)), // in another collection, or removed since
    );
  return new Map(await Promise.all(ids.map(async (id) => [id, (await Promise.all(where.map((name) => look(name, id)))).filter(Boolean)])));
}

function named(id, kept, open) {
  if (kept.length === 0) return [h("span.gone", {}, id, h("span.hint", {}, t(" is no longer in the library")))];
  return kept.flatMap(({ collection, title }) => [
    h("button.quiet", { type: "button", onclick: () => open({ collection, docId: id }) }, title ?? id),
    kept.length > 1 ? h("span.hint", {}, t`in ${nameOf(collection)} `) : null,
  ]);
}
