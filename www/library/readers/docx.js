// Word documents, by mammoth, which is fetched from this page's own address when the first one comes. Headings and tables stay.

const ADDRESS = new URL("../../vendor/mammoth.browser.min.js", import.meta.url).href;
/** What a document of 50 MB comes to at most, unless it was made to fill the memory. */
const MOST_UNPACKED = 500 * 1024 * 1024;
let loading = null;

export async function readDocx({ id, name, bytes }) {
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])) {
    throw new Error("It is protected by a password, or a document of Word before 2007. Open it in Word, save it as .docx without a password, and add that.");
  }
  if (!startsWith(bytes, [0x50, 0x4b])) throw new Error("It is damaged, or no Word document. If Word opens it, save it anew from there.");
  if (unpacked(bytes) > MOST_UNPACKED) throw new Error("It would take more than 500 MB when it is unpacked. Split it into parts.");
  const mammoth = await (loading ??= import(ADDRESS).catch((error) => {
    loading = null; // the next file tries again
    throw new Error(`The part of this page that reads Word documents could not be loaded (${error.message}). Add the file again.`);
  })).then(() => globalThis.mammoth);
  const withoutPictures = mammoth.images.imgElement(async () => ({ src: "" }));
  let html;
  try {
    const arrayBuffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    ({ value: html } = await mammoth.convertToHtml({ arrayBuffer }, { convertImage: withoutPictures }));
  } catch {
    throw new Error("It is a zip archive, but holds no Word document that can be read. If Word opens it, save it anew from there.");
  }
  const parsed = new DOMParser().parseFromString(html, "text/html");
  if (!/[\p{L}\p{N}]/u.test(parsed.body.textContent)) throw new Error("It holds no text, only pictures or nothing at all.");
  return { documents: [{ id, title: parsed.querySelector("h1")?.textContent.trim() || name, format: "html", text: html }] };
}

/** How many bytes the archive's directory, at its end, says its files have. */
function unpacked(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end > 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end <= 0) return 0; // no archive that could be read, as the next will find
  let [at, sum] = [view.getUint32(end + 16, true), 0];
  while (at + 46 <= end && view.getUint32(at, true) === 0x02014b50) {
    sum += view.getUint32(at + 24, true);
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return sum;
}

const startsWith = (bytes, beginning) => beginning.every((byte, at) => bytes[at] === byte);
