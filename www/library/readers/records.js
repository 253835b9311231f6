// Records, such as rows of a table, as documents: what is text is searched, what is a value is filtered.

import { number } from "../../words.js";

/** What a record's title is called, in the order of preference. */
const TITLES = ["title", "name", "subject", "heading", "label"];

/** Records of one file beyond this many belong into a database. */
export const MOST = 50_000;

export function tooMany(count) {
  return new Error(`It holds ${number(count)} records; a file may hold up to ${number(MOST)}. Split it into parts.`);
}

/** The value that a title is, of the names in it. */
export const titleOf = (record) => {
  const name = Object.keys(record).find((key) => TITLES.includes(key.toLowerCase()));
  const title = name === undefined ? undefined : record[name];
  return typeof title === "string" && title.trim() ? title.trim() : undefined;
};

/** `name: value` in lines: the words of both are found. */
export const lines = (record) =>
  Object.entries(record)
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join("\n");
