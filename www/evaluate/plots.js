// Bar charts with confidence intervals, and quality against cost. Positions are shares of the width, so that a drawing fits any container.

import { h } from "../dom.js";
import { interval } from "./statistics.js";
import { isAgent } from "./strategies.js";
import { drawing, s } from "./svg.js";
import { figure, share } from "./format.js";
import { t } from "../words.js";

const BAR = { step: 46, label: 16, top: 23, height: 13 };
/** A tenth on the right is reserved for the ends of the whiskers and the numbers. */
const percent = (part) => `${(part * 100).toFixed(2)}%`;

/** One measure: a bar per strategy, and for shares a line for the confidence interval. */
export function bars({ title, value, isShare = false }, strategies, n) {
  const known = strategies.map((one) => ({ name: one.name, value: value(one) })).filter(({ value }) => typeof value === "number");
  if (known.length === 0) return null;
  const most = isShare ? 1 : Math.max(...known.map(({ value }) => value), Number.MIN_VALUE);
  const show = isShare ? share : figure;
  const rows = known.map(({ name, value }, at) => {
    const y = at * BAR.step;
    const middle = y + BAR.top + BAR.height / 2;
    const range = isShare ? interval(value, n) : null;
    return s("g", {},
      s("text.label", { x: 0, y: y + BAR.label }, name),
      s("text.value", { x: "100%", y: y + BAR.label, "text-anchor": "end" }, show(value)),
      s("rect.track", { x: 0, y: y + BAR.top, width: "100%", height: BAR.height, rx: 3 }),
      s(isAgent(name) ? "rect.bar.agent" : "rect.bar", { x: 0, y: y + BAR.top, width: percent(value / most), height: BAR.height, rx: 3 }),
      range && s("line.whisker", { x1: percent(range.low), x2: percent(range.high), y1: middle, y2: middle }),
      range && s("line.whisker", { x1: percent(range.low), x2: percent(range.low), y1: middle - 4, y2: middle + 4 }),
      range && s("line.whisker", { x1: percent(range.high), x2: percent(range.high), y1: middle - 4, y2: middle + 4 }),
    );
  });
  const label = `${title}: ${known.map(({ name, value }) => `${name} ${show(value)}`).join(", ")}.`;
  return h("figure.plot", {}, h("figcaption", {}, title), drawing(label, known.length * BAR.step - 8, ...rows));
}

const AREA = { height: 310, top: 34, bottom: 44, left: 0.09, right: 0.97, apart: 15 };

/** Quality on the vertical axis, cost on the horizontal one: the upper left is cheap and good. */
export function scatter({ title, cost, quality, costName, qualityName }, strategies) {
  const points = strategies
    .map((one) => ({ name: one.name, x: cost(one), y: quality(one) }))
    .filter(({ x, y }) => typeof x === "number" && typeof y === "number");
  if (points.length === 0) return null;
  const most = Math.max(...points.map(({ x }) => x), Number.MIN_VALUE);
  const left = (x) => AREA.left + (AREA.right - AREA.left) * 0.92 * (x / most);
  const height = (y) => AREA.height - AREA.bottom - (AREA.height - AREA.top - AREA.bottom) * y;
  const grid = [0, 0.25, 0.5, 0.75, 1].map((y) =>
    s("g", {}, s("line.grid", { x1: percent(AREA.left), x2: percent(AREA.right), y1: height(y), y2: height(y) }),
      s("text.tick", { x: percent(AREA.left - 0.015), y: height(y) + 4, "text-anchor": "end" }, share(y))));
  const ticks = [0, 0.5, 1].map((part) =>
    s("text.tick", { x: percent(left(part * most)), y: AREA.height - AREA.bottom + 18, "text-anchor": part === 0 ? "start" : "middle" }, figure(part * most)));
  const marks = points.map(({ name, x, y }, at) => {
    const onLeft = left(x) > 0.7;
    return s("g", {},
      s(isAgent(name) ? "circle.dot-mark.agent" : "circle.dot-mark", { cx: percent(left(x)), cy: height(y), r: 6 }),
      s("text.label", { x: percent(left(x)), dx: onLeft ? -11 : 11, y: labels(points, left, height)[at], "text-anchor": onLeft ? "end" : "start" }, name));
  });
  const label = `${title}: ${points.map(({ name, x, y }) => t`${name} ${qualityName} ${share(y)} at ${figure(x)} ${costName}`).join(", ")}.`;
  const axis = s("text.tick", { x: percent(AREA.right), y: AREA.height - 6, "text-anchor": "end" }, t`${costName} per question →`);
  return h("figure.plot.scatter", {}, h("figcaption", {}, title),
    drawing(label, AREA.height, ...grid, ...ticks, axis, s("text.tick", { x: 0, y: 10 }, `↑ ${qualityName}`), ...marks));
}

/** Moves labels of close points below each other. */
function labels(points, left, height) {
  const places = points.map(({ y }) => height(y) + 4);
  const order = points.map((_, at) => at).sort((a, b) => places[a] - places[b]);
  for (const [rank, at] of order.entries()) {
    for (const above of order.slice(0, rank)) {
      const near = Math.abs(left(points[above].x) - left(points[at].x)) < 0.25;
      if (near && places[at] - places[above] < AREA.apart) places[at] = places[above] + AREA.apart;
    }
  }
  return places;
}
