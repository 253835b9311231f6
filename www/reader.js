// Shows a document with the cited passage highlighted, and the quoted words within it highlighted more strongly. If the document has
// changed since the passage was found, or is gone, it shows the passage as it was found, with a note.

import { blocksOf, placesOf } from "./ask/markdown.js";
import { byId, h, pageOf, pathOf } from "./dom.js";
import { documentAt } from "./run-snapshot.js";
import { printable } from "./format.js";

const dialog = byId("reader");

/** Gives the open reader an entry of its own in the browser's history, so that going back closes the reader and nothing else. Returns `enter`. */
function startHistory() {
  let entered = null; // the address of the entry
  let isLeaving = false;
  dialog.addEventListener("close", () => {
    if (entered === location.href) {
      isLeaving = true; // closed by a button or a key: the entry is left as well
      history.back();
    }
    entered = null;
  });
  window.addEventListener("popstate", (event) => {
    if (!isLeaving && !entered) return;
    isLeaving = false;
    entered = null;
    if (dialog.open) dialog.close();
    event.stopImmediatePropagation(); // the question and the answer stay
  });
  return () => {
    entered = location.href;
    history.pushState(history.state, "");
  };
}

export function startReader(kb) {
  const enter = startHistory();
  byId("close-reader").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  /**
   * @param {Record<string, any>} place `{collection, docId, span?, quote?, headings?, page?, kept?}`: a hit, a citation or a document; `kept` is the passage
   *   as it was found
   */
  return async function open({ collection = "default", docId, span, quote, headings = [], page, kept }) {
    const document = await documentAt(kb, { collection, docId });
    const isSame = document && (!kept || document.text.slice(kept.span.start, kept.span.end) === kept.text);
    const title = document?.title ?? kept?.title ?? null;
    byId("reader-title").textContent = title ?? docId;
    const above = pathOf({ title, docId, headings: kept?.headings ?? headings }).slice(1);
    byId("reader-path").textContent = [...above, ...pageOf({ page })].join(" › ");
    const asItIs = document && h("button.link", { type: "button", onclick: () => open({ collection, docId }) }, "Open the current version");
    byId("reader-note").hidden = Boolean(isSame);
    byId("reader-note").replaceChildren(...(isSame ? [] : [noteOn(document, kept), asItIs].filter(Boolean)));
    showMetadata((isSame ? document : kept)?.metadata ?? {});
    const text = byId("reader-text");
    text.replaceChildren(...(isSame ? marked(document.text, span, quote) : kept ? keptText(kept, quote) : []));
    if (!dialog.open) {
      dialog.showModal();
      enter();
    }
    const target = text.querySelector("mark.quote") ?? text.querySelector("mark");
    if (target && isSame) target.scrollIntoView({ block: "center", behavior: "instant" });
    else text.scrollTop = 0;
  };
}

/** Shows url and metadata of a document, by the names used in filters. A few lines are expanded. */
function showMetadata(metadata) {
  const FEW = 4;
  const values = valuesOf(metadata);
  const folded = byId("reader-metadata");
  folded.hidden = values.length === 0;
  folded.open = values.length <= FEW;
  byId("reader-metadata-count").textContent = String(values.length);
  byId("reader-values").replaceChildren(...values.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** Flattens metadata: `{ author: { name: "Ada" } }` → `["author.name", "Ada"]`. */
function valuesOf(metadata, above = "") {
  return Object.entries(metadata).flatMap(([name, value]) => {
    if (value === null || value === "") return [];
    if (Array.isArray(value)) return [[above + name, value.map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one))).join(", ")]];
    return typeof value === "object" ? valuesOf(value, `${above}${name}.`) : [[above + name, String(value)]];
  });
}

function noteOn(document, kept) {
  if (document) return "This document was replaced since then. This is the passage as it was found. ";
  return `This document was removed from the library since then.${kept ? " This is the passage as it was found." : ""}`;
}

/** Shows the passage alone, highlighted; the position of quoted words refers to the document as it was. */
function keptText({ text, span, page }, quote) {
  const isInside = quote && quote.start >= span.start && quote.end <= span.end;
  return marked(text, { start: 0, end: text.length }, isInside ? { start: quote.start - span.start, end: quote.end - span.start } : undefined, page ?? 1);
}

/**
 * Splits the text at the spans, which count UTF-16 code units like `slice`.
 *
 * @param page the number of the first page
 */
function marked(text, span, quote, page = 1) {
  const piece = pieces(text, page);
  if (!span) return piece(0, text.length);
  const inside = quote
    ? [...piece(span.start, quote.start), h("mark.quote", {}, ...piece(quote.start, quote.end)), ...piece(quote.end, span.end)]
    : piece(span.start, span.end);
  return [...piece(0, span.start), h("mark", {}, ...inside), ...piece(span.end, text.length)];
}

/** Longer texts are not scanned for code and tables. */
const LONG = 1_000_000;

/** Returns the nodes of a range: code and tables in a monospaced font, and a line with the page number at the start of each page. */
function pieces(text, first) {
  const blocks = text.length > LONG ? [] : blocksOf(text);
  const fixed = [...placesOf("code", blocks), ...placesOf("table", blocks)].sort((a, b) => a.from - b.from);
  const breaks = [...text.matchAll(/\f/g)].map(({ index }, at) => ({ at: index, page: first + at + 1 }));
  const plain = (from, to) => {
    const nodes = [];
    let at = from;
    for (const { at: end, page } of breaks.filter((one) => one.at >= from && one.at < to)) {
      nodes.push(printable(text.slice(at, end)), pageBreak(page));
      at = end + 1;
    }
    return [...nodes, printable(text.slice(at, to))];
  };
  return (from, to) => {
    const nodes = [];
    let at = from;
    for (const place of fixed) {
      const [start, end] = [Math.max(place.from, at), Math.min(place.to, to)];
      if (start >= end) continue;
      nodes.push(...plain(at, start), h("span.fixed", {}, ...plain(start, end)));
      at = end;
    }
    return [...nodes, ...plain(at, to)];
  };
}

/** The style sheet adds the label, so that copying yields the text alone. */
function pageBreak(page) {
  const element = h("span.page-break", { role: "separator", ariaLabel: `Page ${page}` }, "\n");
  element.dataset.page = `Page ${page}`;
  return element;
}
