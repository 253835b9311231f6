// Display names.

import { t } from "../words.js";

export const DEFAULT = "default";
/** The sample, which has three chapters of a book. */
export const SAMPLE = "rust-book";

/** Returns the display name of a collection. */
export const nameOf = (collection) => (collection === DEFAULT ? t("My documents") : collection === SAMPLE ? t("The Rust book, chapters 4, 8 and 9") : collection);
