// Creates files of all supported kinds, and drops them on the page.

import { crc32, deflateRawSync } from "node:zlib";

const latin1 = (text) => Buffer.from(text, "latin1");

/** Returns a PDF of these objects, numbered from 1. */
function pdf(objects, trailer) {
  const parts = ["%PDF-1.4\n"];
  const offsets = objects.map((body, at) => {
    const offset = parts.join("").length;
    parts.push(`${at + 1} 0 obj\n${body}\nendobj\n`);
    return offset;
  });
  const start = parts.join("").length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  parts.push(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`);
  return latin1(parts.join(""));
}

const stream = (text, dictionary = "") => `<< ${dictionary} /Length ${text.length} >>\nstream\n${text}\nendstream`;

/** Returns a PDF with a title, pages of text lines, and an outline of the pages. */
export function textPdf(pages, { title = "A handbook", author = "Ada Example", trailer = "" } = {}) {
  const first = 6; // after catalogue, page tree, font, information and outlines
  const page = (at) => first + 3 * at;
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R >>`,
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${page(at)} 0 R`).join(" ")}] >>`,
    `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>`,
    `<< /Title (${title}) /Author (${author}) >>`,
    `<< /Type /Outlines /Count ${pages.length} /First ${page(0) + 2} 0 R /Last ${page(pages.length - 1) + 2} 0 R >>`,
  ];
  for (const [at, lines] of pages.entries()) {
    const text = lines.map((line) => `(${line}) Tj 0 -14 Td`).join("\n");
    const next = at + 1 < pages.length ? `/Next ${page(at + 1) + 2} 0 R` : "";
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 600] /Resources << /Font << /F1 3 0 R >> >> /Contents ${page(at) + 1} 0 R >>`,
      stream(`BT /F1 12 Tf 40 550 Td\n${text}\nET`),
      `<< /Title (Part ${at + 1}) /Parent 5 0 R ${next} /Dest [${page(at)} 0 R /Fit] >>`,
    );
  }
  return pdf(objects, `/Info 4 0 R ${trailer}`);
}

/** Returns a PDF encrypted with an unknown password. */
export const lockedPdf = () => {
  const anything = `<${"5a".repeat(32)}>`;
  return textPdf([["Nobody may read this."]], {
    trailer: `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${anything} /U ${anything} /P -4 >> /ID [<0102> <0102>]`,
  });
};

/**
 * Returns a PDF whose font uses a predefined CMap of Adobe's by name, as is common in East Asian documents.
 *
 * @param hex the text in the encoding of `map`
 */
export const mappedPdf = ({ map, ordering, hex }) =>
  pdf(
    [
      `<< /Type /Catalog /Pages 2 0 R >>`,
      `<< /Type /Pages /Count 1 /Kids [3 0 R] >>`,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 600] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>`,
      stream(`BT /F1 12 Tf 40 550 Td <${hex}> Tj ET`),
      `<< /Type /Font /Subtype /Type0 /BaseFont /Song-${map} /Encoding /${map} /DescendantFonts [6 0 R] >>`,
      `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /FontDescriptor 7 0 R /DW 1000 >>`,
      `<< /Type /FontDescriptor /FontName /Song /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>`,
    ],
    "",
  );

