// What is to be said of an answer: what it cost, what it lacks, and what was kept from doing harm.

import { h } from "../dom.js";
import { LIMITS, sentenceOf } from "../sentences.js";
import { number, plural } from "../words.js";
import { unsupported } from "./text.js";

/** What the note below says: the embedder is still on its way, the user denied a request, the library is another one. */
const NOTED = ["embedder_loading", "send_denied", "index_changed"];

/** What else failed. */
export const failed = ({ failures = [] }) => failures.filter(({ code }) => !NOTED.includes(code));

/** The line below an answer. */
export function noteOn({ result, model, isOvertaken, gone, narrowed }) {
  const { answeredBy, usage, invalidCitations, citations, failures = [], budgetExhausted } = result;
  const notes = [];
  const denied = failures.filter(({ code }) => code === "send_denied").length;
  if (denied > 0) notes.push(`You kept back ${plural(denied, "request")}: ${denied === 1 ? "that step" : "those steps"} went by a rule.`);
  if (model && answeredBy === "rule" && failed(result).length > 0) notes.push("The language model gave no answer; these are sentences of your documents.");
  if (answeredBy === "llm") {
    const tokens = usage.promptTokens + usage.completionTokens;
    notes.push(`Written by the language model, ${usage.estimated ? "about " : ""}${number(tokens)} tokens.`);
    if (citations.length === 0) notes.push("It cites no passage: check it against those below.");
  }
  notes.push(...privateOnes(result));
  if (budgetExhausted) notes.push(`The budget ran out (${LIMITS[budgetExhausted] ?? budgetExhausted}): this is what could be done with it.`);
  if (narrowed && citations.length === 0 && !result.output?.rows.length) notes.push(onlyIn(narrowed));
  if (isOvertaken) notes.push("Documents were added while this was answered: ask again to have them searched.");
  if (gone?.size > 0) notes.push(`${gone.size === 1 ? "A document was" : `${gone.size} documents were`} removed from the library since: what was found there stands here as it was.`);
  if (result.indexChanged) notes.push("The library has changed since this run began.");
  if (invalidCitations.length > 0) notes.push(`It cited passages that do not exist (${invalidCitations.join(", ")}); they were removed.`);
  return notes.join(" ");
}

/** What the model was not shown, because documents are marked as private. */
function privateOnes({ withheld = [], output }) {
  const names = [...new Map(withheld.map(({ collection, docId, title }) => [JSON.stringify([collection, docId]), title || docId])).values()];
  const notes = [];
  if (names.length > 0) {
    const listed = names.length > NAMED ? [...names.slice(0, NAMED), `${names.length - NAMED} more`] : names;
    notes.push(`The language model was not shown ${plural(names.length, "private document")} that ${names.length === 1 ? "fits" : "fit"} this question too: ${listed.join(", ")}.`);
  }
  const leftOut = output?.leftOut ?? 0;
  if (leftOut > 0) notes.push(`The table is without ${plural(leftOut, "private document")} that would be in it.`);
  return notes;
}

/** How many documents a note names. */
const NAMED = 3;

/** @param narrowed what was searched in, where that was not all */
export const onlyIn = (narrowed) => `Only ${narrowed} were searched: to search in all, clear the filter, or choose other collections.`;

/**
 * What is worth more than a line: sentences without support, where the text is shown, suspicious passages, parts that were taken out,
 * failures.
 */
export function warningsOn(result, open, isText) {
  return [isText ? ungrounded(result) : null, suspicious(result, open), removed(result), failures(result)].filter(Boolean);
}

function ungrounded(result) {
  const { sentences: lacking, rows } = unsupported(result);
  if (lacking.length === 0 && rows.size === 0) return null;
  const missing = [...new Set(lacking.flatMap((one) => one.missing ?? []))];
  const what = missing.length > 0 ? ` Found nowhere: ${missing.slice(0, 8).join(", ")}.` : "";
  const which = lacking.length === 1 ? "The sentence underlined like this is" : `The ${lacking.length} sentences underlined like this are`;
  const ofRows = rows.size === 1 ? "1 row of a table, marked at its left, is" : `${rows.size} rows of tables, marked at their left, are`;
  const by = "supported by no passage that was found.";
  const underlined = [h("span.unsupported", { ariaHidden: "true" }, "abc"), ` ${which} ${by}${what}`];
  return h("p.warning", {}, ...(lacking.length > 0 ? underlined : []), rows.size > 0 ? `${lacking.length > 0 ? " " : ""}${ofRows} ${by}` : null);
}

function suspicious({ suspicions = [] }, open) {
  if (suspicions.length === 0) return null;
  const passages = new Map(suspicions.map((one) => [one.chunkId, one]));
  const looks = passages.size === 1 ? "1 passage looks as if it was" : `${passages.size} passages look as if they were`;
  const items = suspicions.map((one) =>
    h("li", {}, h("button.link", { type: "button", onclick: () => open({ ...one, quote: one.span }) }, one.docId), ` ${KINDS[one.kind] ?? one.kind}: “${short(one.text)}”`),
  );
  return more(`${looks} written for a model; nothing in ${passages.size === 1 ? "it" : "them"} was followed.`, items);
}

const KINDS = {
  instruction: "gives orders",
  role: "plays a part in the talk",
  tool: "looks like a call of a tool",
  fence: "pretends to end the quotation",
  hidden: "holds what no reader sees",
  invisible: "holds letters that cannot be seen",
  homoglyphs: "uses letters of another script",
  encoded: "holds something encoded",
  link: "holds a link that carries data",
  citation: "says what is to be cited",
};

function removed({ removed: parts = [] }) {
  if (parts.length === 0) return null;
  const what = parts.length === 1 ? "1 part was" : `${parts.length} parts were`;
  return more(`${what} taken out of the answer, because it could have carried something away.`, parts.map(({ kind, text }) => h("li", {}, `${PARTS[kind] ?? kind}: `, h("code", {}, short(text)))));
}

const PARTS = { html: "a tag", image: "a picture", link: "a link", address: "an address" };

/** The first failure stands above the page; the others here. */
function failures(result) {
  const others = failed(result).slice(1);
  if (others.length === 0) return null;
  return more(`${plural(others.length, "other thing")} went wrong on the way.`, others.map((one) => h("li", {}, h("b", {}, one.step), ` ${sentenceOf(one)}`)));
}

const more = (summary, items) => h("details.warning", {}, h("summary", {}, summary), h("ul", {}, ...items));

const short = (text) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);
