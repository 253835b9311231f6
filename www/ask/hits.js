// The list of passages, while the user types and for a question that was asked: those of one document together, best first.

import { byId, h } from "../dom.js";
import { keyOf } from "../run-snapshot.js";
import { texts } from "../texts.js";
import { passageOf as formatted } from "../vademecum/elements/excerpt.js";
import { namesOf, pathOf } from "../vademecum/elements/nodes.js";
import { t } from "../words.js";

/**
 * @param found `{ hits, narrowed, searchedFor, didYouMean }`: `narrowed` is the scope of the search, if it was restricted, and `searchedFor` the
 *   corrected query, if it was searched for instead
 * @param on `{ open(place), askFor(question) }`
 * @param isGone returns whether a hit's document was removed
 */
export function showHits({ hits, narrowed, searchedFor, didYouMean }, question, { open, askFor }, isGone = (_hit) => false) {
  byId("passages").hidden = hits.length === 0 && !question.trim();
  nameHits(hits.length === 1 ? t("Top passage") : hits.length > 1 ? t`Top ${hits.length} passages` : t("Passages"));
  byId("hit-count").textContent = hits.length === 0 ? t`nothing found${narrowed ? t` among ${narrowed}` : ""}` : searchedFor ? t`for “${searchedFor}”` : "";
  const meant = didYouMean && didYouMean !== searchedFor && didYouMean !== question.trim() ? didYouMean : null;
  byId("hits-meant").replaceChildren(...(meant ? [h("button.link", { type: "button", onclick: () => askFor(meant) }, t`Did you mean “${meant}”?`)] : []));
  const asked = searchedFor ?? question;
  byId("hits").replaceChildren(...byDocument(hits).map((some) => documentOf(some, asked, open, isGone)));
  const excerpts = [...byId("hits").querySelectorAll(".excerpt")];
  const cut = excerpts.filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1);
  for (const one of cut) one.classList.add("cut"); // its end fades
}

/** Names the list, such as where its passages do not answer. */
export const nameHits = (title) => (byId("hits-title").textContent = title);

export function hideHits() {
  byId("passages").hidden = true;
}

/** Returns the hits of each document, in the order of the best ones. */
function byDocument(hits) {
  const documents = new Map();
  for (const hit of hits) documents.set(keyOf(hit), [...(documents.get(keyOf(hit)) ?? []), hit]);
  return [...documents.values()];
}

function documentOf(hits, question, open, isGone) {
  const [title] = namesOf(hits[0]);
  const gone = isGone(hits[0]) ? h("span.why", {}, t("removed since")) : null;
  const recognised = hits[0].metadata?.ocr === true ? h("span.why", {}, t("text recognised from a picture")) : null;
  return h("li.found-in", {}, h("p.path", {}, h("b", {}, title), gone, recognised), ...hits.map((hit) => passageOf(hit, title, question, open)));
}

/** The button covers the passage, so that all of it can be pressed; a button itself may not contain tables. */
function passageOf(hit, title, question, open) {
  const place = pathOf(hit, texts).slice(1).join(" › ");
  const show = h(place ? "button.place" : "button.place.untold", { type: "button", title: why(hit), ariaLabel: `${title}${place ? ` › ${place}` : ""}`, onclick: () => open({ ...hit, kept: hit }) }, place);
  return h("div.hit", {}, show, h("div.excerpt.prose", {}, ...formatted(hit, question, texts)));
}

/** Names the searches that found a hit. */
function why({ explain }) {
  const arms = [explain?.keyword && t("words"), explain?.vector && t("meaning")].filter(Boolean);
  return arms.length > 0 ? t`Found by ${arms.join(t(" and "))}` : "";
}
