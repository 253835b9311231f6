// The beginning of large tables and records: what a page can hold of them.

const MB = 2 ** 20;
/** Bytes that are read of a table. */
const MOST = 6 * MB;
/** Records that are read of a table. */
const MOST_LINES = 50_000;
const [NEW_LINE, RETURN, QUOTE] = [0x0a, 0x0d, 0x22];
/** What can part the cells of a row: `,`, `;` and tabs. */
const SEPARATORS = [0x2c, 0x3b, 0x09];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Reads a file, or the lines of its beginning if it is longer. Of CSV, a line end within a quoted cell ends no line.
 *
 * @param {Blob} file
 * @param {string} [type] `jsonl` for records, of which each is a line
 * @returns {Promise<{ bytes: Uint8Array<ArrayBuffer>, lines: number | null }>} `lines` is the number of lines that were read, or null for the whole file
 */
export async function beginning(file, type = "csv") {
  const bytes = new Uint8Array(await (file.size > MOST ? file.slice(0, MOST) : file).arrayBuffer());
  const { end, lines } = linesIn(bytes, type === "csv" ? separatorOf(bytes) : null);
  const isWhole = bytes.length === file.size && lines <= MOST_LINES;
  return isWhole ? { bytes, lines: null } : { bytes: bytes.slice(0, end), lines };
}

/** Returns the number of lines up to the limit, and where the last of them ends. Without a separator, quotes mean nothing. */
function linesIn(bytes, separator) {
  let [lines, end, isQuoted] = [0, 0, false];
  let isCellsBeginning = true; // elsewhere, a quote is a character like others, such as the sign of an inch
  for (let at = BYTE_ORDER_MARK.every((byte, place) => bytes[place] === byte) ? BYTE_ORDER_MARK.length : 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isQuoted) {
      if (byte !== QUOTE) continue;
      if (bytes[at + 1] === QUOTE) at += 1; // a quote within the cell
      else isQuoted = false;
      continue;
    }
    if (byte === QUOTE && isCellsBeginning && separator !== null) isQuoted = true;
    isCellsBeginning = byte === separator || byte === NEW_LINE || byte === RETURN;
    if (byte !== NEW_LINE) continue;
    lines += 1;
    end = at + 1;
    if (lines > MOST_LINES) break; // the first one has the names
  }
  return { lines, end: end || bytes.length };
}

/** Returns what parts the cells of the first line. */
function separatorOf(bytes) {
  const counts = SEPARATORS.map(() => 0);
  let isQuoted = false;
  for (const byte of bytes) {
    if (byte === NEW_LINE && !isQuoted) break;
    if (byte === QUOTE) isQuoted = !isQuoted;
    const which = isQuoted ? -1 : SEPARATORS.indexOf(byte);
    if (which >= 0) counts[which] += 1;
  }
  return SEPARATORS[counts.indexOf(Math.max(...counts))];
}
