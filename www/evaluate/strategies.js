// The strategies that can be compared, and about how often each calls the language model.

import { t } from "../words.js";

/** `calls` are the minimum and maximum per question; `needsModel` marks those that require a model. */
export const STRATEGIES = [
  { name: "keyword", kind: "search", text: t("One search by words"), calls: [0, 0] },
  { name: "vector", kind: "search", text: t("One search by meaning"), calls: [0, 0] },
  { name: "hybrid", kind: "search", text: t("Both, fused"), calls: [0, 0] },
  { name: "hops", kind: "search", text: t("Hybrid search that follows its best passages"), calls: [0, 0] },
  { name: "pipeline", kind: "agent", text: t("Splits the question, searches, reasons, answers, checks; by rules without a model"), calls: [3, 8] },
  { name: "react", kind: "agent", text: t("The model decides by calling tools"), calls: [2, 9], needsModel: true },
  { name: "investigate", kind: "agent", text: t("Plans, then searches and reviews until the evidence is sufficient"), calls: [4, 10], needsModel: true },
  { name: "graph", kind: "agent", text: t("Plans calls, runs them at once, grades the results"), calls: [3, 5], needsModel: true },
];

export const isAgent = (name) => STRATEGIES.find((one) => one.name === name)?.kind === "agent";

/** Returns the minimum and maximum number of model calls. */
export function estimate(names, questions, hasModel) {
  if (!hasModel) return [0, 0];
  const chosen = STRATEGIES.filter(({ name }) => names.includes(name));
  return [0, 1].map((end) => questions * chosen.reduce((sum, { calls }) => sum + calls[end], 0));
}
