// The list of passages, while the user types and for a question that was asked.

import { byId, h, pageOf, pathOf } from "../dom.js";
import { number, printable } from "../format.js";

/**
 * @param isGone returns whether a hit's document was removed
 * @param narrowed the scope of the search, if it was restricted
 * @param searchedFor the corrected query, if it was searched for instead
 */
export function showHits({ hits, total, narrowed, searchedFor }, question, open, isGone = (_hit) => false) {
  byId("passages").hidden = hits.length === 0 && !question.trim();
  const found = `${hits.length} of ${number(total)}${searchedFor ? ` for “${searchedFor}”` : ""}`;
  byId("hit-count").textContent = hits.length === 0 ? `nothing found${narrowed ? ` among ${narrowed}` : ""}` : found;
  const asked = searchedFor ?? question;
  byId("hits").replaceChildren(...hits.map((hit) => h("li", {}, card(hit, asked, open, isGone(hit)))));
}

export function hideHits() {
  byId("passages").hidden = true;
}

function card(hit, question, open, isGone) {
  const path = [...pathOf(hit), ...pageOf(hit)];
  return h(
    "button.hit",
    { type: "button", onclick: () => open({ ...hit, kept: hit }) },
    h("span.path", {}, h("span", {}, h("b", {}, path[0]), ...path.slice(1).map((part) => ` › ${part}`)), h("span.why", {}, isGone ? "removed since" : why(hit))),
    h("span.excerpt", {}, ...emphasised(printable(bodyOf(hit)), question)),
  );
}

/** Names the searches that found a hit: words, meaning or both. */
function why({ explain }) {
  if (!explain) return "";
  const arms = [explain.keyword && "words", explain.vector && "meaning"].filter(Boolean);
  return arms.join(" + ");
}

/** Returns the passage without its leading headings, which the path shows. */
function bodyOf(hit) {
  let text = hit.text;
  for (const heading of hit.headings) {
    const rest = text.replace(/^#+\s*/, "");
    if (rest.startsWith(heading)) text = rest.slice(heading.length).trimStart();
  }
  return text || hit.text;
}

/** Returns the text with the question's longer words marked at the beginnings of words. */
function emphasised(text, question) {
  const words = question.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? [];
  const stems = [...new Set(words.map((word) => word.replace(/s$/, "")))].filter((stem) => !COMMON.has(stem));
  if (stems.length === 0) return [text];
  const escaped = stems.map((stem) => stem.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])((?:${escaped.join("|")})[\\p{L}\\p{N}_]*)`, "giu");
  return text.split(pattern).map((part, at) => (at % 2 === 1 ? h("mark", {}, part) : part));
}

const COMMON = new Set("and are but can did doe for from had has have how its not than that the then this wa were what when where which who why will with you your".split(" "));
