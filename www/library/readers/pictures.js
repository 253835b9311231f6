// Pictures of text: image files, and pages of PDF files that are scans. Their text is recognised if the user asks for it.

import { openPdf, released } from "../../reader/pdf-document.js";
import { recognisedIn } from "../recognised.js";
import { documentOf, explained, lasting, textOf } from "./pdf.js";
import { t } from "../../words.js";
import { textIn } from "./ocr.js";

/** Endings of image files that browsers decode. */
export const PICTURES = ["png", "jpg", "jpeg", "webp"];
const ENDING = new RegExp(`\\.(${PICTURES.join("|")})$`, "i");

/** Pixels of the longer side of a page that is read: 300 per inch of A4. More takes longer, and finds nothing more. */
const LONG_SIDE = 3500;
/** The same of a canvas, which browsers limit, and its pixels. */
const LONGEST = 16_000;
const MOST_PIXELS = 12e6;
/** Pixels of the shorter side below which a picture is enlarged: small letters are not recognised. */
const SHORT_SIDE = 1000;

export const isPicture = (path) => ENDING.test(path);

/** The first bytes of pictures, as characters of one byte each. */
const BEGINNINGS = { PNG: /^\x89PNG/, JPG: /^\xff\xd8\xff/, WEBP: /^RIFF....WEBP/s };

/** Returns the type of picture that bytes are, or null. */
export function pictureIn(bytes) {
  const beginning = String.fromCharCode(...bytes.subarray(0, 12));
  return Object.keys(BEGINNINGS).find((type) => BEGINNINGS[type].test(beginning)) ?? null;
}

/** The error for a picture that nobody has asked to read. */
export const pictureRefused = () => Object.assign(lasting("picture_refused", t("It is a picture. Its text can be recognised.")), { canRecognise: true });

const nothingFound = () => lasting("picture_without_text", t("No text was found in the picture. A sharper or larger one may help."));
const hasText = (text) => /[\p{L}\p{N}]/u.test(text);

/** Words that are parted at a line's end are one, as in the text of a PDF, also where the lines are taken for paragraphs. */
const tidy = (text) => text.replace(/(\p{Ll})-\n{1,2}(?=\p{Ll})/gu, "$1");

/**
 * @param {{ id: string, name: string, file: Blob, signal: AbortSignal, onLoad?: (loaded: number, total: number) => void }} one
 */
export async function readPicture({ id, name, file, signal, onLoad }) {
  const canvas = await canvasOf(file);
  try {
    const text = tidy(await textIn(canvas, { signal, onLoad }));
    if (!hasText(text)) throw nothingFound();
    const folder = id.split("/").slice(0, -1).join("/");
    return { documents: [{ id, title: name, text, metadata: { type: "image", ocr: true, ...(folder && { folder }) } }], notes: [] };
  } finally {
    released(canvas);
  }
}

/** Draws a picture on white, as large as letters need. */
async function canvasOf(file) {
  const picture = await createImageBitmap(file).catch(() => {
    throw lasting("picture_damaged", t("It is damaged, or not a picture that this browser can show. Save it again as PNG, and add that."));
  });
  const [long, short] = [Math.max(picture.width, picture.height), Math.min(picture.width, picture.height)];
  // By its area, so that long screenshots keep their letters.
  const scale = Math.min(LONGEST / long, Math.sqrt(MOST_PIXELS / (long * short)), short < SHORT_SIDE ? 2 : 1);
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: Math.ceil(picture.width * scale), height: Math.ceil(picture.height * scale) });
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return canvas;
}

/**
 * Reads a PDF of which pages are pictures. Pages with text of their own keep it.
 *
 * @param {{ id: string, name: string, file: Blob, signal: AbortSignal, onPage?: (page: number, pages: number) => void, onLoad?: (loaded: number, total: number) => void }} one
 */
export async function readScan({ id, name, file, signal, onPage, onLoad }) {
  const closing = new AbortController();
  const close = () => closing.abort();
  signal.addEventListener("abort", close, { once: true });
  try {
    const pdf = await openPdf(file, closing.signal).catch((error) => Promise.reject(explained(error)));
    const pages = [];
    const recognised = [];
    for (let at = 1; at <= pdf.pages; at++) {
      onPage?.(at, pdf.pages);
      const { text, isOwn } = await pageText(await pdf.page(at), { signal, onLoad });
      pages.push(text);
      if (!isOwn && hasText(text)) recognised.push(at);
    }
    if (!pages.some(hasText)) throw nothingFound();
    const { documents, notes } = documentOf({ id, name }, pages, await pdf.about());
    return { documents: documents.map((one) => ({ ...one, metadata: { ...one.metadata, ...recognisedIn(recognised, pages.filter(hasText).length) } })), notes };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
}

/** Returns the text of a page: its own, or else the recognised one. */
async function pageText(page, options) {
  try {
    const own = textOf(await page.text());
    if (hasText(own)) return { text: own, isOwn: true };
    const canvas = await page.drawn((LONG_SIDE / Math.max(page.width, page.height)) * page.width, options.signal, 1);
    try {
      return { text: tidy(await textIn(canvas, options)), isOwn: false };
    } finally {
      released(canvas);
    }
  } finally {
    page.cleanup();
  }
}
