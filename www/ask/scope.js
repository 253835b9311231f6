// The scope of a search. A collection that is emptied after it was chosen stays declared, but searches in it find nothing.

import { wordsOf } from "../library/filter-words.js";
import { nameOf } from "../library/names.js";
import { t } from "../words.js";

export const heldOf = (collections) => collections.filter(({ documents }) => documents > 0);

/** Returns the chosen collections that contain documents; an empty list means all. */
export const chosenOf = (collections, chosen) => namesOf(heldOf(collections)).filter((name) => chosen.includes(name));

/** Returns the collections that a run searches: the chosen ones, or by default all that contain documents. */
export const searchedOf = (collections, chosen) =>
  [chosenOf(collections, chosen), namesOf(heldOf(collections)), namesOf(collections)].find((names) => names.length > 0) ?? [];

export { wordsOf };

/**
 * Returns the scope of a restricted search as text, or an empty string.
 *
 * @param collections the chosen collections
 */
export function narrowedTo({ filters, collections }) {
  const parts = [filters ? t`documents with ${wordsOf(filters)}` : collections.length > 0 ? t("documents") : null, collections.length > 0 ? t`in ${collections.map(nameOf).join(t(" and "))}` : null];
  return parts.filter(Boolean).join(" ");
}

const namesOf = (collections) => collections.map(({ name }) => name);
