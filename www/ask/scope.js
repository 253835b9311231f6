// Where is searched. A collection may be emptied after it was chosen: it stays declared, and searching in it finds nothing.

export const heldOf = (collections) => collections.filter(({ documents }) => documents > 0);

/** The names of the chosen collections that hold something; none stands for all. */
export const chosenOf = (collections, chosen) => namesOf(heldOf(collections)).filter((name) => chosen.includes(name));

/** The names of those that a run searches: the chosen ones; all that hold something where none is chosen. */
export const searchedOf = (collections, chosen) =>
  [chosenOf(collections, chosen), namesOf(heldOf(collections)), namesOf(collections)].find((names) => names.length > 0) ?? [];

const namesOf = (collections) => collections.map(({ name }) => name);
