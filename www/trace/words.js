// Figures as this page writes them.

export const number = (value) => Math.round(value).toLocaleString("en");

export const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

/** `850 ms`, `3.2 s`, `2 min 5 s` */
export function duration(ms) {
  if (ms < 1) return "< 1 ms";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

export const size = (bytes) => (bytes < 1_000 ? `${bytes} bytes` : bytes < 1e6 ? `${(bytes / 1_000).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`);

/** Names of steps and reasons, as people read them. */
export const readable = (name) => name.replaceAll("_", " ");
