// The styles as data: their tools, and the shape of their results.

import { invalid } from "./error.js";
import { callableTool } from "./functions.js";
import { GRAPH_OPTIONS, INVESTIGATE_OPTIONS, REACT_OPTIONS, TOOL } from "./generated/agent-table.js";
import { checked, shown } from "./options.js";

/** The table of options of each style. */
export const STYLES = { react: REACT_OPTIONS, investigate: INVESTIGATE_OPTIONS, graph: GRAPH_OPTIONS };

/** Returns a style as data, and the functions that it refers to. */
export function styleOf(name, options) {
  const functions = new Map();
  const asData = (where, given) => Object.fromEntries(Object.entries(given).map(named(where)));
  const named = (where) => ([option, value]) => {
    if (typeof value === "function") {
      functions.set(`${where}.${option}`, { option, own: value });
      return [option, `${where}.${option}`];
    }
    const isOfSteps = where === "style" ? option === "steps" : where === "style.steps";
    return [option, isOfSteps ? asData(`${where}.${option}`, value) : value];
  };
  return { style: { name, ...asData("style", options) }, functions };
}

/** Parts of a style's data that may refer to functions: the style, and its steps. */
export const holdersOf = (style) => (style ? [style, ...Object.values(style.steps ?? {})] : []);

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns a custom tool: its description for models, and the function. */
export function toolOf(definition) {
  const { name, description = "", parameters, safe = false, execute } = checked("tool", definition, TOOL);
  if (!NAME.test(name ?? "")) throw invalid("tool.name", "letters, digits, _ and - only, 64 at most", shown(name));
  if (!execute) throw invalid("tool.execute", "a function", shown(execute));
  const told = { name, description, function: `tool.${name}`, ...(parameters && { parameters }) };
  return { data: told, own: callableTool(execute, safe) };
}

/** Adds the fields of a style's result that other runs lack. */
export function shaped(style, result) {
  if (style?.name === "react") return { ...result, ...ofReact(style, result) };
  if (style?.name === "graph") return { ...result, ...ofGraph(style, result) };
  return result;
}

function ofReact(style, result) {
  const own = { reasoningSteps: result.reasoningTrace.map(({ text }) => text), searchCount: result.searchCount ?? 0, iterations: result.iterations ?? 0 };
  return style.citations ? { ...own, sources: sourcesOf(result) } : own;
}

/** Returns the documents that the answer cites or, without citations, those that were shown. */
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
