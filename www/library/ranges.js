// Ranges of numbers and dates as filters.

import { h } from "../dom.js";
import { t } from "../words.js";

const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** A year that is still being typed begins with zeros. */
const EARLIEST = "1000";

/**
 * Returns `number` or `date` for a field whose values are better chosen by their ends than one by one, or null.
 *
 * @param {{ value: unknown, count: number }[]} values
 * @param {number} few number of values that are shown as choices
 */
export function kindOfRange(values, few) {
  const isSpread = values.length > few || (values.length > 2 && values.every(({ count }) => count === 1));
  if (!isSpread) return null;
  if (values.every(({ value }) => typeof value === "number")) return "number";
  return values.every(({ value }) => typeof value === "string" && DATE.test(value)) ? "date" : null;
}

/**
 * Returns two fields for the ends of a range.
 *
 * @param {{ field: string, kind: "number" | "date", ends: any[], range: { from?: any, to?: any } }} facet `ends` are those of all values, if they are known
 * @param {(range: { from?: any, to?: any }) => void} onChange
 */
export function rangeFields({ field, kind, ends: [least, most], range }, onChange) {
  const input = (end, limit) => {
    const is = h("input", { type: kind, ariaLabel: `${field} ${end === "from" ? t("from") : t("to")}`, value: range[end] ?? "", placeholder: limit ?? "", step: "any" });
    is.dataset.value = `${field} ${end}`;
    if (kind === "date" && limit) Object.assign(is, { min: least, max: most });
    return is;
  };
  const [from, to] = [input("from", least), input("to", most)];
  let told = JSON.stringify([range.from, range.to]);
  function commit() {
    if ([from, to].some((one) => one.validity.badInput || (kind === "date" && one.value !== "" && one.value < EARLIEST))) return;
    const valueOf = (one) => (one.value === "" ? undefined : kind === "number" ? Number(one.value) : one.value);
    const now = { from: valueOf(from), to: valueOf(to) };
    if (JSON.stringify([now.from, now.to]) === told) return;
    told = JSON.stringify([now.from, now.to]);
    onChange(now);
  }
  const known = least !== undefined && kind === "number" ? t`${least} to ${most}` : "";
  // A date changes with every digit of its year, and the fields are replaced after each change: not before the whole range was entered.
  const fields = h("fieldset.range", {}, h("legend", {}, field), h("div", {}, from, h("span.hint", { ariaHidden: "true" }, t("to")), to), known ? h("span.hint", {}, known) : null);
  fields.addEventListener("focusout", ({ relatedTarget }) => ![from, to].includes(relatedTarget) && commit());
  fields.addEventListener("keydown", ({ key }) => key === "Enter" && commit());
  return fields;
}
