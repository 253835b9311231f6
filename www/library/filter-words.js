// A filter as text, such as `vendor ACME or Globex, and year from 2022`.

import { t } from "../words.js";

/** The field with the path of a file, by which a question is narrowed to one document. */
export const PATH = "path";

const NAMES = { [PATH]: t("file") };
const RANGE = { ">=": t("from"), "<=": t("to") };

/** @param {{ field: string, operator?: string, value: any }[]} filters */
export const wordsOf = (filters) =>
  filters.map(({ field, operator, value }) => [NAMES[field] ?? field, RANGE[operator ?? ""], Array.isArray(value) ? value.join(t(" or ")) : value].filter((part) => part !== undefined).join(" ")).join(t(", and "));

/** Returns the text of the chip that shows a filter. */
export function chipOf(filters) {
  const [only, ...others] = filters;
  const isOneFile = only?.field === PATH && others.length === 0 && only.value.length === 1;
  return isOneFile ? t`Only ${only.value[0]}` : t`Only documents with ${wordsOf(filters)}`;
}
