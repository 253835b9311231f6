// The steps of a pipeline, and the options of each (`options.js` says how they are declared): their names are those of the engine's data.

import { choices, flag, func, names, oneOf, searcher, text, whole } from "./options.js";

/** The options that are functions of the user's. */
export const FUNCTIONS = ["prompt", "llm", "searcher", "sufficientPrompt", "rewritePrompt", "reranker", "function"];

/** Every step may have an LLM of its own, and every step that asks one thing of it the prompt. */
const asking = (options) => ({ ...options, prompt: func, llm: func });

/** Steps that go by another name. */
export const ALIASES = { route: "select" };

/** How many passages long a chain of evidence may be. */
const hops = whole(1, 4);

export const STEPS = {
  gate: asking({}),
  rewrite: asking({}),
  select: asking({ collections: choices }),
  expand: asking({}),
  decompose: asking({ max: whole(2), phases: oneOf(1, 2) }),
  search: {
    collection: text,
    collections: names,
    searcher,
    hops,
    selfCorrect: flag,
    maxIterations: whole(1),
    sufficientPrompt: func,
    rewritePrompt: func,
    llm: func,
  },
  rerank: asking({ keep: whole(1), fetch: whole(1), batch: whole(1, 50), reranker: func }),
  reason: asking({ maxIterations: whole(1), hops, searcher }),
  answer: asking({ citations: oneOf("number", "doc"), sources: flag, maxTokens: whole(1) }),
  ground: asking({ correct: flag, drop: flag }),
  custom: { name: text, function: func },
};
