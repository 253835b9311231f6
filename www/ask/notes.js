// Notes about an answer: its cost, its gaps, and what was blocked or removed for safety.

import { h } from "../dom.js";
import { LIMITS, sentenceOf } from "../sentences.js";
import { number, plural } from "../format.js";
import { spentBy } from "../trace/steps.js";
import { countFound, unsupported } from "../vademecum/elements/citations.js";
import { printable } from "../vademecum/elements/nodes.js";
import { nearestIn } from "./nearest.js";
import { t, worded } from "../words.js";

/** Failures that a note below explains: the embedder is loading, the user denied a request, the library changed. */
const NOTED = ["embedder_loading", "send_denied", "index_changed"];

/** Returns the other failures. */
export const failed = ({ failures = [] }) => failures.filter(({ code }) => !NOTED.includes(code));

/** Probability below which the passages that were found may not answer the question. */
const DOUBTFUL = 0.5;

/** Returns whether the passages that were found may not answer the question. */
export const isDoubtful = (confidence) => confidence !== undefined && confidence < DOUBTFUL;

/** The agent's reasons to give no answer: it found nothing, or only passages that do not answer. */
const NOTHING = "Nothing in the documents answers this question.";
const NOT_THESE = "The nearest passages do not seem to answer this question.";
/** What the page says instead, where the passages are listed below. */
const SEEMS_NOT = t("Your documents do not seem to answer this question.");
/** The same where a sentence comes near. */
const NOT_CLEARLY = t("Your documents do not clearly answer this question.");
const NO_SENTENCE = "No sentence answers this question; the passages that were found may.";

/** Returns why there is no answer. The page lists passages of its own search, so the agent may have found some where the list has none, and the reverse. */
function whyNot({ result, found }) {
  const { reason = "" } = result;
  if (!found) return reason ? [worded(reason)] : []; // no list is shown
  if (found.hits.length === 0) return [worded([NOT_THESE, NO_SENTENCE, ""].includes(reason) ? NOTHING : reason)];
  if (nearestIn(result, found.hits)) return [worded(reason.replace(NOT_THESE, NOT_CLEARLY)), t("The sentence that comes nearest is emphasised below: it may answer all the same.")];
  return [worded(reason.replace(NOTHING, SEEMS_NOT).replace(NOT_THESE, SEEMS_NOT)), t("The nearest passages are listed below.")].filter(Boolean);
}

const quotedBy = (citations = []) => citations.filter(({ quote }) => quote).map(({ chunkId, quote }) => `${chunkId} ${quote.start}`);

/** Questions for a time or a number, in English and German. */
const FOR_A_NUMBER = /\b(when|how (?:many|much|long|often|old|far)|wann|wie ?(?:viele?|lange|oft|alt|weit|hoch|teuer))\b/i;

/** Returns whether a question asks for a time or a number, and its answer has one: the same quote may answer that as well. */
const hasNumberFor = (question, answer) => FOR_A_NUMBER.test(question) && /\d/.test(answer.replace(/\[\d+\]/g, ""));

/** Returns whether the question was understood as another one, with the help of those before it. */
const isRewritten = ({ question, result: { rewrittenQuestion } }) => Boolean(rewrittenQuestion) && rewrittenQuestion !== question;

/** Returns whether a follow-up is answered by what the answer before it quotes, and by nothing else: a rule cannot reason about it. */
function isRepeated(record) {
  const { question, result, quotedBefore } = record;
  if (result.answeredBy !== "rule" || !isRewritten(record) || hasNumberFor(question, result.answer ?? "")) return false;
  const [quoted, before] = [quotedBy(result.citations), quotedBy(quotedBefore)];
  return quoted.length > 0 && quoted[0] === before[0] && quoted.every((one) => before.includes(one));
}

/** Returns whether two answers cite the same passages, and quote the same words of them. */
function citesTheSame(one, other) {
  const placesOf = (citations) => [...new Set(citations.map(({ chunkId, quote }) => `${chunkId} ${quote?.start ?? ""}`))].sort().join("\n");
  return one.length > 0 && placesOf(one) === placesOf(other);
}

