// Figures as people read them.

export const number = (value) => Math.round(value).toLocaleString("en");

export const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

/** `999 bytes`, `8.5 KB`, `85 MB`, `1.0 GB` */
export function size(bytes) {
  if (bytes < 1e3) return plural(bytes, "byte");
  const [unit, name] = bytes < 999_500 ? [1e3, "KB"] : bytes < 999_500_000 ? [1e6, "MB"] : [1e9, "GB"];
  return `${(bytes / unit).toFixed(bytes / unit < 9.95 ? 1 : 0)} ${name}`;
}
