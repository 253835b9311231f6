// A summary of a run: its kind, its cost, and its limits.

import { h } from "../dom.js";
import { STYLES } from "../ask/styles.js";
import { spentBy } from "./steps.js";
import { number } from "../format.js";
import { duration } from "./format.js";
import { t } from "../words.js";

const STATES = { running: t("running"), done: t("answered"), stopped: t("stopped"), clarify: t("asked a question"), failed: t("failed") };

export function factsOf(record) {
  const spent = spentBy(record);
  const { budget, model, state, style, result } = record;
  const isOut = result?.budgetExhausted;
  return [
    fact(t("Style"), STYLES[style]?.label ?? style),
    fact(t("State"), isOut ? t("out of budget") : state === "done" && result?.abstained ? t("no answer found") : STATES[state]),
    fact(t("Model"), model?.name ?? t("none")),
    fact(t("Time"), duration(spent.ms), allowed(spent.ms, budget.ms, duration)),
    fact(t("Model calls"), number(spent.llmCalls), allowed(spent.llmCalls, budget.llmCalls)),
    fact(t("Tokens"), `${spent.estimated && spent.tokens > 0 ? t("about ") : ""}${number(spent.tokens)}`, allowed(spent.tokens, budget.tokens)),
    fact(t("Searches"), number(spent.toolCalls), allowed(spent.toolCalls, budget.toolCalls)),
  ];
}

const fact = (name, value, more = null) => h("div", {}, h("dt", {}, name), h("dd", {}, value, ...(more ?? [])));

function allowed(used, limit, written = number) {
  if (!limit) return null;
  return [h("small", {}, t` of ${written(limit)}`), h("progress", { max: limit, value: Math.min(used, limit), ariaLabel: t("of the budget") })];
}