/** Returns what a thorough run did, which its answer may not show, or null. */
function thoroughness(record) {
  if (record.style !== "graph" || record.state !== "done") return null;
  const { toolCalls: searches } = spentBy(record);
  if (searches === 0) return null;
  if (record.again && citesTheSame(record.result.citations ?? [], record.again.cited)) {
    return searches === 1 ? t("Searched once; the same passages were best.") : t`Searched ${number(searches)} times; the same passages were best.`;
  }
  return searches === 1 ? t("Searched once.") : t`Searched ${number(searches)} times.`;
}

/** Returns the line below an answer. */
export function noteOn(record) {
  const { result, model, isOvertaken, gone, narrowed } = record;
  const { answeredBy, abstained, confidence, reason, usage, invalidCitations, citations, failures = [], budgetExhausted } = result;
  const notes = abstained ? whyNot(record) : reason ? [worded(reason)] : [];
  if (isRewritten(record)) notes.unshift(t`Understood as “${result.rewrittenQuestion}”.`);
  if (isRepeated(record) && !record.again) notes.push(t("The first quote is the one from before: without a language model, a follow-up can only be searched for. Say in other words what you would like to know."));
  if (!abstained && answeredBy === "llm" && isDoubtful(confidence)) notes.push(t`The passages may not answer this (estimated probability: ${Math.round(confidence * 100)} %).`);
  const denied = failures.filter(({ code }) => code === "send_denied").length;
  if (denied > 0) notes.push(denied === 1 ? t("You denied 1 request: that step used a rule.") : t`You denied ${number(denied)} requests: those steps used a rule.`);
  if (model && answeredBy === "rule" && !abstained && failed(result).length > 0) notes.push(t("The language model gave no answer; these sentences are quoted from your documents."));
  if (answeredBy === "llm") {
    const tokens = usage.promptTokens + usage.completionTokens;
    notes.push(usage.estimated ? t`Written by the language model, about ${number(tokens)} tokens.` : t`Written by the language model, ${number(tokens)} tokens.`);
    if (citations.length === 0) notes.push(record.found?.hits.length === 0 ? t("It cites no passage.") : t("It cites no passage: compare it with those below."));
    const found = countFound(result);
    if (found > 0) notes.push(found === 1 ? t("The source with a dashed border was found by comparing words; the model did not name it.") : t("The sources with dashed borders were found by comparing words; the model did not name them."));
  }
  const did = thoroughness(record);
  if (did) notes.push(did);
  notes.push(...privateOnes(result));
  if (budgetExhausted) notes.push(t`The budget ran out (${LIMITS[budgetExhausted] ?? budgetExhausted}): this is the best result within it.`);
  if (narrowed && citations.length === 0 && !result.output?.rows.length) notes.push(onlyIn(narrowed));
  if (record.renewed && !citesTheSame(citations, record.renewed.cited)) notes.push(t("Answered again once meanings could be searched for, too."));
  if (isOvertaken) notes.push(t("Documents were added while this was answered: ask again to include them."));
  if (gone?.size > 0) notes.push(gone.size === 1 ? t("A document was removed from the library since: their passages are shown as they were found.") : t`${gone.size} documents were removed from the library since: their passages are shown as they were found.`);
  if (result.indexChanged) notes.push(t("The library has changed since this run began."));
  if (invalidCitations.length > 0) notes.push(t`It cited passages that do not exist (${invalidCitations.join(", ")}); they were removed.`);
  return notes.join(" ");
}

/** Returns the notes about private documents that the model was not shown. */
function privateOnes({ withheld = [], output }) {
  const names = [...new Map(withheld.map(({ collection, docId, title }) => [JSON.stringify([collection, docId]), title || docId])).values()];
  const notes = [];
  if (names.length > 0) {
    const listed = names.length > NAMED ? [...names.slice(0, NAMED), t`${names.length - NAMED} more`] : names;
    const named = listed.join(", ");
    notes.push(names.length === 1 ? t`The language model was not shown 1 private document that also matches this question: ${named}.` : t`The language model was not shown ${number(names.length)} private documents that also match this question: ${named}.`);
  }
  const leftOut = output?.leftOut ?? 0;
  if (leftOut > 0) notes.push(t`The table omits ${plural(leftOut, "private document")}.`);
  return notes;
}

