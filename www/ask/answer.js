// The answer, while it is written and when it is complete.

import { byId } from "../dom.js";
import { snapshotOf } from "../run-snapshot.js";
import { actionsOn } from "./actions.js";
import { clarificationOf } from "./clarify.js";
import { growing } from "./markdown-nodes.js";
import { isDoubtful, noteOn, warningsOn } from "./notes.js";
import { quoteCards } from "./quotes.js";
import { rowsOf, textsOf } from "./rows.js";
import { answerText, besideTable, sourceList } from "./text.js";

/** Progress text per step. */
const DOING = {
  gate: "Checking whether a search is needed…",
  rewrite: "Rewriting the question…",
  decompose: "Splitting the question…",
  plan: "Planning…",
  analyze_query: "Analysing the question…",
  search: "Searching your documents…",
  rerank: "Ranking passages…",
  reason: "Looking for what is missing…",
  think: "The model is deciding what to do…",
  act: "Searching your documents…",
  tool: "Searching your documents…",
  execute_tools: "Searching your documents…",
  review: "Judging what was found…",
  grade_results: "Judging what was found…",
  prune: "Removing irrelevant passages…",
  answer: "Writing…",
  compose: "Writing…",
  synthesize: "Writing…",
  ground: "Checking each sentence…",
  verify: "Checking each sentence…",
};

/** Returns the heading: quotations that may not answer are not called the best. */
function titleOf({ answeredBy, abstained, confidence }, { isRows, quotes }) {
  if (isRows) return "From your documents, as a table";
  if (abstained) return "No answer found";
  if (answeredBy !== "rule") return "Answer";
  if (!quotes) return "From your documents";
  const matching = isDoubtful(confidence) ? "Nearest" : "Best matching";
  return `${matching} ${quotes.length === 1 ? "quote" : "quotes"}`;
}

const NOTHING = "Nothing was found.";

/** @param on `{ kb, open, reply(record, text) }`, and what `actionsOn` takes */
export function startAnswer(on) {
  const { kb, open: openPlace, reply } = on;
  const text = byId("answer-text");
  const grow = growing(text);

  /** Shows a question without results yet. */
  function begin({ question, reply: said }) {
    byId("answer").hidden = false;
    byId("answer-title").textContent = "Answer";
    byId("answer-asked").textContent = said ? `${question} — ${said}` : question;
    for (const part of ["answer-note", "sources", "answer-rows", "answer-warnings", "answer-actions", "clarify"]) byId(part).replaceChildren();
    write("");
    doing("");
  }

  function write(written) {
    text.hidden = false;
    text.classList.remove("quotes");
    grow(written);
    text.classList.add("writing");
    text.ariaBusy = "true"; // read out when it is complete
  }

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
   * @param early an extra first sentence, for a library that is still being learned
   * @param texts of the documents of its table, if it is one
   * @param quotes what `quotesOf` returned for it, or null
   */
  function show(record, { early, texts, quotes }) {
    const { state, result } = record;
    doing("");
    text.classList.remove("writing");
    text.ariaBusy = "false";
    byId("answer-actions").replaceChildren(...actionsOn(record, quotes, on));
    if (state === "stopped" || record.isLost) {
      byId("answer-title").textContent = "Stopped";
      grow(record.written);
      text.hidden = !record.written;
      if (record.isLost) byId("answer-note").textContent = "A document that this answer depended on was removed from the library. Ask again to search the remaining documents.";
      else if (!record.written) byId("answer-note").textContent = "Stopped before there was an answer.";
      return;
    }
    if (!result || result.error) {
      byId("answer-title").textContent = "No answer";
      text.hidden = true;
      byId("answer-note").textContent = "See the message above for the reason.";
      return;
    }
    if (state === "clarify") return ask(record);
    const kept = snapshotOf(record);
    const open = (place) => openPlace({ ...place, kept: kept.get(place.chunkId) });
    const { output } = result;
    const isRows = output?.rows.length > 0;
    const isDeclined = !isRows && (result.abstained === true || !result.answer);
    const written = { ...result, answer: result.answer ?? "" };
    const said = isRows && result.answeredBy !== "llm" ? besideTable(written) : written;
    text.hidden = !isDeclined && said.answer === "";
    text.classList.toggle("quotes", quotes !== null);
    text.replaceChildren(...(isDeclined ? [early + noteOn(record) || NOTHING] : quotes ? quoteCards(quotes, result.citations, open) : answerText(said, open)));
    byId("answer-rows").replaceChildren(...(isRows ? [rowsOf(output, texts, { open, more: () => textsOf(kb, output, output.rows.length) })] : []));
    byId("answer-title").textContent = titleOf(result, { isRows, quotes });
    // Each quotation has its source; and each row opens its document, so that a list without a text needs no other one.
    byId("sources").replaceChildren(...(quotes || (isRows && text.hidden) ? [] : sourceList(result.citations, open)));
    byId("answer-note").textContent = isDeclined ? "" : early + noteOn(record);
    byId("answer-warnings").replaceChildren(...warningsOn({ ...result, answer: said.answer, grounding: said.grounding }, open, !text.hidden && !isDeclined && !quotes));
  }

  function ask(record) {
    byId("answer-title").textContent = "A question back";
    text.hidden = true;
    byId("clarify").replaceChildren(clarificationOf(record.result.clarification, (said) => reply(record, said)));
  }

  /** Hides the answer while another question is typed, and shows it again. */
  const setAside = (is) => (byId("answer").hidden = is);

  return { begin, write, setAside, doing, show, bringIntoView, hide };
}
