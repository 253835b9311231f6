// CSV. What looks like records, a header and rows as wide, becomes a document a row, with its columns as metadata:
// so each is found by itself, and can be filtered. Anything else is a text.

import { parseCsv } from "../../csv.js";
import { lines, MOST, titleOf, tooMany } from "./records.js";
import { decoded } from "./text.js";

export function readCsv({ id, name, bytes, encoding }) {
  const text = decoded(bytes, encoding);
  if (text === null) return { documents: [{ id, title: name, format: "text", bytes }] };
  const [header, ...records] = parseCsv(text);
  if (!areRecords(header, records)) return { documents: [{ id, title: name, format: "text", text }] };
  if (records.length > MOST) throw tooMany(records.length);
  const names = header.map((cell) => cell.trim());
  const types = names.map((_, column) => typeOf(records.map((row) => row[column] ?? "")));
  const documents = records.map((row, at) => {
    const values = names.map((column, place) => [column, valueOf(row[place] ?? "", types[place])]);
    const record = Object.fromEntries(values.filter(([, value]) => value !== null));
    const text = lines(names.map((column, place) => [column, (row[place] ?? "").trim()])); // as in the file: its order, and 2.50 rather than 2.5
    return { id: `${id}#${at + 1}`, title: titleOf(record) ?? `${name}, row ${at + 1}`, format: "text", text, metadata: { file: name, ...record } };
  });
  // Types are not declared: what a column holds today must not keep out what it holds tomorrow.
  return { documents };
}

/** Names that are all there and differ, above rows of which nearly all are as wide. */
function areRecords(header, records) {
  if (!header || header.length < 2 || records.length === 0) return false;
  const names = new Set(header.map((name) => name.trim().toLowerCase()));
  if (names.has("") || names.size < header.length || header.some((name) => name.length > 80)) return false;
  return records.filter((row) => row.length === header.length).length >= 0.95 * records.length;
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
