// Recognition of text in pictures, by Tesseract in a worker. Its files are fetched from this page's origin when it is first asked for, and kept
// by the service worker from then on.

import { t } from "../../words.js";

const FOLDER = new URL("../../vendor/ocr/", import.meta.url).href;
const CORE = "tesseract-core-simd-lstm.js";
const SCRIPT = "tesseract.esm.min.js";
const WORKER = "worker.min.js";
/** All files, with their bytes. */
const FILES = {
  [SCRIPT]: 63_220,
  [WORKER]: 111_307,
  [CORE]: 89_271,
  "tesseract-core-simd-lstm.wasm": 2_857_601,
  "eng.traineddata": 2_952_873,
  "deu.traineddata": 1_333_102,
};
const LANGUAGES = "eng+deu";
/** Page segmentation of Tesseract: columns and paragraphs are found, or, where that finds nothing, the picture is one block of text. */
const [AUTOMATIC, ONE_BLOCK] = ["3", "6"];
/** Pixels per inch of a picture. Given, because Tesseract writes its estimates to the console. */
const DPI = "300";
/** Milliseconds without a picture after which its worker is ended. */
const IDLE = 20_000;

/** Bytes that are fetched the first time. */
export const OCR_BYTES = Object.values(FILES).reduce((sum, bytes) => sum + bytes, 0);

/** Returns whether nothing has to be fetched. */
export async function isOcrKept() {
  try {
    const kept = await Promise.all(Object.keys(FILES).map((name) => caches.match(FOLDER + name, { ignoreSearch: true })));
    return kept.every(Boolean);
  } catch {
    return false; // no cache, or an insecure page
  }
}

/** @type {Promise<any> | null} the worker of Tesseract: one for all pictures, which are read in turn */
let worker = null;
/** @type {ReturnType<typeof setTimeout>} */
let idle;

/**
 * Returns the text of a picture: lines as printed, and an empty line between paragraphs.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {{ signal: AbortSignal, onLoad?: (loaded: number, total: number) => void }} options `onLoad` is called with the bytes that were fetched
 */
export async function textIn(canvas, { signal, onLoad }) {
  clearTimeout(idle);
  signal.throwIfAborted();
  const stop = () => end();
  signal.addEventListener("abort", stop, { once: true });
  try {
    worker ??= started(onLoad);
    const tesseract = await unlessAborted(worker, signal);
    const picture = await new Promise((resolve) => canvas.toBlob(resolve));
    const read = async (mode) => {
      await tesseract.setParameters({ tessedit_pageseg_mode: mode, user_defined_dpi: DPI });
      return (await tesseract.recognize(picture)).data.text.trim();
    };
    return await unlessAborted(read(AUTOMATIC).then((text) => text || read(ONE_BLOCK)), signal);
  } catch (error) {
    end(); // the next picture starts it anew
    signal.throwIfAborted();
    throw error instanceof Error ? error : new Error(t`The text could not be recognised (${error}). Add the file again.`);
  } finally {
    signal.removeEventListener("abort", stop);
    clearTimeout(idle);
    idle = setTimeout(end, IDLE);
  }
}

function end() {
  const ended = worker;
  worker = null;
  // Not `tesseract.terminate()`, after which a call that it is still preparing fails where nothing can catch it.
  void ended?.then((tesseract) => tesseract.worker.terminate(), () => {});
}

/** Starts Tesseract. Its files are fetched before, because it waits for ever for one that it does not get. */
async function started(onLoad) {
  let loaded = 0;
  for (const [name, bytes] of Object.entries(FILES)) {
    await fetchedOne(name);
    loaded += bytes;
    onLoad?.(loaded, OCR_BYTES);
  }
  const { default: tesseract } = await import(FOLDER + SCRIPT);
  return tesseract.createWorker(LANGUAGES, 1, {
    workerPath: FOLDER + WORKER,
    workerBlobURL: false,
    corePath: FOLDER + CORE,
    langPath: FOLDER,
    gzip: false, // it finds out itself that the files are compressed, and a host may treat the ending .gz in its own way
    cacheMethod: "none",
    errorHandler: () => {}, // the promise of a failed call rejects
  });
}

async function fetchedOne(name) {
  // The picture itself may be read at the next attempt.
  const failed = (why) => Object.assign(new Error(t`The text recognition could not be loaded (${name}: ${why}). Check the network, and try again.`), { canRecognise: true });
  const response = await fetch(FOLDER + name).catch((error) => Promise.reject(failed(error.message)));
  if (!response.ok) throw failed(`HTTP ${response.status}`);
  await response.arrayBuffer().catch((error) => Promise.reject(failed(error.message)));
}

/** Rejects as soon as `signal` is aborted: an ended worker answers nothing. */
const unlessAborted = (work, signal) =>
  Promise.race([work, new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }))]);
