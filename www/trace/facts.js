// A run in short: what it was, what it spent, and what of that it was allowed.

import { h } from "../dom.js";
import { STYLES } from "../ask/styles.js";
import { spentBy } from "./steps.js";
import { number } from "../words.js";
import { duration } from "./words.js";

const STATES = { running: "under way", done: "answered", stopped: "stopped", clarify: "asked you something", failed: "failed" };

export function factsOf(record) {
  const spent = spentBy(record);
  const { budget, model, state, style, result } = record;
  const isOut = result?.budgetExhausted;
  return [
    fact("Style", STYLES[style]?.label ?? style),
    fact("State", isOut ? "out of budget" : STATES[state]),
    fact("Model", model?.name ?? "none"),
    fact("Time", duration(spent.ms), allowed(spent.ms, budget.ms, duration)),
    fact("Calls of the model", number(spent.llmCalls), allowed(spent.llmCalls, budget.llmCalls)),
    fact("Tokens", `${spent.estimated && spent.tokens > 0 ? "about " : ""}${number(spent.tokens)}`, allowed(spent.tokens, budget.tokens)),
    fact("Searches", number(spent.toolCalls), allowed(spent.toolCalls, budget.toolCalls)),
  ];
}

const fact = (name, value, more = null) => h("div", {}, h("dt", {}, name), h("dd", {}, value, ...(more ?? [])));

function allowed(used, limit, written = number) {
  if (!limit) return null;
  return [h("small", {}, ` of ${written(limit)}`), h("progress", { max: limit, value: Math.min(used, limit), ariaLabel: "of what it may spend" })];
}
