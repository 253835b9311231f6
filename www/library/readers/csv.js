// CSV. What looks like records, rows that are as wide as the first one, becomes a document a row, with its columns as metadata:
// so each is found by itself, and can be filtered. Anything else is a text.

import { rowsOf } from "../../csv.js";
import { lines, MOST, titleOf, tooMany } from "./records.js";
import { decoded } from "./text.js";

export function readCsv({ id, name, bytes, encoding }) {
  const text = decoded(bytes, encoding);
  if (text === null) return { documents: [{ id, title: name, format: "text", bytes }] };
  const { rows, broken } = rowsOf(text);
  const [header, ...below] = rows.map(({ cells }) => cells.map((cell) => cell.trim()));
  const isData = below.length > 0 && isAlike(header, below);
  const [names, records] = isData ? [header.map((_, at) => `column ${at + 1}`), [header, ...below]] : [header, below];
  if (!areRecords(names, records)) {
    const wrong = names?.length > 1 && (broken ?? (records.length > 0 && lineOfMisfit(rows)));
    return { documents: [{ id, title: name, format: "text", text }], ...(wrong && { note: `It could not be read as a table (line ${wrong}), and was added as text.` }) };
  }
  if (records.length > MOST) throw tooMany(records.length);
  const types = names.map((_, column) => typeOf(records.map((row) => row[column] ?? "")));
  const documents = records.map((row, at) => {
    const values = names.map((column, place) => [column, valueOf(row[place] ?? "", types[place])]);
    const record = Object.fromEntries(values.filter(([, value]) => value !== null));
    const said = lines(names.map((column, place) => [column, row[place] ?? ""])); // as in the file: its order, and 2.50 rather than 2.5
    return { id: `${id}#${at + 1}`, title: titleOf(record) ?? `${name}, row ${at + 1}`, format: "text", text: said, metadata: { file: name, ...record } };
  });
  const notes = [
    isData && "No header row was found: the columns are named “column 1”, “column 2” and so on.",
    broken && `The quote in line ${broken} is not closed: its cell holds rows that follow.`,
  ].filter(Boolean);
  // Types are not declared: what a column holds today must not keep out what it holds tomorrow.
  return { documents, ...(notes.length > 0 && { note: notes.join(" ") }) };
}

/** Names that are all there and differ, above rows of which nearly all are as wide. */
function areRecords(names, records) {
  if (!names || names.length < 2 || records.length === 0) return false;
  const different = new Set(names.map((name) => name.toLowerCase()));
  if (different.has("") || different.size < names.length || names.some((name) => name.length > 80)) return false;
  return records.filter((row) => row.length === names.length).length >= 0.95 * records.length;
}

/** The line of the first row that is not as wide as the first one; otherwise it is the names that are wrong. */
const lineOfMisfit = (rows) => (rows.find(({ cells }) => cells.length !== rows[0].cells.length) ?? rows[0]).line;

/** Whether the first row looks like those below: it has numbers or dates wherever they do, and at least one. */
function isAlike(first, below) {
  const kinds = first.map((_, column) => kindOfAll(below.map((row) => row[column] ?? "")));
  const valued = first.map((cell, at) => ({ cell, at, kind: kinds[at] })).filter(({ kind }) => kind !== null);
  const filled = valued.filter(({ cell }) => cell !== "");
  if (filled.length === 0 || filled.some(({ cell, kind }) => kindOf(cell) !== kind)) return false;
  // Years, and numbers in their order, name columns.
  const isYear = (cell) => /^(19|20)\d\d$/.test(cell);
  if (filled.every(({ cell }) => isYear(cell)) && filled.some(({ at }) => below.some((row) => row[at] && !isYear(row[at])))) return false;
  return filled.length < 2 || filled.some(({ cell }, at) => at > 0 && Math.abs(Number(cell) - Number(filled[at - 1].cell)) !== 1);
}

const AS_DATE = /^(\d{1,4}[-/]\d{1,2}([-/]\d{1,4})?|\d{1,2}\.\d{1,2}\.\d{2,4})([T ][\d:.]+Z?)?$/;
const AS_NUMBER = /^[-+]?[€$£]?\s?\d[\d\s.,'’]*[%€$£]?$/; // in the ways of any country

function kindOf(cell) {
  if (AS_DATE.test(cell)) return "date";
  return AS_NUMBER.test(cell) ? "number" : null;
}

/** The kind that all cells of a column have, where they are not empty; null for words. */
function kindOfAll(cells) {
  const kinds = new Set(cells.filter(Boolean).map(kindOf));
  return kinds.size === 1 ? [...kinds][0] : null;
}

const NUMBER = /^-?(0|[1-9]\d{0,14})(\.\d+)?$/; // a number with a leading zero is a code
const GROUPED = /^-?[1-9]\d{0,2}(\.\d{3})+$/; // "45.000" may be forty-five thousand
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const BOOLEAN = /^(true|false)$/i;

/** The type that all cells of a column have, where they are not empty. */
function typeOf(cells) {
  const filled = cells.map((cell) => cell.trim()).filter(Boolean);
  const all = (pattern) => filled.length > 0 && filled.every((cell) => pattern.test(cell));
  const dotted = filled.filter((cell) => cell.includes("."));
  if (dotted.length > 1 && dotted.every((cell) => GROUPED.test(cell))) return "string"; // the answer determines what the dots mean
  if (all(NUMBER)) return "number";
  if (all(BOOLEAN)) return "boolean";
  return all(DATE) && filled.every((cell) => !Number.isNaN(Date.parse(cell))) ? "date" : "string";
}

function valueOf(cell, type) {
  const trimmed = cell.trim();
  if (trimmed === "") return null;
  if (type === "number") return Number(trimmed);
  return type === "boolean" ? /^true$/i.test(trimmed) : trimmed;
}
