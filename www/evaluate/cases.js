// Questions as files: reads and writes JSON and CSV. A case is `{ question, relevant, collection?, answer? }`.

import { parseCsv } from "../csv.js";
import { t } from "../words.js";

/** Separator between the documents of one cell. */
const BETWEEN = /\s*[|;\n]\s*/;
const COLUMNS = {
  question: /^(question|query|frage)s?$/i,
  documents: /^(relevant|doc(ument)?(s|[ _-]?ids?)?|sources?)$/i,
  answer: /^(answer|expected)s?$/i,
  collection: /^collections?$/i,
};

/** Reads either format; throws an error with a sentence if it is neither, or has no questions. */
export function parseCases(text) {
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  if (!trimmed) throw new Error(t("The file is empty. Expected: questions as JSON, or as CSV with the columns question, documents and answer."));
  const cases = /^[[{]/.test(trimmed) ? fromJson(trimmed) : fromRows(parseCsv(trimmed));
  if (cases.length === 0) throw new Error(t("The file contains no questions."));
  return cases;
}

function fromJson(text) {
  let data;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new Error(t`This starts like JSON, but is invalid: ${error.message}.`, { cause: error });
  }
  const list = [data, data.questions, data.cases].find(Array.isArray);
  if (!list) throw new Error(t("Expected: a list of questions, or an object with such a list as `cases`."));
  return list.map((one, at) => {
    const question = one?.question ?? one?.query;
    const relevant = one?.relevant ?? one?.documents ?? one?.document;
    if (typeof question !== "string" || !question.trim()) throw new Error(t`Question ${at + 1} has no \`question\`.`);
    return tidy({ ...pick(one), question: question.trim(), relevant: typeof relevant === "string" ? split(relevant) : (relevant ?? []) });
  });
}

const pick = ({ collection, collections, answer, answers, filters, by }) => ({ collection, collections, answer, answers, filters, by });

function fromRows(rows) {
  const named = rows[0].map((cell) => Object.keys(COLUMNS).find((name) => COLUMNS[name].test(cell.trim())));
  const hasHeader = named.includes("question");
  const columns = hasHeader ? named : ["question", "documents", "answer"];
  return rows.slice(hasHeader ? 1 : 0).map((row, at) => {
    const cell = (name) => row[columns.indexOf(name)]?.trim() || undefined;
    if (!cell("question")) throw new Error(t`Row ${at + 1 + Number(hasHeader)} has no question.`);
    return tidy({ question: cell("question"), relevant: split(cell("documents") ?? ""), collection: cell("collection"), answer: cell("answer") });
  });
}

export const split = (documents) => documents.split(BETWEEN).map((id) => id.trim()).filter(Boolean);
export const join = (relevant) => idsOf(relevant).join(" | ");
export const idsOf = (relevant) => (Array.isArray(relevant) ? relevant : Object.keys(relevant));

/** Removes missing fields. */
export const tidy = (one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined && value !== null && value !== ""));
