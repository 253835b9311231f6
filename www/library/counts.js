// Numbers of files, rows and passages as text.

import { plural } from "../format.js";

/** Returns the counts of entries: `3 files, 20 rows, 412 passages`. */
export function countsOf(entries) {
  const chunks = entries.reduce((sum, one) => sum + one.chunks, 0);
  return `${shortCountsOf(entries)}, ${plural(chunks, "passage")}`;
}

/**
 * Returns the number of files of each collection that has some: a table is one, whatever number of documents its rows are.
 *
 * @param {import("./catalogue.js").Entry[]} entries
 * @returns {Map<string, number>}
 */
export function filesIn(entries) {
  const files = new Map();
  for (const { collection } of entries) files.set(collection, (files.get(collection) ?? 0) + 1);
  const added = new Set(entries.filter(({ path }) => path !== null).map(({ collection }) => collection)); // other documents, such as the sample's, are of no file here
  return new Map([...files].filter(([collection]) => added.has(collection)));
}

/** Returns the counts of a list, without passages: `2 files, 1 row`. */
export function shortCountsOf(entries) {
  const rows = entries.reduce((sum, one) => sum + (one.rows?.length ?? 0), 0);
  return [plural(entries.length, "file"), rows > 0 && plural(rows, "row")].filter(Boolean).join(", ");
}
