// PDF, read by pdf.js, which is fetched from this page's origin on first use. Pages are preserved, so that hits have page numbers.
// The fonts of pdf.js are left out, because text does not need them.

import { plural } from "../../format.js";
import { t } from "../../words.js";
import { CharacterMaps } from "./character-maps.js";
import { pdfJs } from "./pdf-js.js";

/** @param onPage called with the number of pages that are read, and of all */
export async function readPdf({ id, name, bytes, signal, onPage }) {
  const pdf = await pdfJs().catch((error) => {
    throw new Error(t`The part of this page that reads PDF could not be loaded (${error.message}). Add the file again.`);
  });
  const without = { isEvalSupported: false, useWasm: false, disableFontFace: true, useSystemFonts: false, useWorkerFetch: false };
  const task = pdf.getDocument({ data: bytes, ...without, BinaryDataFactory: CharacterMaps, verbosity: 0 });
  const stop = () => task.destroy();
  signal?.addEventListener("abort", stop);
  try {
    const file = await task.promise;
    const pages = [];
    for (let at = 1; at <= file.numPages; at++) {
      signal?.throwIfAborted();
      const page = await file.getPage(at);
      pages.push(textOf(await page.getTextContent()));
      page.cleanup();
      onPage?.(at, file.numPages);
    }
    const { canRecognise, ...read } = documentOf({ id, name }, pages, (await file.getMetadata().catch(() => null))?.info ?? {});
    const isOffered = canRecognise && (await hasPicture(file, pages, pdf.OPS));
    signal?.throwIfAborted();
    return { ...read, canRecognise: isOffered };
  } catch (error) {
    signal?.throwIfAborted();
    throw explained(error);
  } finally {
    signal?.removeEventListener("abort", stop);
    await task.destroy();
  }
}

/** Placeholder titles that programs write, such as the name of the source file, are discarded. */
const isTitle = (title) => Boolean(title?.trim()) && !/^(untitled.*|microsoft \w+ - .*|.*\.(docx?|xlsx?|pptx?|pdf|html?|txt|md|tex|dvi|ps|odt|rtf|indd|qxd|pages))$/i.test(title.trim());

const isEmpty = (page) => !/[\p{L}\p{N}]/u.test(page);

/** Drawing a picture, by the names that pdf.js has for it. */
const PICTURED = [
  "paintImageXObject",
  "paintImageXObjectRepeat",
  "paintImageMaskXObject",
  "paintImageMaskXObjectGroup",
  "paintImageMaskXObjectRepeat",
  "paintInlineImageXObject",
  "paintInlineImageXObjectGroup",
];

/** Returns whether a page without text draws a picture, rather than being blank, or cannot be told to draw none. */
async function hasPicture(file, pages, names) {
  const pictured = new Set(PICTURED.map((name) => names[name]));
  for (const [at, text] of pages.entries()) {
    if (!isEmpty(text)) continue;
    const page = await file.getPage(at + 1);
    const drawn = await page.getOperatorList().catch(() => null); // a damaged page does not keep the text of the others out
    page.cleanup();
    if (drawn === null || drawn.fnArray.some((one) => pictured.has(one))) return true;
  }
  return false;
}

/** Makes the document of a file of its pages. Where there are pages without text, the result, or for a file without any the error, tells that it can be recognised. */
export function documentOf({ id, name }, pages, { Title: title, Author: author }) {
  const empty = pages.filter(isEmpty).length;
  if (empty === pages.length) {
    const why = t("It contains no readable text: its pages are images, as in a scan, or its fonts lack character codes. Its text can be recognised.");
    throw Object.assign(lasting("file_without_text", why), { canRecognise: true });
  }
  const folder = id.split("/").slice(0, -1).join("/");
  const metadata = { type: "pdf", ...(folder && { folder }), ...(author?.trim() && { author: author.trim() }) };
  const notes = empty > 0 ? [t`Without text: ${plural(empty, "page")} of ${pages.length}.`] : [];
  return { documents: [{ id, title: isTitle(title) ? title.trim() : name, pages, metadata }], notes, canRecognise: empty > 0 };
}

/** Reconstructs the text: lines as printed, an empty line at larger gaps, and hyphenated words joined. */
export function textOf({ items }) {
  let text = "";
  let last = null; // position of the previous piece of text
  for (const { str, hasEOL, transform, height } of items) {
    if (str.trim() && transform) {
      const [y, line] = [transform[5], height || last?.line || 10];
      if (last && text.endsWith("\n") && Math.abs(last.y - y) > 1.7 * Math.max(line, last.line)) text += "\n";
      last = { y, line };
    }
    text += hasEOL ? `${str}\n` : str;
  }
  return text.replace(/(\p{Ll})-\n(?=\p{Ll})/gu, "$1").trim();
}

export const lasting = (code, message) => Object.assign(new Error(message), { code });

export function explained(error) {
  if (error?.name === "PasswordException") {
    return lasting("file_protected", "It is protected by a password. Open it in a PDF reader, save or print it as a PDF without one, and add that.");
  }
  if (error?.name === "InvalidPDFException" || error?.name === "FormatError") {
    return lasting("file_damaged", "It is damaged, or not a PDF. Open it in a PDF reader; if that works, save it again from there.");
  }
  return error;
}
