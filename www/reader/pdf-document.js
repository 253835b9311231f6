// A PDF file that is open for drawing. pdf.js draws it in its own worker; scripts in the file are not run, and links lead nowhere.

import { CharacterMaps } from "../library/readers/character-maps.js";
import { FOLDER, pdfJs } from "../library/readers/pdf-js.js";

/** Pixels of a canvas: beyond this, a page is drawn with fewer, and enlarged. */
const MOST_PIXELS = 12_000_000;
/** Files of pdf.js that drawing may need: decoders of images, and the fonts that every PDF may use and few systems have. */
const DATA = ["wasmUrl", "standardFontDataUrl"];

/** Implements the file loader of pdf.js. */
class DrawingData extends CharacterMaps {
  async fetch(wanted) {
    if (!DATA.includes(wanted.kind)) return super.fetch(wanted);
    const response = await fetch(FOLDER + wanted.filename);
    if (!response.ok) throw new Error(`${wanted.filename}: HTTP ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }
}

/**
 * Opens a file. Rejects if it is damaged, protected by a password, or pdf.js could not be loaded.
 *
 * @param {Blob} file
 * @param {AbortSignal} signal closes the file
 */
export async function openPdf(file, signal) {
  const pdf = await pdfJs();
  const data = new Uint8Array(await file.arrayBuffer());
  signal.throwIfAborted();
  const task = pdf.getDocument({ data, isEvalSupported: false, useWorkerFetch: false, BinaryDataFactory: DrawingData, verbosity: 0 });
  const close = () => void task.destroy().catch(() => {});
  signal.addEventListener("abort", close, { once: true });
  try {
    const opened = await task.promise;
    const about = async () => (await opened.getMetadata().catch(() => null))?.info ?? {};
    return { pages: opened.numPages, page: async (at) => new PdfPage(await opened.getPage(at)), about };
  } catch (error) {
    close();
    throw error;
  }
}

class PdfPage {
  #page;
  #text = null;

  constructor(page) {
    this.#page = page;
    const { width, height } = page.getViewport({ scale: 1 });
    this.width = width;
    this.height = height;
  }

  /** The page at its own size, which turns its coordinates to those of the drawing. */
  get viewport() {
    return this.#page.getViewport({ scale: 1 });
  }

  /** Returns the pieces of text, with their places. */
  text() {
    return (this.#text ??= this.#page.getTextContent());
  }

  /**
   * Draws the page to a new canvas.
   *
   * @param {number} width in pixels of the style sheet
   * @param {AbortSignal} signal
   * @param {number} [ratio] pixels of the canvas for each of these
   */
  async drawn(width, signal, ratio = devicePixelRatio) {
    const scale = width / this.width;
    const most = Math.sqrt(MOST_PIXELS / (scale * this.width * scale * this.height));
    const viewport = this.#page.getViewport({ scale: scale * Math.min(ratio, most) });
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: Math.floor(viewport.width), height: Math.floor(viewport.height) });
    const drawing = this.#page.render({ canvas, viewport });
    const stop = () => drawing.cancel();
    signal.addEventListener("abort", stop, { once: true });
    try {
      await drawing.promise;
      signal.throwIfAborted();
      return canvas;
    } catch (error) {
      released(canvas);
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Lets go of what drawing the page needed. */
  cleanup() {
    this.#page.cleanup();
  }
}

/** Frees the memory of a canvas at once, rather than when it is collected. */
export function released(canvas) {
  if (canvas) canvas.width = canvas.height = 0;
}
