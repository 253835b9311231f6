// Shows a document with the cited passage highlighted, and the quoted words within it highlighted more strongly. If the document has
// changed since the passage was found, or is gone, it shows the passage as it was found, with a note.

import { byId, h } from "../dom.js";
import { pdfOf } from "../library/pdf-at-hand.js";
import { documentAt } from "../run-snapshot.js";
import { texts } from "../texts.js";
import { pathOf } from "../vademecum/elements/nodes.js";
import { textNodes } from "../vademecum/elements/text/document.js";
import { startHistory } from "./history.js";
import { showMetadata } from "./metadata.js";
import { showOverview } from "./overview.js";
import { startPageView } from "./page-view.js";
import { t } from "../words.js";

const dialog = byId("reader");

export function startReader(kb) {
  const enter = startHistory(dialog);
  const pages = startPageView();
  dialog.addEventListener("close", pages.stop);
  let turns = 0; // documents that were opened, or closed
  dialog.addEventListener("close", () => (turns += 1));
  byId("close-reader").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  /**
   * @param {Record<string, any>} place `{collection, docId, span?, quote?, headings?, page?, kept?}`: a hit, a citation or a document; `kept` is the passage
   *   as it was found
   */
  return async function open({ collection = "default", docId, span, quote, headings = [], page, kept }) {
    const turn = ++turns;
    const document = await documentAt(kb, { collection, docId });
    const isSame = document && (!kept || document.text.slice(kept.span.start, kept.span.end) === kept.text);
    const file = isSame ? await pdfOf({ ...document, collection, id: docId }) : null;
    if (turn !== turns) return; // another one was opened, or the reader closed, meanwhile
    const title = document?.title ?? kept?.title ?? null;
    byId("reader-title").textContent = title ?? docId;
    byId("reader-path").textContent = pathOf({ title, docId, headings: kept?.headings ?? headings, page }, texts).slice(1).join(" › ");
    const asItIs = document && h("button.link", { type: "button", onclick: () => open({ collection, docId }) }, t("Open the current version"));
    byId("reader-note").hidden = Boolean(isSame);
    byId("reader-note").replaceChildren(...(isSame ? [] : [noteOn(document, kept), asItIs].filter(Boolean)));
    showMetadata((isSame ? document : kept)?.metadata ?? {});
    showOverview(isSame ? document : null);
    const text = byId("reader-text");
    text.replaceChildren(...(isSame ? textNodes(document, { span, quote }, texts) : kept ? keptNodes(kept, quote) : []));
    if (!dialog.open) {
      dialog.showModal();
      enter();
    }
    pages.show(file, document, { span, quote });
    const target = text.querySelector("mark.quoted") ?? text.querySelector("mark");
    if (target && isSame) target.scrollIntoView({ block: "center", behavior: "instant" });
    else text.scrollTop = 0;
  };
}

function noteOn(document, kept) {
  if (document) return t("This document was replaced since then. This is the passage as it was found. ");
  return t`This document was removed from the library since then.${kept ? t(" This is the passage as it was found.") : ""}`;
}

/** Shows the passage alone, highlighted; the position of quoted words refers to the document as it was. */
function keptNodes({ text, span, page, metadata, headings = [] }, quote) {
  const isInside = quote && quote.start >= span.start && quote.end <= span.end;
  const place = { span: { start: 0, end: text.length }, quote: isInside ? { start: quote.start - span.start, end: quote.end - span.start } : null };
  return textNodes({ text, metadata, chunks: [{ headings }], firstPage: page ?? 1 }, place, texts);
}