/** Returns a PDF whose only page is an image. */
export const scannedPdf = () =>
  pdf(
    [
      `<< /Type /Catalog /Pages 2 0 R >>`,
      `<< /Type /Pages /Count 1 /Kids [3 0 R] >>`,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 600] /Resources << /XObject << /I 5 0 R >> >> /Contents 4 0 R >>`,
      stream("q 400 0 0 600 0 0 cm /I Do Q"),
      stream("\x40", "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"),
    ],
    "",
  );

/** Returns a PDF whose pages are pictures, each `{ jpeg, width, height }`, with the size in pixels, or lines of text, as `{ lines }`. */
export function picturePdf(pictures) {
  const page = (at) => 3 + 3 * at; // after catalogue and page tree
  const objects = [`<< /Type /Catalog /Pages 2 0 R >>`, `<< /Type /Pages /Count ${pictures.length} /Kids [${pictures.map((_, at) => `${page(at)} 0 R`).join(" ")}] >>`];
  for (const [at, { jpeg, width, height, lines }] of pictures.entries()) {
    if (lines) {
      objects.push(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 600] /Resources << /Font << /F1 ${page(at) + 2} 0 R >> >> /Contents ${page(at) + 1} 0 R >>`,
        stream(`BT /F1 12 Tf 40 550 Td\n${lines.map((line) => `(${line}) Tj 0 -14 Td`).join("\n")}\nET`),
        `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>`,
      );
      continue;
    }
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 ${Math.round((400 * height) / width)}] /Resources << /XObject << /I ${page(at) + 2} 0 R >> >> /Contents ${page(at) + 1} 0 R >>`,
      stream(`q 400 0 0 ${Math.round((400 * height) / width)} 0 0 cm /I Do Q`),
      stream(jpeg.toString("latin1"), `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode`),
    );
  }
  return pdf(objects, "");
}

/**
 * Draws lines of text on a page's canvas, as a scanner or a camera would see them. The canvas is wider than `width` if a line needs it:
 * fonts differ. Returns `{ bytes, width, height }`.
 */
export async function pictureOf(page, lines, type = "image/png", { width: least = 1000, size = 40 } = {}) {
  const height = 100 + 2 * size * Math.max(1, lines.length);
  const [base64, width] = await page.evaluate(async ([lines, type, least, height, size]) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: least, height });
    const context = canvas.getContext("2d");
    const write = () => Object.assign(context, { fillStyle: "#111", font: `${size}px sans-serif`, textRendering: "optimizeSpeed" }); // without ligatures
    write();
    canvas.width = Math.max(least, ...lines.map((line) => Math.ceil(context.measureText(line).width) + 120)); // resets the context
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, height);
    write();
    lines.forEach((line, at) => context.fillText(line, 60, 80 + 1.6 * size * at));
    return [canvas.toDataURL(type, 0.9).split(",")[1], canvas.width];
  }, [lines, type, least, height, size]);
  return { bytes: Buffer.from(base64, "base64"), width, height };
}

/** Returns a zip archive, stored or deflated. `said` overrides the uncompressed size in the headers. */
export function zip(files, { isPacked = false, said = (size) => size } = {}) {
  const locals = [];
  const directory = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const [path, whole] = [Buffer.from(name), Buffer.from(text)];
    const data = isPacked ? deflateRawSync(whole) : whole;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0); // version needed to extract; no flags, no date
    fields.writeUInt16LE(isPacked ? 8 : 0, 4);
    fields.writeUInt32LE(crc32(whole), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(said(whole.length), 18);
    fields.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([latin1("PK\x03\x04"), fields, path, data]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([latin1("PK\x01\x02"), Buffer.from([20, 0]), fields, place, path]));
    locals.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, entries, latin1("PK\x05\x06"), end]);
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = "http://schemas.openxmlformats.org";

/** Returns a Word document of paragraphs `[style, text]` and tables `{ table: rows, isHeaded }`; `packing` is passed to `zip`. */
export function docx(parts, packing = {}) {
  const W = `xmlns:w="${OFFICE}/wordprocessingml/2006/main"`;
  const paragraph = (style, text, isBold) => `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r>${isBold ? "<w:rPr><w:b/></w:rPr>" : ""}<w:t>${text}</w:t></w:r></w:p>`;
  const row = (cells, isBold) => `<w:tr>${cells.map((cell) => `<w:tc>${[cell].flat().map((text) => paragraph("Normal", text, isBold)).join("")}</w:tc>`).join("")}</w:tr>`;
  const table = ({ table: rows, isHeaded }) => `<w:tbl>${rows.map((cells, at) => row(cells, isHeaded && at === 0)).join("")}</w:tbl>`;
  const body = parts.map((part) => (Array.isArray(part) ? paragraph(...part) : table(part))).join("");
  const style = (id, name) => `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`;
  const type = (part, kind) => `<Override PartName="/word/${part}.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.${kind}+xml"/>`;
  const leads = (id, kind, target) => `<Relationship Id="${id}" Type="${OFFICE}/officeDocument/2006/relationships/${kind}" Target="${target}"/>`;
  const relationships = (inner) => `${XML}<Relationships xmlns="${OFFICE}/package/2006/relationships">${inner}</Relationships>`;
  return zip({
    "[Content_Types].xml": `${XML}<Types xmlns="${OFFICE}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${type("document", "document.main")}${type("styles", "styles")}</Types>`,
    "_rels/.rels": relationships(leads("r1", "officeDocument", "word/document.xml")),
    "word/_rels/document.xml.rels": relationships(leads("r1", "styles", "styles.xml")),
    "word/styles.xml": `${XML}<w:styles ${W}>${style("Heading1", "heading 1")}${style("Heading2", "heading 2")}${style("Normal", "Normal")}${style("Titel", "Title")}</w:styles>`,
    "word/document.xml": `${XML}<w:document ${W}><w:body>${body}</w:body></w:document>`,
  }, packing);
}

