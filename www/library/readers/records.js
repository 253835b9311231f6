// Converts records, such as table rows, to documents: text fields are searched, all other values are filtered.

import { number } from "../../format.js";

/** Names of title fields, in order of preference. */
const TITLES = ["title", "name", "subject", "heading", "label"];

/** Maximum number of records per file; more belong into a database. */
export const MOST = 50_000;

export function tooMany(count) {
  return new Error(`It contains ${number(count)} records; the maximum per file is ${number(MOST)}. Split it into parts.`);
}

/** Returns the value of the title field. */
export const titleOf = (record) => {
  const name = Object.keys(record).find((key) => TITLES.includes(key.toLowerCase()));
  const title = name === undefined ? undefined : record[name];
  return typeof title === "string" && title.trim() ? title.trim() : undefined;
};

/** Formats fields `[name, value]` as lines `name: value`, so that names and values are searchable. */
export const lines = (fields) =>
  fields
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join("\n");
