// The styles of answering as data: their options, the tools they may use, and the shape of what comes of them.

import { invalid } from "./error.js";
import { callable } from "./functions.js";
import { checked, flag, func, oneOf, shown, text, whole } from "./options.js";

const LLM = { llm: func };
const SEARCHING = { topK: whole(1, 50), hops: whole(1, 4) };

/** The options of each style, beside those that every run has. */
export const STYLES = {
  react: { maxIterations: whole(1, 10), citations: flag, prompt: func, ...SEARCHING, ...LLM },
  investigate: {
    maxToolCalls: whole(1, 10),
    maxQueries: whole(1),
    maxTokens: whole(1),
    prune: oneOf("window", "llm"),
    clarify: flag,
    citations: oneOf("number", "doc"),
    ...SEARCHING,
    ...LLM,
  },
  graph: { maxIterations: whole(1, 10), maxCalls: whole(1, 16), maxTokens: whole(1), ...SEARCHING, ...LLM },
};

/** A style as data, and the functions that it names. */
export function styleOf(name, options) {
  const functions = new Map();
  const named = ([option, value]) => {
    if (typeof value !== "function") return [option, value];
    functions.set(`style.${option}`, { option, own: value });
    return [option, `style.${option}`];
  };
  return { style: { name, ...Object.fromEntries(Object.entries(options).map(named)) }, functions };
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const TOOL = { name: text, description: text, parameters: schema, execute: func };

function schema(name, value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(name, "a JSON schema of an object", shown(value));
  return value;
}

/** A tool of the user's: what a model is told of it, and the function. */
export function toolOf(definition) {
  const { name, description = "", parameters, execute } = checked("tool", definition, TOOL);
  if (!NAME.test(name ?? "")) throw invalid("tool.name", "letters, digits, _ and - only, 64 at most", shown(name));
  if (!execute) throw invalid("tool.execute", "a function", shown(execute));
  const data = { name, description, function: `tool.${name}`, ...(parameters && { parameters }) };
  return { data, own: callable("tool", execute) };
}

/** What a style's result has beside what every run's has. */
export function shaped(style, result) {
  if (style?.name === "react") return { ...result, ...ofReact(style, result) };
  if (style?.name === "graph") return { ...result, ...ofGraph(style, result) };
  return result;
}

function ofReact(style, result) {
  const own = { reasoningSteps: result.reasoningTrace.map(({ text }) => text), searchCount: result.searchCount ?? 0, iterations: result.iterations ?? 0 };
  return style.citations ? { ...own, sources: sourcesOf(result) } : own;
}

/** The documents that the answer cites; where it cites none, those that were shown. */
function sourcesOf({ citations, contextUsed }) {
  const cited = citations.map(({ number }) => contextUsed[number - 1]).filter(Boolean);
  const sources = new Map();
  for (const { title, docId, url, page, score } of cited.length > 0 ? cited : contextUsed) {
    const key = `${docId} ${page}`;
    if (!sources.has(key)) sources.set(key, { title: title ?? docId, path: url ?? docId, page: page ?? null, score });
  }
  return [...sources.values()];
}

function ofGraph(style, result) {
  const { retrievalPlan = [], ...queryAnalysis } = result.queryAnalysis ?? {};
  const maxIterations = style.maxIterations ?? 3;
  const turns = (result.history ?? []).flatMap(({ question, answer }) => [
    { role: "user", content: question },
    { role: "assistant", content: answer },
  ]);
  const asked = { role: "user", content: result.question };
  const answered = result.answer === null ? [] : [{ role: "assistant", content: result.answer }];
  const iteration = result.stepsTaken.filter((step) => step === "execute_tools").length;
  return {
    messages: [...turns, asked, ...answered],
    query: result.question,
    queryAnalysis,
    retrievalPlan,
    documents: result.contextUsed,
    toolCallsMade: result.toolCalls.filter(({ step }) => step === "execute_tools"),
    iteration,
    maxIterations,
    needsMoreInfo: result.answer === null,
  };
}
