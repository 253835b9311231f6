// Shows a document with the cited passage marked, and the quoted words within it marked more strongly. Where the document has
// changed since the passage was found, or is gone, it shows the passage as it was, and says so.

import { byId, h, pathOf } from "./dom.js";
import { documentAt } from "./kept.js";

const dialog = byId("reader");

export function startReader(kb) {
  byId("close-reader").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  /**
   * @param place `{collection, docId, span?, quote?, headings?, page?, kept?}`: a hit, a citation or a document; `kept` is the passage
   *   as it was found
   */
  return async function open({ collection = "default", docId, span, quote, headings = [], page, kept }) {
    const document = await documentAt(kb, { collection, docId });
    const isSame = document && (!kept || document.text.slice(kept.span.start, kept.span.end) === kept.text);
    const title = document?.title ?? kept?.title ?? null;
    byId("reader-title").textContent = title ?? docId;
    const above = pathOf({ title, docId, headings: kept?.headings ?? headings }).slice(1);
    byId("reader-path").textContent = [...above, ...(page ? [`page ${page}`] : [])].join(" › ");
    const asItIs = document && h("button.link", { type: "button", onclick: () => open({ collection, docId }) }, "Open it as it is now");
    byId("reader-note").hidden = Boolean(isSame);
    byId("reader-note").replaceChildren(...(isSame ? [] : [noteOn(document, kept), asItIs].filter(Boolean)));
    showMetadata((isSame ? document : kept)?.metadata ?? {});
    const text = byId("reader-text");
    text.replaceChildren(...(isSame ? marked(document.text, span, quote) : kept ? keptText(kept, quote) : []));
    if (!dialog.open) dialog.showModal();
    const target = text.querySelector("mark.quote") ?? text.querySelector("mark");
    if (target && isSame) target.scrollIntoView({ block: "center", behavior: "instant" });
    else text.scrollTop = 0;
  };
}

/** What is known of a document beside its text, by the names that filters take. A few lines are unfolded. */
function showMetadata(metadata) {
  const FEW = 4;
  const values = valuesOf(metadata);
  const folded = byId("reader-metadata");
  folded.hidden = values.length === 0;
  folded.open = values.length <= FEW;
  byId("reader-metadata-count").textContent = String(values.length);
  byId("reader-values").replaceChildren(...values.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** `{ author: { name: "Ada" } }` → `["author.name", "Ada"]` */
function valuesOf(metadata, above = "") {
  return Object.entries(metadata).flatMap(([name, value]) => {
    if (value === null || value === "") return [];
    if (Array.isArray(value)) return [[above + name, value.map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one))).join(", ")]];
    return typeof value === "object" ? valuesOf(value, `${above}${name}.`) : [[above + name, String(value)]];
  });
}

function noteOn(document, kept) {
  if (document) return "This document was replaced since. Here is the passage as it was found then. ";
  return `This document was removed from the library since.${kept ? " Here is the passage as it was found then." : ""}`;
}

/** The passage alone, all of it marked; the quoted words have their place in the document as it was. */
function keptText({ text, span }, quote) {
  const isInside = quote && quote.start >= span.start && quote.end <= span.end;
  return marked(text, { start: 0, end: text.length }, isInside ? { start: quote.start - span.start, end: quote.end - span.start } : undefined);
}

/** The text cut at the spans, which count UTF-16 code units as `slice` does. */
function marked(text, span, quote) {
  if (!span) return [text];
  const inside = quote
    ? [text.slice(span.start, quote.start), h("mark.quote", {}, text.slice(quote.start, quote.end)), text.slice(quote.end, span.end)]
    : [text.slice(span.start, span.end)];
  return [text.slice(0, span.start), h("mark", {}, ...inside), text.slice(span.end)];
}
