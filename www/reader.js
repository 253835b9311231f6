// Shows a document with the cited passage marked, and the quoted words within it marked more strongly.

import { byId, h, pathOf } from "./dom.js";

const dialog = byId("reader");

export function startReader(kb) {
  byId("close-reader").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  /** @param place `{collection, docId, span?, quote?, headings?, page?}`: a hit, a citation or a document */
  return async function open({ collection = "default", docId, span, quote, headings = [], page }) {
    const document = await kb.document(collection, docId);
    byId("reader-title").textContent = document.title ?? document.id;
    const path = byId("reader-path");
    path.textContent = [...pathOf({ title: document.title, docId, headings }).slice(1), ...(page ? [`page ${page}`] : [])].join(" › ");
    const text = byId("reader-text");
    text.replaceChildren(...marked(document.text, span, quote));
    if (!dialog.open) dialog.showModal();
    const target = text.querySelector("mark.quote") ?? text.querySelector("mark");
    if (target) target.scrollIntoView({ block: "center", behavior: "instant" });
    else text.scrollTop = 0;
  };
}

/** The text cut at the spans, which count UTF-16 code units as `slice` does. */
function marked(text, span, quote) {
  if (!span) return [text];
  const inside = quote
    ? [text.slice(span.start, quote.start), h("mark.quote", {}, text.slice(quote.start, quote.end)), text.slice(quote.end, span.end)]
    : [text.slice(span.start, span.end)];
  return [text.slice(0, span.start), h("mark", {}, ...inside), text.slice(span.end)];
}
