// Cases of `kb.evaluate`, checked before anything runs.

import { invalid, VademecumError } from "./error.js";
import { checked, filters, names, oneOf, shown, text, whole } from "./options.js";

/** Returns grades by document; in a plain list, all are equal. */
function relevance(name, value) {
  const isObject = typeof value === "object" && value !== null;
  const grades = Array.isArray(value) ? value.map((id) => [text(name, id), 1]) : Object.entries(isObject ? value : {});
  if (grades.length === 0) throw invalid(name, "at least one relevant document: a list of ids, or { id: grade }", shown(value));
  return Object.fromEntries(grades.map(([id, grade]) => [id, whole(1, 1000)(`${name}.${id}`, grade)]));
}

const CASE = {
  question: text, relevant: relevance, collection: text, collections: names, answer: text, answers: names, filters,
  // present in the cases of `makeCases`
  by: oneOf("llm", "rule"),
};

/**
 * Normalises cases: `{ question, relevant: { id: grade }, collections?, answers, filters? }`.
 *
 * @param engine calls the engine
 * @param known the existing collections
 */
export async function checkCases(cases, engine, known) {
  if (!Array.isArray(cases) || cases.length === 0) throw invalid("cases", "at least one { question, relevant }", shown(cases));
  const read = cases.map((one, at) => {
    const { question, relevant, collection, collections, answer, answers, filters } = checked(`cases[${at}]`, one ?? {}, CASE);
    text(`cases[${at}].question`, question);
    relevance(`cases[${at}].relevant`, relevant);
    const where = collections ?? (collection === undefined ? undefined : [collection]);
    return { question, relevant, collections: where, answers: answers ?? (answer === undefined ? [] : [answer]), filters };
  });
  const wanted = read.map(({ relevant, collections }) => ({ ids: Object.keys(relevant), collections: collections ?? known }));
  const found = await engine("locate", { wanted });
  wanted.forEach(({ ids, collections }, at) => ids.forEach((id, nth) => located(`cases[${at}].relevant`, id, collections, found[at][nth])));
  return read;
}

/** Each document must be in exactly one collection, because hits are identified by document id. */
function located(name, id, collections, found) {
  if (found.length === 0) {
    const where = collections.map((one) => `\`${one}\``).join(", ");
    const message = `\`${name}\` names the document \`${id}\`, which is in none of the collections ${where}. Add it first, or name its collection.`;
    throw new VademecumError(message, { code: "unknown_document" });
  }
  if (found.length > 1) throw invalid(name, `a document of one collection; name the one of \`${id}\` as \`collection\``, `in ${found.join(" and ")}`);
}
