// A summary of a run: its kind, its cost, and its limits.

import { h } from "../dom.js";
import { STYLES } from "../ask/styles.js";
import { spentBy } from "./steps.js";
import { number } from "../format.js";
import { duration } from "./format.js";

const STATES = { running: "running", done: "answered", stopped: "stopped", clarify: "asked a question", failed: "failed" };

export function factsOf(record) {
  const spent = spentBy(record);
  const { budget, model, state, style, result } = record;
  const isOut = result?.budgetExhausted;
  return [
    fact("Style", STYLES[style]?.label ?? style),
    fact("State", isOut ? "out of budget" : STATES[state]),
    fact("Model", model?.name ?? "none"),
    fact("Time", duration(spent.ms), allowed(spent.ms, budget.ms, duration)),
    fact("Model calls", number(spent.llmCalls), allowed(spent.llmCalls, budget.llmCalls)),
    fact("Tokens", `${spent.estimated && spent.tokens > 0 ? "about " : ""}${number(spent.tokens)}`, allowed(spent.tokens, budget.tokens)),
    fact("Searches", number(spent.toolCalls), allowed(spent.toolCalls, budget.toolCalls)),
  ];
}

const fact = (name, value, more = null) => h("div", {}, h("dt", {}, name), h("dd", {}, value, ...(more ?? [])));

function allowed(used, limit, written = number) {
  if (!limit) return null;
  return [h("small", {}, ` of ${written(limit)}`), h("progress", { max: limit, value: Math.min(used, limit), ariaLabel: "of the budget" })];
}
