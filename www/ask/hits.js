// The list of passages, while the user types and for a question that was asked.

import { byId, h } from "../dom.js";
import { isRecognised } from "../library/recognised.js";
import { t } from "../words.js";
import { asMeant } from "./actions.js";
import { nearestIn } from "./nearest.js";

const list = byId("hits"); // the package's element
let openHit = (_hit) => {};
list.addEventListener("vademecum-open", ({ detail: { hit } }) => openHit(hit));

/**
 * @param found `{ hits, narrowed, searchedFor, didYouMean }`: `narrowed` is the scope of the search, if it was restricted, and `searchedFor` the
 *   corrected query, if it was searched for instead
 * @param on `{ open(place), askFor(question) }`
 * @param about `isGone` returns whether a hit's document was removed, `isTyped` is whether the question was only typed, and `isBeside` whether the
 *   answer to another one is shown above
 */
export function showHits({ hits, narrowed, searchedFor, didYouMean }, question, { open, askFor }, { isGone = (_hit) => false, isTyped = false, isBeside = false } = {}) {
  byId("passages").hidden = hits.length === 0 && !question.trim();
  nameHits(hits.length === 1 ? t("Top passage") : hits.length > 1 ? t`Top ${hits.length} passages` : t("Passages"));
  const nothing = hits.length === 0 ? t`nothing found${narrowed ? t` among ${narrowed}` : ""}` : "";
  const named = hits.length > 0 && searchedFor ? searchedFor : isBeside ? question.trim() : null;
  byId("hit-count").textContent = [nothing, named ? t`for “${named}”` : ""].filter(Boolean).join(" ");
  // Where it was asked, the answer offers that.
  const meant = isTyped && didYouMean && didYouMean !== searchedFor && didYouMean !== question.trim() ? didYouMean : null;
  byId("hits-meant").replaceChildren(...(meant ? [h("button.link", { type: "button", onclick: () => askFor(meant) }, asMeant(meant))] : []));
  openHit = (hit) => open({ ...hit, kept: hit });
  list.describe = (hit) => ({ notes: notesOn(hit, isGone), title: why(hit) });
  list.query = searchedFor ?? question;
  list.hits = hits;
}

const nameHits = (title) => (byId("hits-title").textContent = title);

/** Names the passages of a question that they do not seem to answer, and emphasises the sentence that comes nearest, if the list has it. */
export function showNearest(result) {
  nameHits(t("Nearest passages"));
  const it = nearestIn(result, list.hits);
  if (!it) return;
  const describe = list.describe;
  list.describe = (hit) => ({ ...describe(hit), ...(hit === it && { near: result.nearest.span }) });
  list.hits = [...list.hits];
}

export function hideHits() {
  byId("passages").hidden = true;
}

const notesOn = (hit, isGone) => [isGone(hit) ? t("removed since") : "", isRecognised(hit.metadata, hit.page) ? t("text recognised from a picture") : ""].filter(Boolean);

/** Names the searches that found a hit. */
function why({ explain }) {
  const arms = [explain?.keyword && t("words"), explain?.vector && t("meaning")].filter(Boolean);
  return arms.length > 0 ? t`Found by ${arms.join(t(" and "))}` : "";
}
