// The steps of a run on a time axis. Rows are reused while a run continues, so that expanded details and the focus stay.

import { h } from "../dom.js";
import { insideOf } from "./calls.js";
import { plural } from "../format.js";
import { duration, readable } from "./format.js";
import { t } from "../words.js";

/** @param view `{ places, open, kept, age }`: expanded details are drawn again when the library's `age` changes */
export function timeline(element, view) {
  let rows = [];
  let drawn = null; // the run that is shown
  const ticks = h("div.ticks", { ariaHidden: "true" });
  const list = h("div.step-list", {});
  const legend = h("p.legend", {}, h("span", {}, t("the step")), h("span.of-llm", {}, t("a request to the model")), h("span.of-search", {}, t("a search")));
  element.replaceChildren(ticks, list, legend);

  /** @param steps of `stepsOf`; `end` is the duration of the run so far */
  return function draw(record, steps, end) {
    if (drawn !== record) {
      drawn = record;
      rows = [];
      list.replaceChildren();
    }
    const last = Math.max(end, 1);
    ticks.replaceChildren(...ticksOf(last));
    for (const step of steps.slice(rows.length)) {
      rows.push(rowOf(step, view));
      list.append(rows.at(-1).element);
    }
    rows.forEach((row, at) => row.update(steps[at], last));
  };
}

function rowOf({ name }, view) {
  const lane = h("span.lane", {});
  const says = h("span.says", {});
  const took = h("span.took", {});
  const inside = h("div.inside", {});
  const element = h("details.step", {}, h("summary", {}, h("span.name", {}, readable(name)), says, lane, took), inside);
  let step = null;
  let filled = "";
  const fill = () => {
    const now = JSON.stringify([view.age, step.to === null, step.items.map(({ kind }) => kind), step.failures.length, step.thoughts.length, step.suspicions.length]);
    if (!element.open || now === filled) return;
    filled = now;
    inside.replaceChildren(...insideOf(step, view).filter(Boolean));
  };
  element.addEventListener("toggle", fill);
  return {
    element,
    update(now, last) {
      step = now;
      const end = step.to ?? last;
      element.dataset.state = step.failures.some(({ fallback }) => fallback === undefined) ? "failed" : step.failures.length > 0 ? "fallback" : step.to === null ? "busy" : "done";
      says.textContent = inShort(step);
      took.textContent = duration(end - step.from);
      lane.replaceChildren(bar("whole", step.from, end, last), ...step.items.map((item) => bar(item.kind, item.from, item.to ?? last, last)));
      fill();
    },
  };
}

/** Sets styles by script, because the page's policy forbids inline styles. */
function bar(kind, from, to, last) {
  const element = h(`span.bar-of.${kind}`, {});
  element.style.left = `${(100 * from) / last}%`;
  element.style.width = `${Math.max(0.4, (100 * (to - from)) / last)}%`;
  return element;
}

const NAMES = { llm: "request", search: "search", tool: "call" };
const BY = { llm: t("by the model"), rule: t("by a rule"), function: t("by a function") };

function inShort({ by, items, failures, to }) {
  const counts = Object.entries(NAMES).map(([kind, noun]) => [items.filter((item) => item.kind === kind).length, noun]);
  const parts = counts.filter(([count]) => count > 0).map(([count, noun]) => plural(count, noun));
  if (failures.length > 0) parts.push(failures.some(({ fallback }) => fallback === undefined) ? t("failed") : t("continued with a fallback"));
  else if (to === null) parts.push(t("under way"));
  else if (by) parts.push(BY[by] ?? by);
  return parts.join(", ");
}

/** Returns three to six round numbers. */
function ticksOf(last) {
  const power = 10 ** Math.floor(Math.log10(last / 3));
  const every = [1, 2, 5, 10].map((factor) => factor * power).find((length) => last / length <= 6);
  const ticks = [];
  for (let at = 0; at <= last * 0.94; at += every) {
    const tick = h("span.tick", {}, at === 0 ? "0" : duration(at));
    tick.style.left = `${(100 * at) / last}%`;
    ticks.push(tick);
  }
  return ticks;
}
