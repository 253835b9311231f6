// Display names.

import { t } from "../words.js";

export const DEFAULT = "default";

/** Returns the display name of a collection. */
export const nameOf = (collection) => (collection === DEFAULT ? t("My documents") : collection);
