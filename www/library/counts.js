// Numbers of files, rows and passages as text.

import { plural } from "../format.js";

/** Returns the counts of entries: `3 files, 20 rows, 412 passages`. */
export function countsOf(entries) {
  const chunks = entries.reduce((sum, one) => sum + one.chunks, 0);
  return `${shortCountsOf(entries)}, ${plural(chunks, "passage")}`;
}

/** Returns the counts of a list, without passages: `2 files, 1 row`. */
export function shortCountsOf(entries) {
  const rows = entries.reduce((sum, one) => sum + (one.rows?.length ?? 0), 0);
  return [plural(entries.length, "file"), rows > 0 && plural(rows, "row")].filter(Boolean).join(", ");
}
