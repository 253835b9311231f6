// The ways to answer: what each does, what it costs, and how it is begun.

/** The steps of a pipeline in their order: what each does, and how often it asks a model at most. */
export const STEPS = [
  { name: "gate", does: "Is a search needed at all?", calls: 1 },
  { name: "rewrite", does: "Words that stand by themselves", calls: 1 },
  { name: "decompose", does: "Takes the question apart", calls: 1 },
  { name: "search", does: "Finds passages", calls: 0, always: true },
  { name: "rerank", does: "Puts passages in order", calls: 3 },
  { name: "reason", does: "Looks for what is missing", calls: 3 },
  { name: "answer", does: "Writes, and cites", calls: 1, always: true },
  { name: "ground", does: "Checks each sentence", calls: 0 },
];

/** What a pipeline does unless somebody chooses otherwise. */
export const USUAL_STEPS = ["search", "answer", "ground"];

const FOUND = 6;

export const STYLES = {
  search: {
    label: "Search",
    does: "One search; the answer is sentences of your documents, word for word.",
    calls: () => [0, 0],
    begin: (agents, question, { settings, ...options }, ends) => steps(agents.quoting, question, { limit: FOUND, ...options }, ["search", "answer"]).run(ends),
  },
  pipeline: {
    label: "Pipeline",
    does: "Takes the steps that you choose, one after the other.",
    without: "Without a model each step goes by a rule, and the answer is quoted.",
    calls: ({ steps: chosen, thread }) => {
      const asked = STEPS.filter(({ name, calls }) => calls > 0 && chosen.includes(name));
      const follows = thread && !chosen.includes("rewrite") ? 1 : 0; // only a question that follows another one needs it
      return [asked.length, asked.reduce((sum, { calls }) => sum + calls, follows)];
    },
    begin: (agents, question, { settings, ...options }, ends) => steps(agents.agent, question, { limit: FOUND, ...options }, settings.steps).run(ends),
  },
  react: {
    label: "React",
    does: "The model decides what to search for, again and again, until it can answer.",
    without: "Without a model a rule searches, and once more for the words that no passage holds; the answer is quoted.",
    calls: () => [2, 5],
    begin: ({ agent }, question, { settings, ...options }, ends) => agent.react(question, { ...options, ...ends, citations: true }),
  },
  investigate: {
    label: "Investigate",
    does: "Plans by the fields of your documents, searches and reviews; makes lists and tables, and may ask you something.",
    without: "Without a model the plan is made of the years, amounts and values that your question names.",
    calls: () => [3, 8],
    begin: ({ agent }, question, { settings, ...options }, ends) => agent.investigate(question, { ...options, ...ends }),
  },
  graph: {
    label: "Graph",
    does: "Analyses the question, makes several searches side by side, and grades what they find.",
    without: "Without a model the parts of the question are searched, and the answer is quoted.",
    calls: () => [3, 5],
    begin: ({ agent }, question, { settings, ...options }, ends) => agent.graph(question, { ...options, ...ends }),
  },
};

/** What a style does and costs, in one line. */
export function lineOf(name, settings, hasModel) {
  const { does, without, calls } = STYLES[name];
  const [least, most] = calls(settings);
  if (most === 0) return `${does} No model is asked.`;
  if (!hasModel) return `${does} ${without}`;
  const count = least === most ? `${most} call${most === 1 ? "" : "s"}` : `${least} to ${most} calls`;
  return `${does} ${count} of the model.`;
}

/** A pipeline of these steps. A question that follows another one has first to be put so that it stands by itself. */
function steps(agent, question, options, chosen) {
  const all = options.history?.length > 0 ? [...chosen, "rewrite"] : chosen;
  return STEPS.filter(({ name, always }) => always || all.includes(name)).reduce((sofar, { name }) => sofar[name](), agent.pipeline(question, options));
}
