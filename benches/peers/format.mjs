// Numbers as a reader takes them in.

export const number = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

/** Three significant digits. */
const digits = (value) => (value >= 100 ? String(Math.round(value)) : value.toPrecision(3));

export const ms = (value) => (value === 0 ? "0 ms" : value < 0.1 ? `${digits(value * 1000)} µs` : value < 2000 ? `${digits(value)} ms` : `${digits(value / 1000)} s`);

export const bytes = (value) => (value ? (value < 1e6 ? `${digits(value / 1e3)} kB` : `${digits(value / 1e6)} MB`) : "–");

export const factor = (value, places = 1) => `${value >= 20 ? Math.round(value) : value.toFixed(places)} ×`;

/** A ratio with the least and the greatest of its rounds. */
export const spread = (ratio, places) =>
  ratio ? `${factor(ratio.median, places)} (${factor(ratio.least, places)} to ${factor(ratio.greatest, places)})` : "";

/** What failed, and why, in one sentence. */
export const sentence = (what, why) => `${what} failed: ${why.replace(/\s*[.\n][^]*$/, "")}.`;

/** A Markdown table, its columns aligned for who reads the source. */
export function table(head, rows) {
  const all = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, at) => Math.max(3, ...all.map((row) => row[at].length)));
  const line = (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at])).join(" | ")} |`;
  return [line(all[0]), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...all.slice(1).map(line)].join("\n");
}
