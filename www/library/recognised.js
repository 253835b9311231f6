// Which text of a document was recognised from pictures, as its metadata tells.

/** The field with the numbers of the recognised pages, of a document whose other pages have text of their own. */
export const OCR_PAGES = "ocr_pages";

/** Returns the metadata of a document with these recognised pages, of all pages that have text. @param {number[]} pages @param {number} all */
export function recognisedIn(pages, all) {
  if (pages.length === 0) return {};
  return { ocr: true, ...(pages.length < all && { [OCR_PAGES]: pages.join(", ") }) };
}

/** Returns the numbers of the recognised pages, or null where all text was recognised. @param {Record<string, any>} metadata */
const pagesOf = (metadata) => (metadata[OCR_PAGES] === undefined ? null : String(metadata[OCR_PAGES]).split(", ").map(Number));

/** Returns whether the text of a page was recognised. @param {Record<string, any> | undefined} metadata @param {number | null | undefined} page */
export const isRecognised = (metadata, page) => metadata?.ocr === true && (pagesOf(metadata)?.includes(page ?? NaN) ?? true);

/** Returns how many pages were recognised where the others have text of their own, or else null. @param {Record<string, any> | undefined} metadata */
export const recognisedAmongOthers = (metadata) => (metadata?.ocr === true && pagesOf(metadata)?.length) || null;
