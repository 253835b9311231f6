// Formats of measures; a missing one is a dash.

import { decimal } from "../format.js";
import { language } from "../words.js";

export const share = (value) => (typeof value === "number" ? decimal(value, 2) : "–");
export const figure = (value) =>
  typeof value !== "number" ? "–" : value.toLocaleString(language, { maximumFractionDigits: value < 10 ? 1 : 0 });
/** Formats seconds with a suitable unit. */
export const lasting = (seconds) => (seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`);