/** Maximum number of documents that a note lists. */
const NAMED = 3;

/** @param narrowed the scope of the search, if it was restricted */
export const onlyIn = (narrowed) => t`Only ${narrowed} were searched. To search everything, clear the filter or choose other collections.`;

/**
 * Returns the findings that need a list: sentences without support (if the text is shown), a discarded answer, suspicious passages, removed parts and
 * failures.
 */
export function warningsOn(result, open, isText) {
  return [isText ? ungrounded(result) : null, discarded(result), suspicious(result, open), removed(result), failures(result)].filter(Boolean);
}

function ungrounded(result) {
  const { sentences: lacking, rows } = unsupported(result);
  if (lacking.length === 0 && rows.size === 0) return null;
  const missing = [...new Set(lacking.flatMap((one) => one.missing ?? []))];
  const what = missing.length > 0 ? t` Found nowhere: ${missing.slice(0, 8).join(", ")}.` : "";
  const which = lacking.length === 1
    ? t("The sentence underlined like this is not supported by any passage that was found.")
    : t`The ${lacking.length} sentences underlined like this are not supported by any passage that was found.`;
  const ofRows = rows.size === 1
    ? t("1 row of a table, marked at its left, is not supported by any passage that was found.")
    : t`${rows.size} rows of tables, marked at their left, are not supported by any passage that was found.`;
  const underlined = [h("span.unsupported", { ariaHidden: "true" }, "abc"), ` ${which}${what}`];
  return h("p.warning", {}, ...(lacking.length > 0 ? underlined : []), rows.size > 0 ? `${lacking.length > 0 ? " " : ""}${ofRows}` : null);
}

/** Shows what a model wrote where the run abstained instead. */
function discarded({ unsupported: text }) {
  return text ? more(t("The language model wrote an answer that no passage supports."), [h("li", {}, printable(text))]) : null;
}

function suspicious({ suspicions = [] }, open) {
  if (suspicions.length === 0) return null;
  const passages = new Map(suspicions.map((one) => [one.chunkId, one]));
  const looks = passages.size === 1
    ? t("1 passage looks as if it was written for a model; nothing in it was executed.")
    : t`${passages.size} passages look as if they were written for a model; nothing in them was executed.`;
  const items = suspicions.map((one) =>
    h("li", {}, h("button.link", { type: "button", onclick: () => open({ ...one, quote: one.span }) }, one.docId), ` ${KINDS[one.kind] ?? one.kind}: ${t`“${short(one.text)}”`}`),
  );
  return more(looks, items);
}

const KINDS = {
  instruction: t("gives orders"),
  role: t("imitates a role in the conversation"),
  tool: t("looks like a tool call"),
  fence: t("pretends to end the quotation"),
  hidden: t("contains hidden text"),
  invisible: t("contains invisible characters"),
  homoglyphs: t("contains look-alike letters of another script"),
  encoded: t("contains encoded text"),
  link: t("contains a link that carries data"),
  citation: t("dictates citations"),
};

function removed({ removed: parts = [] }) {
  if (parts.length === 0) return null;
  const what = parts.length === 1
    ? t("1 part was removed from the answer, because it could have sent data out.")
    : t`${parts.length} parts were removed from the answer, because it could have sent data out.`;
  return more(what, parts.map(({ kind, text }) => h("li", {}, `${PARTS[kind] ?? kind}: `, h("code", {}, short(text)))));
}

const PARTS = { html: t("a tag"), image: t("a picture"), link: t("a link"), address: t("an address") };

/** Lists the failures after the first one, which is shown at the top of the page. */
function failures(result) {
  const others = failed(result).slice(1);
  if (others.length === 0) return null;
  const what = others.length === 1 ? t("1 other thing went wrong during this run.") : t`${number(others.length)} other things went wrong during this run.`;
  return more(what, others.map((one) => h("li", {}, h("b", {}, one.step), ` ${sentenceOf(one)}`)));
}

const more = (summary, items) => h("details.warning", {}, h("summary", {}, summary), h("ul", {}, ...items));

const short = (text) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);
