// The answer, while it is written and when it is complete.

import { byId, h } from "../dom.js";
import { snapshotOf } from "../run-snapshot.js";
import { actionsOn } from "./actions.js";
import { clarificationOf } from "./clarify.js";
import { OWN } from "../texts.js";
import { phrased, t } from "../words.js";
import { besideTable, headInOwnWords } from "./columns.js";
import { nearestIn } from "./nearest.js";
import { isDoubtful, noteOn, warningsOn } from "./notes.js";
import { rowsOf, textsOf } from "./rows.js";

/** Progress text per step. */
const DOING = {
  gate: t("Checking whether a search is needed…"),
  rewrite: t("Rewriting the question…"),
  decompose: t("Splitting the question…"),
  plan: t("Planning…"),
  analyze_query: t("Analysing the question…"),
  search: t("Searching your documents…"),
  rerank: t("Ranking passages…"),
  reason: t("Looking for what is missing…"),
  think: t("The model is deciding what to do…"),
  act: t("Searching your documents…"),
  tool: t("Searching your documents…"),
  execute_tools: t("Searching your documents…"),
  review: t("Judging what was found…"),
  grade_results: t("Judging what was found…"),
  prune: t("Removing irrelevant passages…"),
  answer: t("Writing…"),
  compose: t("Writing…"),
  synthesize: t("Writing…"),
  ground: t("Checking each sentence…"),
  verify: t("Checking each sentence…"),
};

/** Returns the heading: quotations that may not answer are not called the best. */
function titleOf({ answeredBy, abstained, confidence }, { isRows, quotes, isNear }) {
  if (isRows) return t("From your documents, as a table");
  if (abstained) return isNear ? t("No clear answer") : t("No answer found");
  if (answeredBy !== "rule") return t("Answer");
  if (!quotes) return t("From your documents");
  if (isDoubtful(confidence)) return quotes.length === 1 ? t("Nearest quote") : t("Nearest quotes");
  return quotes.length === 1 ? t("Best matching quote") : t("Best matching quotes");
}

const NOTHING = t("Nothing was found.");
const EMPTY = t("There are no documents yet. Add files, or add the sample again.");

/** @param on `{ kb, open, reply(record, text) }`, and what `actionsOn` takes */
export function startAnswer(on) {
  const { kb, open: openPlace, reply } = on;
  const text = byId("answer-text"); // the package's element
  text.labels = OWN;
  let openCited = (_citation) => {};
  text.addEventListener("vademecum-open", ({ detail }) => openCited(detail.citation));

  /** Shows a question without results yet. */
  function begin({ question, reply: said }) {
    byId("answer").hidden = false;
    byId("answer-title").textContent = t("Answer");
    const asked = said ? `${question} — ${phrased(said)}` : question;
    Object.assign(byId("answer-asked"), { textContent: asked, title: asked }); // a long one is cut
    for (const part of ["answer-note", "answer-rows", "answer-warnings", "answer-actions", "clarify"]) byId(part).replaceChildren();
    write("");
    doing("");
  }

  const write = (written) => (text.written = written);

  function doing(step) {
    byId("answer-doing").textContent = DOING[step] ?? "";
  }

  /** Scrolls to the answer, which is below the question field on a phone. */
  function bringIntoView() {
    const { top } = byId("answer").getBoundingClientRect();
    if (!byId("ask").hidden && (top > innerHeight * 0.55 || top < 0)) byId("answer").scrollIntoView({ block: "start" });
  }

  function hide() {
    byId("answer").hidden = true;
  }

  /**
   * Shows the result of a run.
   *
   * @param isEmpty whether the library has no documents
   * @param early an extra first sentence, for a library that is still being learned
   * @param texts of the documents of its table, if it is one
   * @param quotes what `quotesOf` returned for it, or null
   */
  function show(record, { isEmpty, early, texts, quotes }) {
    const { state, result } = record;
    doing("");
    text.stop();
    byId("answer-actions").replaceChildren(...actionsOn(record, quotes, isEmpty, on));
    if (state === "stopped" || record.isLost) {
      byId("answer-title").textContent = t("Stopped");
      text.show(null);
      if (record.written) text.written = record.written;
      text.stop();
      if (record.isLost) byId("answer-note").textContent = t("A document that this answer depended on was removed from the library. Ask again to search the remaining documents.");
      else if (!record.written) byId("answer-note").textContent = t("Stopped before there was an answer.");
      return;
    }
    if (!result || result.error) {
      byId("answer-title").textContent = t("No answer");
      text.show(null);
      byId("answer-note").textContent = t("See the message above for the reason.");
      return;
    }
    if (state === "clarify") return ask(record);
    const kept = snapshotOf(record);
    const open = (place) => openPlace({ ...place, kept: kept.get(place.chunkId) });
    openCited = open;
    const { output } = result;
    const isRows = output?.rows.length > 0;
    const isDeclined = !isRows && (result.abstained === true || !result.answer);
    const written = { ...result, answer: result.answer ?? "" };
    const said = isRows && result.answeredBy !== "llm" ? headInOwnWords(besideTable(written)) : written;
    // Each row opens its document, so that a list without a text needs no other source.
    const cited = isRows && said.answer === "" ? [] : result.citations;
    if (isDeclined) text.show({ answer: isEmpty ? EMPTY : early + noteOn(record) || NOTHING }, null, cited);
    else text.show(said, quotes, cited);
    byId("answer-rows").replaceChildren(...(isRows ? [rowsOf(output, texts, { question: record.question, open, read: (documents) => textsOf(kb, { documents }, documents.length) })] : []));
    byId("answer-title").textContent = titleOf(result, { isRows, quotes, isNear: nearestIn(result, record.found?.hits ?? []) !== undefined });
    byId("answer-note").textContent = isDeclined ? "" : early + noteOn(record);
    byId("answer-warnings").replaceChildren(...warningsOn({ ...result, answer: said.answer, grounding: said.grounding }, open, said.answer !== "" && !isDeclined && !quotes));
  }

  function ask(record) {
    byId("answer-title").textContent = t("A question back");
    text.show(null);
    byId("clarify").replaceChildren(clarificationOf(record.result.clarification, (said) => reply(record, said)));
  }

  /** Hides the answer while passages of another scope are listed, and shows it again. */
  const setAside = (is) => (byId("answer").hidden = is);

  /** Returns whether the answer is in use: it must not change then. */
  function isInUse() {
    const answer = byId("answer");
    const selection = document.getSelection();
    const isSelected = selection !== null && !selection.isCollapsed && answer.contains(selection.anchorNode);
    return isSelected || answer.contains(document.activeElement) || byId("ask").hidden || document.querySelector("dialog[open]") !== null;
  }

  /** Offers to ask again, where a better answer is possible now. */
  function offerAgain({ question }) {
    const again = h("button", { type: "button", onclick: () => on.askFor(question) }, t("Ask again"));
    byId("answer-actions").prepend(h("span.hint", { role: "status" }, t("This was searched for by words alone; meanings can be searched for now, too.")), again);
  }

  return { begin, write, setAside, doing, show, bringIntoView, hide, isInUse, offerAgain };
}
