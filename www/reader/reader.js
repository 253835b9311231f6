// Shows a document in the package's reader, in a dialog, with the cited passage highlighted. If the document has changed since the passage was found, or is
// gone, it shows the passage as it was found, with a note.

import "../vademecum/elements/index.js";
import { byId, h } from "../dom.js";
import { pdfOf } from "../library/pdf-at-hand.js";
import { documentAt } from "../run-snapshot.js";
import { startHistory } from "./history.js";
import { showMetadata } from "./metadata.js";
import { showOverview } from "./overview.js";
import { startPageView } from "./page-view.js";
import { t } from "../words.js";

const dialog = byId("reader");
const view = byId("reader-view");

export function startReader(kb) {
  const enter = startHistory(dialog);
  const pages = startPageView();
  let turns = 0; // documents that were opened, or closed
  dialog.addEventListener("close", () => {
    turns += 1;
    pages.stop();
    view.close();
  });
  view.addEventListener("vademecum-close", () => dialog.close());
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
    dialog.ariaLabel = title || docId;
    const asItIs = document && h("button.link", { type: "button", onclick: () => open({ collection, docId }) }, t("Open the current version"));
    byId("reader-note").hidden = Boolean(isSame);
    byId("reader-note").replaceChildren(...(isSame ? [] : [noteOn(document, kept), asItIs].filter(Boolean)));
    showMetadata((isSame ? document : kept)?.metadata ?? {});
    showOverview(isSame ? document : null);
    const about = { headings: kept?.headings ?? headings, page };
    if (isSame) view.show({ ...document, id: docId }, { span, quote, ...about });
    else view.show({ id: docId, title, ...partOf(kept) }, { ...placeIn(kept, quote), ...about });
    if (!dialog.open) {
      dialog.showModal();
      enter();
    }
    pages.show(file, document, { span, quote });
    view.reveal(); // a document in a closed dialog cannot be scrolled
  };
}

function noteOn(document, kept) {
  if (document) return t("This document was replaced since then. This is the passage as it was found. ");
  return t`This document was removed from the library since then.${kept ? t(" This is the passage as it was found.") : ""}`;
}

/** Returns the passage alone, as a document. */
function partOf(kept) {
  if (!kept) return { text: "" };
  const { text, page, metadata, headings = [] } = kept;
  return { text, metadata, chunks: [{ headings }], firstPage: page ?? 1 };
}

/** Returns the place of the passage in itself; that of quoted words refers to the document as it was. */
function placeIn(kept, quote) {
  if (!kept) return {};
  const { text, span } = kept;
  const isInside = quote && quote.start >= span.start && quote.end <= span.end;
  return { span: { start: 0, end: text.length }, quote: isInside ? { start: quote.start - span.start, end: quote.end - span.start } : null };
}
