// pdf.js, which is fetched from this page's origin on first use: files are read with it, and the reader draws their pages with it.

/** The folder of pdf.js and its data. */
export const FOLDER = new URL("../../vendor/", import.meta.url).href;
let library = null;

async function load() {
  const pdf = await import(`${FOLDER}pdf.min.mjs`);
  pdf.GlobalWorkerOptions.workerSrc = `${FOLDER}pdf.worker.min.mjs`;
  return pdf;
}

/** Returns pdf.js. Rejects if it could not be loaded; the next call tries again. */
export function pdfJs() {
  library ??= load().catch((error) => {
    library = null;
    throw error;
  });
  return library;
}
