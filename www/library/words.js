// Numbers as people read them.

export const number = (count) => count.toLocaleString("en");

export const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

export function size(bytes) {
  if (bytes < 1e3) return plural(bytes, "byte");
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(0)} KB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
