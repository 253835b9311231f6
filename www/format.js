// Formats of numbers, sizes and durations, in the language of the page.

import { language, nounOf, t } from "./words.js";

/** Formats a whole number. Below a thousand nothing is grouped, and loading the formats of a language would take 15 ms of a first visit. */
export const number = (value) => (Math.abs(value) < 999.5 ? String(Math.round(value)) : Math.round(value).toLocaleString(language));

/** Formats a number with so many decimals: `0.80`, or `0,80` in German. */
export const decimal = (value, digits) => value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false });

export const plural = (count, noun) => `${number(count)} ${nounOf(count, noun)}`;

/** Formats a size: `999 bytes`, `8.5 KB`, `85 MB`, `1.0 GB`. */
export function size(bytes) {
  if (bytes < 1e3) return plural(bytes, "byte");
  const [unit, name] = bytes < 999_500 ? [1e3, "KB"] : bytes < 999_500_000 ? [1e6, "MB"] : [1e9, "GB"];
  return `${decimal(bytes / unit, bytes / unit < 9.95 ? 1 : 0)} ${name}`;
}

/** Formats an estimated duration: `about 5 s`, `about 40 s`, `about 3 min`, `about 2 h`. */
export function about(ms) {
  const seconds = ms / 1000;
  if (seconds < 90) return t`about ${Math.max(5, seconds < 20 ? Math.ceil(seconds / 5) * 5 : Math.round(seconds / 10) * 10)} s`;
  return seconds < 5400 ? t`about ${Math.round(seconds / 60)} min` : t`about ${Math.round(seconds / 3600)} h`;
}
