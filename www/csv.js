// CSV by RFC 4180: quoted cells may hold separators, line ends and doubled quotes. Line ends are of any system.

/** Cells of rows, without rows that hold nothing. */
export function parseCsv(text, separator = separatorOf(text)) {
  const rows = [];
  let [row, cell, at, quoted] = [[], "", 0, false];
  const endCell = () => {
    row.push(cell);
    cell = "";
  };
  const endRow = () => {
    endCell();
    rows.push(row);
    row = [];
  };
  while (at < text.length) {
    const char = text[at];
    if (quoted) {
      const end = text.indexOf('"', at);
      if (end < 0) {
        cell += text.slice(at); // a quote that is never closed holds all the rest
        break;
      }
      cell += text.slice(at, end);
      if (text[end + 1] === '"') cell += '"';
      else quoted = false;
      at = end + (quoted ? 2 : 1);
      continue;
    }
    if (char === '"' && cell === "") quoted = true;
    else if (char === separator) endCell();
    else if (char === "\n" || char === "\r") {
      if (char === "\r" && text[at + 1] === "\n") at += 1;
      endRow();
    } else cell += char;
    at += 1;
  }
  if (cell !== "" || row.length > 0) endRow();
  return rows.filter((row) => row.some((cell) => cell.trim()));
}

/** What parts the cells of the first line: spreadsheets in some languages write semicolons. */
function separatorOf(text) {
  const line = text.slice(0, text.search(/[\r\n]|$/)).replace(/"[^"]*"/g, "");
  const counts = [",", ";", "\t"].map((separator) => ({ separator, count: line.split(separator).length }));
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).separator;
}
