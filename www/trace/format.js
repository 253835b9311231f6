// Formats of durations and names in the trace.

/** Formats a duration: `850 ms`, `3.2 s`, `2 min 5 s`. */
export function duration(ms) {
  if (ms < 1) return "< 1 ms";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** Formats names of steps and reasons. */
export const readable = (name) => name.replaceAll("_", " ");
