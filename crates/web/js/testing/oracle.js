// An LLM that knows the answers of a labelled set: a pipeline's result with perfect replies.

import { invalid } from "../error.js";
import { factsOf, fill, heuristic, QUESTIONS } from "./heuristic.js";
import { replyTo, shapeOf } from "./request.js";

/**
 * At the step `decompose` it returns the gold sub-questions, in which `#1` is replaced by the answer to the first; at `answer` the gold
 * answer. For all other steps, and for unknown questions, it works like `heuristic()`.
 *
 * @param cases `[{ question, answer, subQuestions?: [{ question, answer? }] }]`
 */
export function oracle(cases) {
  if (!Array.isArray(cases)) throw invalid("cases", "a list of { question, answer, subQuestions }", typeof cases);
  const byRule = heuristic();
  return async (request, context) => {
    const known = find(cases, request);
    if (known && context.step === "answer") return known.answer;
    const parts = context.step === "decompose" && known?.subQuestions?.length > 0 && decomposed(request, resolved(known.subQuestions));
    return parts ? replyTo(request, parts) : byRule(request, context);
  };
}

/** Returns the case whose question the request contains; of several, the longest. */
function find(cases, request) {
  const content = request.messages.map((message) => message.content).join("\n").toLowerCase();
  const held = cases.filter(({ question }) => content.includes(question.toLowerCase()));
  return held.sort((a, b) => b.question.length - a.question.length)[0];
}

/** A label without an answer stays `#1`. */
const resolved = (subQuestions) =>
  subQuestions.map(({ question }) => question.replace(/#(\d+)/g, (mark, number) => subQuestions[number - 1]?.answer ?? mark));

/** Returns the questions in the requested shape; nothing if that has no place for questions. */
function decomposed(request, questions) {
  const shape = shapeOf(request);
  if (!shape?.properties) return { questions };
  const [name, list] = Object.entries(shape.properties).find(([field, { type }]) => type === "array" && QUESTIONS.test(field)) ?? [];
  if (!name) return null;
  const facts = factsOf(request);
  const items = questions.map((question) => (list.items?.type === "object" ? fill(list.items, { ...facts, question }) : question));
  return { ...fill(shape, facts), [name]: items };
}
