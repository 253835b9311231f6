// The beginning of large tables and records: what a page can hold of them.

const MB = 2 ** 20;
/** Bytes that are read of a table. */
const MOST = 6 * MB;
/** Records that are read of a table. */
const MOST_LINES = 50_000;
const [NEW_LINE, QUOTE] = [0x0a, 0x22];

/**
 * Reads a file, or the lines of its beginning if it is longer. A line end within quotes ends no line.
 *
 * @param {Blob} file
 * @returns {Promise<{ bytes: Uint8Array<ArrayBuffer>, lines: number | null }>} `lines` is the number of lines that were read, or null for the whole file
 */
export async function beginning(file) {
  const bytes = new Uint8Array(await (file.size > MOST ? file.slice(0, MOST) : file).arrayBuffer());
  const { end, lines } = linesIn(bytes);
  const isWhole = bytes.length === file.size && lines <= MOST_LINES;
  return isWhole ? { bytes, lines: null } : { bytes: bytes.slice(0, end), lines };
}

/** Returns the number of lines up to the limit, and where the last of them ends. */
function linesIn(bytes) {
  let [lines, end, isQuoted] = [0, 0, false];
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) isQuoted = !isQuoted;
    else if (bytes[at] === NEW_LINE && !isQuoted) {
      lines += 1;
      end = at + 1;
      if (lines > MOST_LINES) break; // the first one has the names
    }
  }
  return { lines, end: end || bytes.length };
}
