// A rule-based LLM: deterministic, and plausible enough for a run to complete.

import { answerOf, collectionsOf, passagesOf, questionOf, replyTo, shapeOf } from "./request.js";

/** Fills JSON by the names and types of its fields; answers with the first sentence of the first passage, cited. */
export function heuristic() {
  return async (request, { step }) => {
    const shape = step === "answer" ? null : shapeOf(request);
    return replyTo(request, shape ? fill(shape, factsOf(request)) : sentence(request, step));
  };
}

export const factsOf = (request) => ({ question: questionOf(request), passages: passagesOf(request), collections: collectionsOf(request) });

function sentence(request, step) {
  if (step === "summarize") return asked(request).join(" ");
  const written = answerOf(request);
  if (written) return written;
  const { question, passages } = factsOf(request);
  if (step !== "answer" && passages.length === 0) return question;
  if (passages.length === 0) return "I do not know.";
  const [{ mark, text }] = passages;
  const body = text.replace(/^#+ .*\n+/, "");
  return `${body.match(/^[\s\S]*?[.!?](?=\s|$)/)?.[0] ?? body} [${mark}]`;
}

/** Returns the questions of a conversation that is to be summarised. */
const asked = ({ messages }) => messages.at(-1).content.split("\n").filter((line) => line.startsWith("Q: ")).map((line) => line.slice(3));

const NO = /skip|clarif|missing|unsupported|more|irrelevant/i;
const WHY = /reason|why|explan|because|rationale/i;
const TERMS = /term|synonym|keyword|expan/i;
const SCORES = /score|rank|relevan|grade|rating/i;
const COLLECTIONS = /collection|bucket|source/i;
/** Names of fields that contain questions. */
export const QUESTIONS = /quer|question|part|step/i;

/** Returns a value for a JSON schema; `name` is that of the field. */
export function fill(schema, facts, name = "") {
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== "null") : schema.type;
  if (schema.enum) return schema.enum[0];
  if (type === "boolean") return !NO.test(name);
  if (type === "number" || type === "integer") return SCORES.test(name) && facts.passage ? overlap(facts.question, facts.passage.text) : 1;
  if (type === "string") return textFor(name, facts);
  if (type === "array") return list(schema.items ?? {}, facts, name);
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(fields.map(([field, inner]) => [field, fill(inner, facts, field)]));
}

function textFor(name, { question }) {
  if (WHY.test(name)) return "By rule.";
  if (TERMS.test(name)) return [question, ...words(question)].join(" ");
  return question;
}

function list(items, facts, name) {
  if (items.enum) return [...items.enum];
  if (SCORES.test(name)) return facts.passages.map((passage, at) => fillScore(items, { ...facts, passage }, at + 1));
  if (TERMS.test(name)) return words(facts.question);
  if (COLLECTIONS.test(name)) return fitting(facts);
  if (QUESTIONS.test(name)) return parts(facts.question).map((question) => fill({ type: "string", ...items }, { ...facts, question }, "question"));
  return [];
}

function fillScore(items, facts, number) {
  if (items.type !== "object") return overlap(facts.question, facts.passage.text);
  const filled = fill(items, facts);
  for (const field of Object.keys(filled)) if (/^n$|id|index|number|passage/i.test(field)) filled[field] = number;
  return filled;
}

const words = (text) => [...new Set(text.toLowerCase().match(/\p{L}{4,}/gu) ?? [])];

/** From 0 to 10: the share of the question's words in a passage. */
function overlap(question, passage) {
  const wanted = words(question);
  const held = wanted.filter((word) => passage.toLowerCase().includes(word));
  return wanted.length === 0 ? 0 : Math.round((10 * held.length) / wanted.length);
}

/** Returns the collections that share a word with the question, or else all. */
function fitting({ question, collections }) {
  const wanted = words(question);
  const fit = collections.filter(({ name, description }) => wanted.some((word) => `${name} ${description}`.toLowerCase().includes(word)));
  return (fit.length > 0 ? fit : collections).map(({ name }) => name);
}

function parts(question) {
  const pieces = question.replace(/\?+$/, "").split(/\?\s+|;\s+|,? and (?=what|who|when|where|why|how|which)/i);
  return pieces.map((piece) => `${piece.trim()}?`);
}
