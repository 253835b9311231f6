// The name that was probably meant, for error messages; as src/text/nearest.rs has it.

/** More different letters than this are another word, not a slip. */
const SLIPS = 2;

/** The known name that differs least from `name`, if it could be a slip of the keys. */
export function nearest(name, known) {
  const allowed = Math.min(SLIPS, Math.floor(name.length / 2));
  const near = known
    .filter((other) => Math.abs(other.length - name.length) <= allowed)
    .map((other) => ({ other, distance: editDistance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ distance }) => distance <= allowed);
  return near.sort((a, b) => a.distance - b.distance)[0]?.other;
}

/** Levenshtein's, row by row. */
function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 0; i < a.length; i++) {
    const above = row;
    row = [i + 1];
    for (let j = 0; j < b.length; j++) row.push(Math.min(above[j] + (a[i] === b[j] ? 0 : 1), above[j + 1] + 1, row[j] + 1));
  }
  return row.at(-1);
}
