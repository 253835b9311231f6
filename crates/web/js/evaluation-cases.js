// Cases of `kb.evaluate`, checked before anything runs.

import { invalid, VademecumError } from "./error.js";
import { relevance } from "./evaluation-kinds.js";
import { CASE } from "./generated/evaluate-table.js";
import { checked, shown, text } from "./options.js";

/**
 * Normalises cases: `{ question, relevant: { id: grade }, unanswerable, rows, collections?, answers, filters? }`.
 *
 * @param engine calls the engine
 * @param known the existing collections
 */
export async function checkCases(cases, engine, known) {
  if (!Array.isArray(cases) || cases.length === 0) throw invalid("cases", "at least one { question, relevant } or { question, unanswerable: true }", shown(cases));
  const read = cases.map((one, at) => {
    const { question, relevant, unanswerable = false, rows = false, collection, collections, answer, answers, filters } = checked(`cases[${at}]`, one ?? {}, CASE);
    text(`cases[${at}].question`, question);
    const right = answers ?? (answer === undefined ? [] : [answer]);
    if (unanswerable && rows) throw invalid(`cases[${at}].rows`, "no rows in an unanswerable case", shown(rows));
    if (unanswerable) lacksAnswers(`cases[${at}]`, relevant, right);
    else relevance(`cases[${at}].relevant`, relevant);
    const where = collections ?? (collection === undefined ? undefined : [collection]);
    return { question, relevant: unanswerable ? {} : relevant, unanswerable, rows, collections: where, answers: right, filters };
  });
  const wanted = read.map(({ relevant, collections }) => ({ ids: Object.keys(relevant), collections: collections ?? known }));
  const found = await engine("locate", { wanted });
  wanted.forEach(({ ids, collections }, at) => ids.forEach((id, nth) => located(`cases[${at}].relevant`, id, collections, found[at][nth])));
  return read;
}

function lacksAnswers(name, relevant, answers) {
  const expected = "no relevant documents and no answer in an unanswerable case";
  if (relevant !== undefined) throw invalid(`${name}.relevant`, expected, shown(relevant));
  if (answers.length > 0) throw invalid(`${name}.answers`, expected, shown(answers));
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
