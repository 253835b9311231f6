// Where is searched. A collection may be emptied after it was chosen: it stays declared, and searching in it finds nothing.

import { nameOf } from "../library/names.js";

export const heldOf = (collections) => collections.filter(({ documents }) => documents > 0);

/** The names of the chosen collections that hold something; none stands for all. */
export const chosenOf = (collections, chosen) => namesOf(heldOf(collections)).filter((name) => chosen.includes(name));

/** The names of those that a run searches: the chosen ones; all that hold something where none is chosen. */
export const searchedOf = (collections, chosen) =>
  [chosenOf(collections, chosen), namesOf(heldOf(collections)), namesOf(collections)].find((names) => names.length > 0) ?? [];

/** A filter in words, as `vendor ACME or Globex, and year 2022`. */
export const wordsOf = (filters) => filters.map(({ field, value }) => `${field} ${value.join(" or ")}`).join(", and ");

/**
 * What a search was narrowed down to, in words; empty where it was not.
 *
 * @param collections the names of those that were chosen
 */
export function narrowedTo({ filters, collections }) {
  const parts = [filters ? `documents with ${wordsOf(filters)}` : collections.length > 0 ? "documents" : null, collections.length > 0 ? `in ${collections.map(nameOf).join(" and ")}` : null];
  return parts.filter(Boolean).join(" ");
}

const namesOf = (collections) => collections.map(({ name }) => name);
