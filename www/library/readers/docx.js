// Word documents, read by mammoth, which is fetched from this page's origin on first use. The title, headings and table
// rows are preserved.

import { holdsWhatItSays, partsOf } from "./zip.js";

const ADDRESS = new URL("../../vendor/mammoth.browser.min.js", import.meta.url).href;
const MB = 1024 * 1024;
/** Limits against zip bombs, far above what a 50 MB document needs: the unpacked size, and the size of the parts that are parsed, at once and on this thread. */
const MOST_UNPACKED = 500 * MB;
const MOST_READ = 50 * MB;
/** Parts that are not parsed, identified by type: images and fonts barely compress, so a highly compressed one only has such a name. */
const isUnread = ({ name, size, packed }) => /^word\/(media|embeddings|fonts)\//i.test(name) && size <= 20 * packed;
let loading = null;

export async function readDocx({ id, name, bytes }) {
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])) {
    throw new Error("It is protected by a password, or is in the format of Word before 2007. Open it in Word, save it as .docx without a password, and add that.");
  }
  const parts = partsOf(bytes);
  if (!parts) throw damaged();
  if (unpacked(parts) > MOST_UNPACKED) throw new Error("It would exceed 500 MB when unpacked. Split it into parts.");
  if (unpacked(parts.filter((part) => !isUnread(part))) > MOST_READ) throw new Error("Its text would exceed 50 MB when unpacked. Split it into parts.");
  for (const part of parts) if (!(await holdsWhatItSays(bytes, part))) throw damaged();
  const mammoth = await (loading ??= import(ADDRESS).catch((error) => {
    loading = null; // the next file tries again
    throw new Error(`The part of this page that reads Word documents could not be loaded (${error.message}). Add the file again.`);
  })).then(() => globalThis.mammoth);
  const withoutPictures = mammoth.images.imgElement(async () => ({ src: "" }));
  let html;
  try {
    const arrayBuffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    ({ value: html } = await mammoth.convertToHtml({ arrayBuffer }, { convertImage: withoutPictures, styleMap: STYLES }));
  } catch {
    throw new Error("It is a zip archive without a readable Word document. If Word opens it, save it again from there.");
  }
  const parsed = new DOMParser().parseFromString(html, "text/html");
  if (!/[\p{L}\p{N}]/u.test(parsed.body.textContent)) throw new Error("It contains no text.");
  for (const table of parsed.querySelectorAll("table")) inRows(table);
  return { documents: [{ id, title: titleIn(parsed) || name, format: "html", text: parsed.body.innerHTML }] };
}

/** Maps the document's title to a heading: mammoth treats it as a paragraph. Word uses these two style names in all languages. */
const STYLES = ["p[style-name='Title'] => h1.title:fresh", "p[style-name='Subtitle'] => p:fresh"];

/** With several first-level headings none is the title, because it would be above the others. */
function titleIn(parsed) {
  const [first, ...others] = parsed.querySelectorAll("h1");
  const title = parsed.querySelector("h1.title") ?? (others.length === 0 ? first : null);
  return title?.textContent.trim();
}

/** Word cells contain paragraphs: unwrapping them keeps the cells of a row together. A first row in bold is a header. */
function inRows(table) {
  for (const cell of table.querySelectorAll("td, th")) {
    for (const block of cell.querySelectorAll("p, h1, h2, h3, h4, h5, h6, ul, ol, li, table, thead, tbody, tr, td, th")) block.replaceWith(...block.childNodes, " ");
  }
  const [first, ...rest] = table.rows;
  const isBold = (cell) => cell.textContent.trim() === [...cell.querySelectorAll("strong")].map(({ textContent }) => textContent).join("").trim();
  if (rest.length === 0 || table.querySelector("th") || ![...first.cells].every(isBold) || !first.textContent.trim()) return;
  for (const cell of first.cells) {
    const head = table.ownerDocument.createElement("th");
    head.append(...cell.childNodes);
    cell.replaceWith(head);
  }
}

const unpacked = (parts) => parts.reduce((sum, { size }) => sum + size, 0);
const damaged = () => new Error("It is damaged, or not a Word document. If Word opens it, save it again from there.");
const startsWith = (bytes, beginning) => beginning.every((byte, at) => bytes[at] === byte);
