// The order of a table's columns, its numbers as they are written, and what an answer says beside it. The agent sorts columns by name and has values; the text of a document that
// was the row of a file has them as lines `name: value`, as in the file.

import { PATH } from "../library/filter-words.js";
import { phrased } from "../words.js";

/** The metadata that the reader of files adds to each row of a file. */
const OF_FILE = ["file", "type", "sheet"];

/** A title that only says where a row comes from. */
const PLACE = /, (row|line) \d+$/;

/** Returns what the lines of a text say of these columns, in the order of the lines: `Map(name → text)`. */
export function writtenIn(text, names) {
  const known = new Set(names);
  const written = new Map();
  for (const line of text.split("\n")) {
    // A name may contain a colon.
    for (let at = line.indexOf(": "); at > 0; at = line.indexOf(": ", at + 1)) {
      const name = line.slice(0, at);
      if (!known.has(name) || written.has(name)) continue;
      written.set(name, line.slice(at + 2));
      break;
    }
  }
  return written;
}

/** The number of columns up to which a table keeps the order of the file whatever is asked: more may not be in view. */
const IN_VIEW = 5;

/**
 * Returns the positions of a table's columns in the order to show: as in the file, then those that all rows have in common. The title, which is the
 * first column of `columns`, comes first, unless it repeats another column or only says where the row comes from. The file of rows is a column if
 * they are of several. Of many columns, those that the question names follow the first.
 *
 * @param written of each row, what `writtenIn` returns
 * @param question as it was asked
 */
export function orderOf({ columns, rows }, written, question = "") {
  const order = asInFile({ columns, rows }, written);
  const [first, ...others] = order;
  if (order.length <= IN_VIEW) return order;
  const asked = wordsOf(question);
  const isNamed = (at) => {
    const words = wordsOf(columns[at]);
    return words.some((word) => !SAY_LITTLE.includes(word)) && words.every((word) => asked.includes(word));
  };
  return [first, ...others.filter(isNamed), ...others.filter((at) => !isNamed(at))];
}

/** Words that questions have whatever they are about. */
const SAY_LITTLE = ["a", "an", "as", "at", "by", "did", "do", "for", "from", "how", "in", "is", "no", "of", "on", "or", "the", "to", "was", "what", "when", "where", "which", "who", "with"];

/** Returns the words of a text in lower case, without an "s" at the end and with "y" for "ies". */
const wordsOf = (text) => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => (word.length > 3 ? word.replace(/ies$/, "y").replace(/s$/, "") : word));

function asInFile({ columns, rows }, written) {
  const inFile = merged(written);
  const isSame = (at) => rows.every((row) => same(row[at], rows[0][at]));
  const isNoted = (at) => columns[at] === PATH || (inFile.length > 0 && OF_FILE.includes(columns[at]) && isSame(at));
  const others = columns.map((_, at) => at).slice(1);
  const places = [...inFile.map((name) => columns.indexOf(name, 1)), ...others.filter((at) => !inFile.includes(columns[at]) && !isNoted(at))];
  const isCommon = (at) => rows.length > 1 && isSame(at);
  const [differing, common] = [places.filter((at) => !isCommon(at)), places.filter(isCommon)];
  const isRepeated = inFile.length > 0 && differing.some((at) => rows.every((row) => row[at] === row[0]));
  const isPlace = inFile.length > 0 && rows.every((row) => PLACE.test(String(row[0])));
  if (isPlace) return [...differing, ...common, 0];
  return isRepeated ? [...differing, ...common] : [0, ...differing, ...common];
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Merges the orders of rows, which may be of several files and lack columns that are empty: a new name follows the one before it. */
function merged(written) {
  const order = [];
  for (const row of written) {
    let next = 0;
    for (const name of row.keys()) {
      const at = order.indexOf(name);
      if (at < 0) order.splice(next, 0, name);
      next = (at < 0 ? next : at) + 1;
    }
  }
  return order;
}

/** Returns an answer about rows by rule with its first line in the language of the page, if that is known and cites nothing. */
export function headInOwnWords(result) {
  const { answer, citations = [], grounding = [] } = result;
  const [head] = answer.split("\n", 1);
  const own = phrased(head);
  if (own === head || citations.some(({ at }) => at.start < head.length)) return result;
  const by = own.length - head.length;
  const moved = (one) => ({ ...one, at: { start: one.at.start + by, end: one.at.end + by } });
  return { ...result, answer: own + answer.slice(head.length), citations: citations.map(moved), grounding: grounding.filter(({ at }) => at.start >= head.length).map(moved) };
}

/** The most rows that the text of an answer lists. */
const LISTED = 50;

/**
 * Returns what the text of an answer by rule says beside the rows that its table shows, such as a sum, as a result. A list of something else than the
 * rows, such as groups, stays.
 */
export function besideTable(result) {
  const { output, answer, citations = [], grounding = [] } = result;
  const isItem = (line) => line.startsWith("- ");
  const lines = answer.split("\n");
  const first = lines.findIndex(isItem);
  const items = lines.filter(isItem);
  // The list of a sum leaves out the rows without a value. Of a row it has the name and, in brackets, the value.
  const names = new Set(output.rows.flatMap((row) => (Array.isArray(row) ? row : [])).filter((cell) => typeof cell === "string"));
  const isOfRow = (line) => [...names].some((name) => line.startsWith(`- ${name} (`));
  if (first < 0 || (items.length !== Math.min(output.rows.length, LISTED) && !items.every(isOfRow))) return result;
  const before = lines.slice(0, first).join("\n");
  const after = lines.slice(first).filter((line) => !isItem(line) && !/^and \d+ more$/.test(line));
  const isBefore = ({ at }) => at.end <= before.length;
  return { ...result, answer: [before, ...after].filter(Boolean).join("\n"), citations: citations.filter(isBefore), grounding: grounding.filter(isBefore) };
}
