// Filters by metadata: values with the number of their documents, and ranges of numbers and dates. The selection applies to the whole page.

import { byId, h } from "../dom.js";
import { number } from "../format.js";
import { coalesce } from "./coalesce.js";
import { chipOf, PATH } from "./filter-words.js";
import { OCR_PAGES } from "./recognised.js";
import { kindOfRange, rangeFields } from "./ranges.js";
import { t } from "../words.js";

const MOST_FIELDS = 12;
const MOST_VALUES = 8;
/** Values of a field that are looked at, to know the ends of its range. */
const MOST_COUNTED = 1000;
/** Fields that are no choice for a person: a path belongs to one file. */
const HIDDEN = [PATH, OCR_PAGES];

/** @param app what the parts of the page share: see main.js */
export function startFacets({ kb, complain, changed, filters }) {
  const chosen = new Map(); // by field, the set of selected values
  const ranges = new Map(); // by field, `{ from?, to? }`
  const unfolded = new Set();
  const panel = byId("library");
  let isOld = true;
  let drawn = ""; // what the panel shows

  /** Returns the filter of all fields but one, so that its own other values are counted as well. */
  const filterOf = (but) => {
    const values = [...chosen].filter(([field, some]) => field !== but && some.size > 0).map(([field, some]) => ({ field, operator: "in", value: [...some] }));
    const ends = [...ranges].filter(([field]) => field !== but).flatMap(([field, { from, to }]) => [from !== undefined && { field, operator: ">=", value: from }, to !== undefined && { field, operator: "<=", value: to }].filter(Boolean));
    return values.length + ends.length === 0 ? null : [...values, ...ends];
  };

  /** Takes over a filter that was set elsewhere. */
  function takeOver(filter) {
    chosen.clear();
    ranges.clear();
    for (const { field, operator, value } of filter ?? []) {
      if (operator === "in") chosen.set(field, new Set(value));
      else ranges.set(field, { ...ranges.get(field), [operator === ">=" ? "from" : "to"]: value });
    }
  }

  const show = coalesce(async () => {
    const { collections } = await kb.stats();
    const counts = new Map();
    for (const { schema, documents } of collections) {
      for (const field of Object.keys(schema).filter((one) => !HIDDEN.includes(one))) counts.set(field, (counts.get(field) ?? 0) + documents);
    }
    const fields = [...counts].sort((a, b) => b[1] - a[1]).map(([field]) => field);
    const facets = await Promise.all(fields.slice(0, 3 * MOST_FIELDS).map(valuesOf));
    // Fields with one value for all, or a different one for each document, are useless as filters.
    const isChoice = ({ field, values }) => chosen.has(field) || (values.length > 1 && values.some(({ count }) => count > 1));
    const useful = facets.filter((one) => one.kind || ranges.has(one.field) || isChoice(one));
    // A box that is replaced between the press and the release of a key or a button is not switched.
    const wanted = JSON.stringify([useful, filterOf(), [...unfolded]]);
    if (wanted === drawn) return;
    drawn = wanted;
    const focused = document.activeElement?.closest("#facets") ? /** @type {HTMLElement} */ (document.activeElement).dataset.value : null;
    byId("facets").replaceChildren(...useful.slice(0, MOST_FIELDS).map(facet));
    byId("facets-empty").hidden = useful.length > 0;
    if (focused) byId("facets").querySelector(`[data-value="${CSS.escape(focused)}"]`)?.focus();
  });

  // Counting queries every field, and documents are added in many batches: update only while visible.
  changed.on(() => {
    isOld = true;
    refresh();
  });
  panel.addEventListener("shown", refresh);
  function refresh() {
    if (panel.hidden || !isOld) return;
    isOld = false;
    show().catch(complain);
  }
  filters.on((filter) => {
    takeOver(filter);
    byId("filter-chip").hidden = filter === null;
    byId("filter-text").textContent = filter === null ? "" : chipOf(filter);
    show().catch(complain);
  });
  byId("filter-clear").addEventListener("click", () => {
    filters.value = null;
    byId(panel.hidden ? "question" : "document-search").focus(); // the chip that had the focus is gone
  });

  async function valuesOf(field) {
    const filter = filterOf(field);
    const values = await kb.facets(field, { limit: MOST_COUNTED, ...(filter && { filters: filter }) }).catch((error) => {
      if (error.code === "unknown_field") return []; // removed with its documents meanwhile
      throw error;
    });
    const kind = kindOfRange(values, MOST_VALUES);
    return { field, values: kind ? endsOf(values) : values, kind };
  }

  /** Of a range, only its ends are of interest. */
  function endsOf(values) {
    const sorted = values.toSorted((a, b) => (a.value < b.value ? -1 : 1));
    return values.length < MOST_COUNTED ? [sorted[0], sorted.at(-1)] : [];
  }

  function facet({ field, values, kind }) {
    if (kind) {
      return rangeFields({ field, kind, ends: values.map(({ value }) => value), range: ranges.get(field) ?? {} }, (range) => {
        if (range.from === undefined && range.to === undefined) ranges.delete(field);
        else ranges.set(field, range);
        filters.value = filterOf();
      });
    }
    const on = chosen.get(field) ?? new Set();
    const missing = [...on].filter((value) => !values.some((one) => one.value === value)).map((value) => ({ value, count: 0 }));
    const shown = unfolded.has(field) ? values : values.slice(0, MOST_VALUES);
    const rest = values.length - shown.length;
    return h(
      "fieldset",
      {},
      h("legend", {}, field),
      ...[...shown, ...missing].map(({ value, count }) => choiceOf(field, value, count, on.has(value))),
      rest > 0 ? unfold(field, rest, values[shown.length].value) : null,
    );
  }

  /** @param next the first new value, which gets the focus */
  function unfold(field, rest, next) {
    const button = h("button.quiet", { type: "button", onclick: () => (unfolded.add(field), show().catch(complain)) }, t`${number(rest)} more`);
    button.dataset.value = `${field}=${next}`;
    return button;
  }

  function choiceOf(field, value, count, checked) {
    const box = h("input", { type: "checkbox", checked, onchange: () => choose(field, value, box.checked) });
    box.dataset.value = `${field}=${value}`;
    return h("label", {}, box, h("span.value", {}, String(value)), h("span.hint", {}, number(count)));
  }

  function choose(field, value, is) {
    const values = chosen.get(field) ?? new Set();
    if (is) values.add(value);
    else values.delete(value);
    if (values.size > 0) chosen.set(field, values);
    else chosen.delete(field);
    filters.value = filterOf();
  }
}
