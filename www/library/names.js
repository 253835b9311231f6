// Display names.

export const DEFAULT = "default";

/** Returns the display name of a collection. */
export const nameOf = (collection) => (collection === DEFAULT ? "My documents" : collection);
