// The head of the reader: what a document is about, and its headings, which lead to their places.

import { byId, h } from "../dom.js";
import { number, plural } from "../format.js";
import { overviewOf } from "../library/overview.js";
import { recognisedAmongOthers } from "../library/recognised.js";
import { t } from "../words.js";

const MOST = 40;

/** @param document the document, or null where it is shown as it was found */
export function showOverview(document) {
  const { sentence = "", headings = [], columns = [], words = 0, pages = 0 } = document ? overviewOf(document) : {};
  const facts = [pages > 1 && plural(pages, "page"), words > 0 && plural(words, "word"), document && plural(document.chunks.length, "passage"), recognised(document?.metadata)].filter(Boolean);
  byId("reader-about").textContent = [sentence, facts.join(", ")].filter(Boolean).join(" · ");
  const folded = byId("reader-contents");
  const entries = headings.slice(0, MOST);
  folded.hidden = entries.length < 2;
  folded.open = false;
  byId("reader-contents-count").textContent = number(headings.length);
  byId("reader-headings").replaceChildren(...entries.map((heading) => h("li", {}, h("button.link", { type: "button", onclick: () => goTo(heading) }, heading))));
  byId("reader-columns").textContent = columns.length > 0 ? t`Columns: ${columns.join(", ")}` : "";
}

/** Says which text was recognised, if any. */
function recognised(metadata) {
  const some = recognisedAmongOthers(metadata);
  return some === null ? metadata?.ocr === true && t("text recognised from a picture") : t`text of ${plural(some, "page")} recognised from pictures`;
}

function goTo(heading) {
  byId("reader-contents").open = false; // the text has the room
  byId("reader-view").goTo(heading);
}
