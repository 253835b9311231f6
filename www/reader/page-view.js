// The pages of a document's PDF file in the reader: one at a time, with the passage and the quoted words marked, beside the text as a second
// view. Whatever keeps a page from being drawn leads to the text.

import { byId, h } from "../dom.js";
import { number } from "../format.js";
import { isRecognised } from "../library/recognised.js";
import { remember, remembered } from "../remember.js";
import { t } from "../words.js";
import { openPdf, released } from "./pdf-document.js";
import { isPageOf, piecesOf, placesOf } from "./page-marks.js";

const CHOSEN = "reader-view";
/** Multiples of the width that a page can be zoomed to. */
const ZOOMS = [0.5, 0.75, 1, 1.5, 2, 3];
/** Milliseconds without another change of the width before the page is drawn again. */
const PAUSE = 150;
/** Milliseconds after which the page tells that the file is being opened. */
const SLOW = 1000;
const SAID = {
  opening: t("Opening the file…"),
  failed: t("The pages of this file cannot be shown: it is damaged, or could not be read. This is its text."),
  picture: t("This page is a picture: words cannot be marked on it."),
  other: t("The file at hand is another version of this document. This is the text that was added."),
};

/** @typedef {{ text: string, title?: string | null, metadata?: Record<string, any> }} Shown */

const views = byId("reader-views");
const area = byId("reader-page");
const reader = byId("reader-view");
const sheet = h("div.sheet", { role: "img" });
const measure = document.createElement("canvas").getContext("2d");

/** @returns `show`, which takes the file of a document, or null for one without, and `stop`, which frees the file and its pages */
export function startPageView() {
  /** @type {any} what is shown: `{ file, document, texts, place, ending, pdf, at, zoom, drawing, isLed }` */
  let now = null;
  const choices = [...views.querySelectorAll("input")];
  area.append(sheet);

  /**
   * Shows the view that was chosen last, of a document whose file is at hand.
   *
   * @param {File | null} file
   * @param {Shown} document
   * @param {{ span?: { start: number, end: number }, quote?: { start: number, end: number } }} place
   */
  function show(file, document, place) {
    stop();
    views.hidden = file === null;
    byId("page-said").textContent = "";
    if (file === null) return toText();
    const texts = document.text.split("\f");
    now = { file, document, texts, place, ending: new AbortController(), at: pageAt(document.text, place), zoom: 1 };
    for (const choice of choices) choice.disabled = false;
    choose(remembered(CHOSEN, "page"));
  }

  function stop() {
    now?.ending.abort();
    now?.drawing?.abort();
    now = null;
    clear();
  }

  function clear() {
    released(sheet.querySelector("canvas"));
    sheet.replaceChildren();
  }

  function choose(view) {
    for (const choice of choices) choice.checked = choice.value === view;
    if (view !== "page") return toText();
    area.hidden = byId("reader-turn").hidden = false;
    reader.classList.add("drawn"); // hides the text
    sheet.ariaLabel = SAID.opening;
    sheet.style.width = `${width()}px`;
    sheet.style.height = `${Math.round(width() * Math.SQRT2)}px`; // until its own size is known
    lastWidth = width();
    turn(now.at, true);
  }

  function toText() {
    now?.drawing?.abort();
    clear();
    byId("page-said").textContent = "";
    area.hidden = byId("reader-turn").hidden = true;
    reader.classList.remove("drawn");
  }

  /** Shows the text because the page cannot be shown. */
  function giveUp(why) {
    now?.ending.abort(); // the file is of no use
    for (const choice of choices) {
      choice.checked = choice.value === "text";
      choice.disabled = choice.value === "page";
    }
    const hadFocus = area.contains(document.activeElement) || byId("reader-turn").contains(document.activeElement);
    toText();
    byId("page-said").textContent = why;
    reader.reveal();
    if (hadFocus) reader.focus({ preventScroll: true });
  }

  /** Shows another page, or the same one again. `isLed` scrolls to its marks. */
  function turn(at, isLed = false) {
    const own = now;
    own.at = at;
    own.isLed ||= isLed; // also if this drawing is replaced by one of another size
    own.drawing?.abort();
    const drawing = (own.drawing = new AbortController());
    const told = t`Page ${number(at)} of ${number(own.texts.length)}`;
    if (byId("page-at").textContent !== told) byId("page-at").textContent = told;
    const focused = /** @type {any} */ (document.activeElement);
    byId("page-back").disabled = at <= 1;
    byId("page-on").disabled = at >= own.texts.length;
    byId("page-width").ariaPressed = String(own.zoom === 1);
    byId("page-smaller").disabled = own.zoom === ZOOMS[0];
    byId("page-larger").disabled = own.zoom === ZOOMS.at(-1);
    if (byId("reader-turn").contains(focused) && focused.disabled) area.focus({ preventScroll: true });
    draw(own, drawing.signal).catch((error) => {
      if (drawing.signal.aborted || own.ending.signal.aborted) return;
      console.debug("page of a PDF not drawn:", error);
      giveUp(error.message === SAID.other ? SAID.other : SAID.failed);
    });
  }

  async function draw(own, signal) {
    const { texts, document, place, ending, at } = own;
    const isPicture = isRecognised(document.metadata, at); // which has no letters to mark
    const isUnmarked = isPicture && [place.span, place.quote].some((span) => partOn(span, texts, at));
    const said = isUnmarked ? SAID.picture : "";
    if (byId("page-said").textContent !== said) byId("page-said").textContent = said;
    // On the empty page, so that nothing moves.
    const slow = own.pdf ? 0 : setTimeout(() => own === now && !area.hidden && sheet.replaceChildren(h("p.opening", {}, SAID.opening)), SLOW);
    try {
      own.opening ??= openPdf(own.file, ending.signal);
      own.pdf = await own.opening;
    } finally {
      clearTimeout(slow);
    }
    signal.throwIfAborted();
    if (own.pdf.pages !== texts.length) throw new Error(SAID.other);
    const page = await own.pdf.page(at);
    const content = await page.text();
    signal.throwIfAborted();
    if (!isPicture && !isPageOf(texts[at - 1], content.items)) throw new Error(SAID.other);
    const wide = width() * own.zoom;
    sheet.style.width = `${wide}px`;
    sheet.style.height = `${Math.round((wide * page.height) / page.width)}px`;
    const canvas = await page.drawn(wide, signal);
    const marks = isPicture ? { nodes: [], words: "" } : marksOn(page, content, own);
    const last = sheet.querySelector("canvas");
    sheet.replaceChildren(canvas, ...marks.nodes);
    sheet.ariaLabel = [`${byId("page-at").textContent}: ${document.title ?? "PDF"}.`, marks.words && t`Marked: “${marks.words}”`].filter(Boolean).join(" ");
    sheet.dataset.page = String(at);
    released(last);
    page.cleanup();
    if (own.isLed) lead();
    own.isLed = false;
  }

  /** Scrolls to the marks, or to the beginning of the page. */
  function lead() {
    const mark = sheet.querySelector(".page-mark.quoted") ?? sheet.querySelector(".page-mark");
    if (mark) mark.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    else area.scrollTo({ top: 0, left: 0, behavior: "instant" });
  }

  const width = () => {
    const { paddingLeft, paddingRight } = getComputedStyle(area);
    return Math.max(200, Math.floor(area.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)));
  };

  function zoom(to) {
    now.zoom = to;
    turn(now.at);
  }

  for (const choice of choices) {
    choice.addEventListener("change", () => {
      remember(CHOSEN, choice.value);
      choose(choice.value);
      if (choice.value === "text") reader.reveal();
    });
  }
  byId("page-back").addEventListener("click", () => turn(now.at - 1, true));
  byId("page-on").addEventListener("click", () => turn(now.at + 1, true));
  byId("page-smaller").addEventListener("click", () => zoom(ZOOMS[ZOOMS.indexOf(now.zoom) - 1]));
  byId("page-width").addEventListener("click", () => zoom(1));
  byId("page-larger").addEventListener("click", () => zoom(ZOOMS[ZOOMS.indexOf(now.zoom) + 1]));
  area.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const isWide = area.scrollWidth > area.clientWidth; // then these keys scroll
    if (!by || isWide || event.altKey || event.ctrlKey || event.metaKey || now.at + by < 1 || now.at + by > now.texts.length) return;
    event.preventDefault();
    turn(now.at + by, true);
  });

  /** @type {ReturnType<typeof setTimeout>} */
  let pause;
  let lastWidth = 0;
  new ResizeObserver(() => {
    if (area.hidden || !now || width() === lastWidth) return;
    lastWidth = width();
    clearTimeout(pause);
    pause = setTimeout(() => now && !area.hidden && turn(now.at), PAUSE);
  }).observe(area);

  return { show, stop };
}

