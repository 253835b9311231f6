// The order of a table's rows by a column: numbers and dates by value, other texts as a person sorts them, and empty cells last.

import { language } from "../words.js";

/** Sign and currency or unit around the digits of a number: `€ 1,234.50`, `12 %`, `-3 kg`. */
const NUMBER = /^[^\d\p{L}+\-−.,]{0,2}\s?(?:[A-Z]{3}\s)?([+\-−]?)\s?(\d[\d.,'’\s]*|[.,]\d+)\s?(?:[\p{L}%‰°€$£¥/²³]{0,5})$/u;
const DATE = /^(?=\d{4}\D|.*\D(?:\d{2}|\d{4})(?:$|[T ]))(\d{1,4})([-./])(\d{1,2})\2(\d{1,4})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?.*)?$/;
const WITH_MONTH = /^(?=.*\p{L}{3})(?=.*\b\d{4}\b)[\p{L}\d.,: ]+$/u;

/**
 * Returns the positions of the rows in their order by one column. Rows that are equal stay in the order that they have.
 *
 * @param {any[]} values of the column, one of each row
 * @param {"ascending" | "descending"} direction
 */
export function sorted(values, direction) {
  const texts = values.map(textOf);
  const filled = texts.filter((text) => text !== "");
  const keyOf = filled.length === 0 ? null : (datesIn(filled) ?? numbersIn(filled));
  const collator = new Intl.Collator(language, { numeric: true, sensitivity: "base" });
  const keys = texts.map((text) => (text === "" ? null : keyOf ? keyOf(text) : text));
  const compare = keyOf ? (a, b) => a - b : collator.compare;
  const sign = direction === "descending" ? -1 : 1;
  return keys
    .map((key, at) => ({ key, at }))
    .sort((a, b) => (a.key === null || b.key === null ? Number(a.key === null) - Number(b.key === null) : sign * compare(a.key, b.key)))
    .map(({ at }) => at);
}

/** Returns whether the values of a column are numbers, where they are not empty: `3`, `54,20`, `€ 1,234.50`. */
export function areNumbers(values) {
  const filled = values.map(textOf).filter((text) => text !== "");
  const areAll = values.every((value) => value === null || typeof value === "number");
  return filled.length > 0 && (areAll || (datesIn(filled) === null && numbersIn(filled) !== null));
}

const textOf = (value) => (value === null || value === undefined ? "" : Array.isArray(value) ? value.map(textOf).join(", ") : String(value)).trim();

/** Returns what reads a column's texts as numbers, or null if one of them is none. */
function numbersIn(texts) {
  const digits = texts.map((text) => NUMBER.exec(text)?.[2]);
  if (digits.some((one) => one === undefined)) return null;
  const decimal = decimalOf(digits);
  return (text) => {
    const [, sign, written] = /** @type {RegExpExecArray} */ (NUMBER.exec(text));
    const value = Number([...written].map((letter) => (letter === decimal ? "." : /\d/.test(letter) ? letter : "")).join(""));
    return sign === "-" || sign === "−" ? -value : value;
  };
}

/** Returns the sign before the decimals of a column's numbers. One that stands twice in a number, or before another one, groups its digits. */
function decimalOf(digits) {
  const isGrouping = (sign) => digits.some((one) => one.split(sign).length > 2 || (one.includes(sign) && /[.,]/.test(one.slice(one.indexOf(sign) + 1))));
  const isDecimal = (sign) => digits.some((one) => one.includes(sign) && !/^\d{3}$/.test(one.slice(one.lastIndexOf(sign) + 1)));
  const own = language === "de" ? "," : "."; // where a number such as 1.234 could mean both
  return [".", ","].find((sign) => !isGrouping(sign) && isDecimal(sign)) ?? (isGrouping(own) ? null : own);
}

/** Returns what reads a column's texts as dates, or null if one of them is none. */
function datesIn(texts) {
  const parts = texts.map((text) => DATE.exec(text));
  if (parts.every((one) => one === null)) {
    const isDate = texts.every((text) => WITH_MONTH.test(text) && !Number.isNaN(Date.parse(text)));
    return isDate ? (text) => Date.parse(text) : null;
  }
  if (parts.some((one) => one === null)) return null;
  const isMonthFirst = parts.every((one) => one?.[2] === "/" && Number(one[1]) <= 12);
  return (text) => {
    const [, first, , second, third, ...time] = /** @type {RegExpExecArray} */ (DATE.exec(text));
    const [year, month, day] = first.length > 2 ? [first, second, third] : isMonthFirst ? [third, first, second] : [third, second, first];
    const [hour, minute, seconds] = time.map((part) => Number(part ?? 0));
    return Date.UTC(Number(year), Number(month) - 1, Number(day), hour, minute, seconds);
  };
}