/** Drops files on the page. Maps names to text, bytes, or `{ size }` for a file of that many letters. */
export const drop = (page, files) =>
  page.evaluate((files) => {
    const transfer = new DataTransfer();
    for (const [name, { text, base64, size }] of files) {
      const content = size ? new Uint8Array(size).fill(97) : base64 ? Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)) : text;
      transfer.items.add(new File([content], name));
    }
    for (const type of ["dragover", "drop"]) {
      document.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
  }, Object.entries(files).map(([name, content]) => [name, typeof content === "string" ? { text: content } : Buffer.isBuffer(content) ? { base64: content.toString("base64") } : content]));

/** Waits until all dropped files are processed, and returns the reports. */
export async function reports(page) {
  await page.waitForSelector('#file-reports .adding[data-state="done"]', { timeout: 240_000 });
  await page.waitForFunction(() => !document.querySelector('#file-reports .adding[data-state="busy"]'), null, { timeout: 240_000 });
  return page.locator("#file-reports .reports > li").allTextContents();
}

/**
 * Delays reading files of these names until `letGo` is called, as a slow disk would, so that a test can act while they are being read.
 */
export async function hold(page, ...names) {
  await page.evaluate((names) => {
    const read = Blob.prototype.arrayBuffer;
    const until = new Promise((resolve) => (window.letGo = resolve));
    Blob.prototype.arrayBuffer = async function () {
      if (names.includes(/** @type {File} */ (this).name)) await until;
      return read.call(this);
    };
    void until.then(() => (Blob.prototype.arrayBuffer = read));
  }, names);
  return () => page.evaluate(() => window.letGo());
}

/** Drops a folder. A string is a file, an object a folder; `null` is a file and `LOCKED` a folder that cannot be read. */
export const LOCKED = { "": null };
export const dropFolder = (page, name, content) =>
  page.evaluate(([name, content]) => {
    const refuse = (reject) => reject(new DOMException("Permission denied", "NotReadableError"));
    const entryOf = (path, content) => {
      const fullPath = `/${path}`;
      if (content === null) return { fullPath, isDirectory: false, file: (resolve, reject) => refuse(reject) };
      if (typeof content === "string") return { fullPath, isDirectory: false, file: (resolve) => resolve(new File([content], path.split("/").at(-1), { lastModified: 1 })) };
      let rest = Object.entries(content).map(([name, inner]) => entryOf(`${path}/${name}`, inner));
      const readEntries = (resolve, reject) => {
        if (content[""] === null) return refuse(reject);
        resolve(rest);
        rest = [];
      };
      return { fullPath, isDirectory: true, createReader: () => ({ readEntries }) };
    };
    const event = new Event("drop", { bubbles: true, cancelable: true });
    const root = entryOf(name, content);
    Object.defineProperty(event, "dataTransfer", { value: { types: ["Files"], files: [], items: [{ webkitGetAsEntry: () => root }] } });
    document.dispatchEvent(event);
  }, [name, content]);
