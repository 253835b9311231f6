// CSV by RFC 4180: quoted cells may hold separators, line ends and doubled quotes. Line ends are of any system.

/** Cells of rows, without rows that hold nothing. */
export const parseCsv = (text, separator) => rowsOf(text, separator).rows.map(({ cells }) => cells);

/**
 * Returns `{ rows, broken }`: the rows as `{ cells, line }`, without those that hold nothing, and the line of the first quote that is not closed, or null:
 * it holds the rest of the text, or what is up to the next quote, which is then not at the end of a cell.
 */
export function rowsOf(text, separator = separatorOf(text)) {
  const rows = [];
  let [row, cell, at, quoted, line] = [[], "", 0, false, 1];
  let [begun, opened, broken] = [1, 1, null]; // the lines where the row and the quote begin
  const endCell = () => {
    row.push(cell);
    cell = "";
  };
  const endRow = () => {
    endCell();
    rows.push({ cells: row, line: begun });
    row = [];
  };
  while (at < text.length) {
    const char = text[at];
    if (quoted) {
      const end = text.indexOf('"', at);
      if (end < 0) {
        broken ??= opened;
        cell += text.slice(at); // a quote that is never closed holds all the rest
        break;
      }
      cell += text.slice(at, end);
      line += ends(text.slice(at, end));
      if (text[end + 1] === '"') cell += '"';
      else {
        quoted = false;
        if (line > opened && ![separator, "\r", "\n", undefined].includes(text[end + 1])) broken ??= opened;
      }
      at = end + (quoted ? 2 : 1);
      continue;
    }
    if (char === '"' && cell === "") [quoted, opened] = [true, line];
    else if (char === separator) endCell();
    else if (char === "\n" || char === "\r") {
      if (char === "\r" && text[at + 1] === "\n") at += 1;
      endRow();
      begun = line += 1;
    } else cell += char;
    at += 1;
  }
  if (cell !== "" || row.length > 0) endRow();
  return { rows: rows.filter(({ cells }) => cells.some((cell) => cell.trim())), broken };
}

const ends = (text) => text.match(/\r\n|\r|\n/g)?.length ?? 0;

/** What parts the cells of the first line: spreadsheets in some languages write semicolons. */
function separatorOf(text) {
  const line = text.slice(0, text.search(/[\r\n]|$/)).replace(/"[^"]*"/g, "");
  const counts = [",", ";", "\t"].map((separator) => ({ separator, count: line.split(separator).length }));
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).separator;
}
