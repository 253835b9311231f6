// What a person reads for the names that the library uses.

export const DEFAULT = "default";

/** What a person reads for a collection's name. */
export const nameOf = (collection) => (collection === DEFAULT ? "My documents" : collection);
