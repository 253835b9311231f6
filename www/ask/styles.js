// The styles of answering: what each does, what it costs, and how it is started.

import { plural } from "../format.js";
import { t } from "../words.js";

/** The steps of a pipeline in order: what each does, and its maximum number of model calls. */
export const STEPS = [
  { name: "gate", does: t("Is a search needed at all?"), calls: 1 },
  { name: "rewrite", does: t("Makes the question self-contained"), calls: 1 },
  { name: "decompose", does: t("Splits the question"), calls: 1 },
  { name: "search", does: t("Finds passages"), calls: 0, always: true },
  { name: "rerank", does: t("Ranks passages"), calls: 3 },
  { name: "reason", does: t("Looks for what is missing"), calls: 3 },
  { name: "answer", does: t("Writes, and cites"), calls: 1, always: true },
  { name: "ground", does: t("Checks each sentence"), calls: 0 },
];

/** The default steps of a pipeline. */
export const USUAL_STEPS = ["search", "answer", "ground"];

const FOUND = 6;

export const STYLES = {
  search: {
    label: t("Search"),
    does: t("One search; the answer is quoted from your documents."),
    calls: () => [0, 0],
    begin: (agents, question, { settings, ...options }, ends) => steps(agents.quoting, question, { limit: FOUND, ...options }, ["search", "answer"]).run(ends),
  },
  pipeline: {
    label: t("Pipeline"),
    does: t("Runs the steps that you choose, in order."),
    without: t("Without a model each step uses a rule, and the answer is quoted."),
    calls: ({ steps: chosen, thread }) => {
      const asked = STEPS.filter(({ name, calls }) => calls > 0 && chosen.includes(name));
      const follows = thread && !chosen.includes("rewrite") ? 1 : 0; // only follow-up questions need it
      return [asked.length, asked.reduce((sum, { calls }) => sum + calls, follows)];
    },
    begin: (agents, question, { settings, ...options }, ends) => steps(agents.agent, question, { limit: FOUND, ...options }, settings.steps).run(ends),
  },
  react: {
    label: t("React"),
    does: t("The model decides what to search for, repeatedly, until it can answer."),
    without: t("Without a model a rule searches, then again for words that no passage contains; the answer is quoted."),
    calls: () => [2, 5],
    begin: ({ agent }, question, { settings, ...options }, ends) => agent.react(question, { ...options, ...ends, citations: true }),
  },
  investigate: {
    label: t("Investigate"),
    does: t("Plans with the fields of your documents, searches and reviews; makes lists and tables, and may ask you a question."),
    without: t("Without a model the plan uses the years, amounts and values in your question."),
    calls: () => [3, 8],
    begin: ({ agent }, question, { settings, ...options }, ends) => agent.investigate(question, { ...options, ...ends }),
  },
  graph: {
    label: t("Graph"),
    does: t("Analyses the question, runs several searches at once, and grades the results."),
    without: t("Without a model the parts of the question are searched, and the answer is quoted."),
    calls: () => [3, 5],
    begin: ({ agent }, question, { settings, ...options }, ends) => agent.graph(question, { ...options, ...ends }),
  },
};

/** The two ways that are offered first: what each does, without and with a model. `graph` answers every part of a question, and asks nothing back. */
export const WAYS = {
  pipeline: {
    label: t("Quick"),
    without: t("Finds the best passages, and quotes them."),
    does: t("Writes an answer from the best passages."),
  },
  graph: {
    label: t("Thorough"),
    without: t("Searches for each part of your question, and quotes the best passages."),
    does: t("Takes your question apart, searches several times, and writes an answer. Slower."),
  },
};

/** Describes what the chosen way does, in one line. */
export function wayOf(name, hasModel) {
  const { does, without = does } = WAYS[name] ?? STYLES[name];
  return hasModel ? does : without;
}

/** Describes a style and its cost in one line. */
export function lineOf(name, settings, hasModel) {
  const { does, without, calls } = STYLES[name];
  const [least, most] = calls(settings);
  if (most === 0) return t`${does} No model is called.`;
  if (!hasModel) return `${does} ${without}`;
  const count = least === most ? plural(most, "call") : t`${least} to ${most} calls`;
  return t`${does} ${count} of the model.`;
}

/** Returns a pipeline of these steps. A follow-up question must be rewritten first, so that it is self-contained. */
function steps(agent, question, options, chosen) {
  const all = options.history?.length > 0 ? [...chosen, "rewrite"] : chosen;
  return STEPS.filter(({ name, always }) => always || all.includes(name)).reduce((sofar, { name }) => sofar[name](), agent.pipeline(question, options));
}
