// Formats of durations and names in the trace.

import { decimal } from "../format.js";
import { t } from "../words.js";

/** Formats a duration: `850 ms`, `3.2 s`, `2 min 5 s`. */
export function duration(ms) {
  if (ms < 1) return t("< 1 ms");
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${decimal(ms / 1_000, 1)} s`;
  return t`${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** Formats names of steps and reasons. */
export const readable = (name) => name.replaceAll("_", " ");
