// Numbers as they are written here.

export const share = (value) => (typeof value === "number" ? value.toFixed(2) : "–");
export const number = (value) =>
  typeof value !== "number" ? "–" : value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 1 : 0 });
export const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
/** Seconds in the unit a person would say. */
export const lasting = (seconds) => (seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`);