/**
 * Returns the number of the page that a place begins on.
 *
 * @param {string} text
 * @param {{ span?: { start: number, end: number }, quote?: { start: number, end: number } }} place
 */
function pageAt(text, { span, quote }) {
  const start = (quote ?? span)?.start ?? 0;
  return text.slice(0, start).split("\f").length;
}

/** Returns the part of a span that is on a page, by its place in the text of that page, or null. */
function partOn(span, texts, at) {
  const from = texts.slice(0, at - 1).reduce((sum, { length }) => sum + length + 1, 0);
  const part = span && { start: Math.max(0, span.start - from), end: Math.min(texts[at - 1].length, span.end - from) };
  return part && part.start < part.end ? part : null;
}

/** Returns the marks of a page, and the words that are quoted on it. */
function marksOn(page, content, { texts, place, at }) {
  const own = texts[at - 1];
  const viewport = page.viewport;
  const widthOf = (words, family) => {
    measure.font = `100px ${family}`;
    return measure.measureText(words).width;
  };
  const nodes = [];
  let words = "";
  for (const [kind, span] of Object.entries({ passage: place.span, quoted: place.quote })) {
    const within = partOn(span, texts, at);
    if (!within) continue;
    words = own.slice(within.start, within.end).replace(/\s+/g, " ").trim();
    for (const { left, top, right, bottom } of placesOf(piecesOf(own, within, content.items), content, viewport, widthOf)) {
      const node = h(`div.page-mark.${kind}`);
      Object.assign(node.style, { left: `${100 * left}%`, top: `${100 * top}%`, width: `${100 * (right - left)}%`, height: `${100 * (bottom - top)}%` });
      nodes.push(node);
    }
  }
  return { nodes, words: words.length > 300 ? `${words.slice(0, 300)}…` : words };
}
