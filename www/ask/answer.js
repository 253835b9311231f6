// The answer: as it is written, and when it is there.

import { byId, h } from "../dom.js";
import { keptOf } from "../kept.js";
import { clarificationOf } from "./clarify.js";
import { growing } from "./markdown-nodes.js";
import { noteOn, warningsOn } from "./notes.js";
import { rowsOf } from "./rows.js";
import { answerText, sourceList } from "./text.js";

/** What each step is about, while it goes on. */
const DOING = {
  gate: "Seeing whether a search is needed…",
  rewrite: "Putting the question into other words…",
  decompose: "Taking the question apart…",
  plan: "Planning…",
  analyze_query: "Analysing the question…",
  search: "Searching your documents…",
  rerank: "Putting passages in order…",
  reason: "Looking for what is missing…",
  think: "The model is deciding what to do…",
  act: "Searching your documents…",
  tool: "Searching your documents…",
  execute_tools: "Searching your documents…",
  review: "Judging what was found…",
  grade_results: "Judging what was found…",
  prune: "Leaving out what is of no use…",
  answer: "Writing…",
  compose: "Writing…",
  synthesize: "Writing…",
  ground: "Checking each sentence…",
  verify: "Checking each sentence…",
};

/** @param actions `{ open, reply(record, text), goOn(record), trace(record) }` */
export function startAnswer({ open: openPlace, reply, goOn, trace }) {
  const text = byId("answer-text");
  const grow = growing(text);

  /** A question that was just asked, of which nothing is there yet. */
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
    grow(written);
    text.classList.add("writing");
    text.ariaBusy = "true"; // it is read out when it is whole
  }

  function doing(step) {
    byId("answer-doing").textContent = DOING[step] ?? "";
  }

  /** On a phone the answer is below what was asked with. */
  function bringIntoView() {
    const { top } = byId("answer").getBoundingClientRect();
    if (!byId("ask").hidden && (top > innerHeight * 0.55 || top < 0)) byId("answer").scrollIntoView({ block: "start" });
  }

  function hide() {
    byId("answer").hidden = true;
  }

  /** What came of a run. `early` is said first, where the library is still on its way. */
  function show(record, early = "") {
    const { state, result } = record;
    doing("");
    text.classList.remove("writing");
    text.ariaBusy = "false";
    byId("answer-actions").replaceChildren(...actionsOn(record));
    if (state === "stopped" || record.isLost) {
      byId("answer-title").textContent = "Stopped";
      grow(record.written);
      text.hidden = !record.written;
      if (record.isLost) byId("answer-note").textContent = "A document that this was to be answered from was removed from the library. Ask again to search what is left.";
      return;
    }
    if (!result || result.error) {
      byId("answer-title").textContent = "No answer";
      text.hidden = true;
      byId("answer-note").textContent = "The reason stands above.";
      return;
    }
    if (state === "clarify") return ask(record);
    const kept = keptOf(record);
    const open = (place) => openPlace({ ...place, kept: kept.get(place.chunkId) });
    const { output } = result;
    const isRows = output?.rows.length > 0;
    // Without a model the text is nothing but the rows once more.
    text.hidden = isRows && result.answeredBy !== "llm";
    text.replaceChildren(...answerText({ ...result, answer: result.answer ?? "Nothing was found." }, open));
    byId("answer-rows").replaceChildren(...(isRows ? [rowsOf(output, open)] : []));
    byId("answer-title").textContent = isRows ? "From your documents, as a table" : result.answeredBy === "rule" ? "From your documents, word for word" : "Answer";
    byId("sources").replaceChildren(...sourceList(result.citations, open));
    byId("answer-note").textContent = early + noteOn(record);
    byId("answer-warnings").replaceChildren(...warningsOn(result, open, !text.hidden));
  }

  function ask(record) {
    byId("answer-title").textContent = "A question back";
    text.hidden = true;
    byId("clarify").replaceChildren(clarificationOf(record.result.clarification, (said) => reply(record, said)));
  }

  function actionsOn(record) {
    const { result } = record;
    const more = h("button", { type: "button", onclick: () => goOn(record) }, result?.budgetExhausted ? "Go on, with as much again" : "Go on from here");
    const canGoOn = result?.state && record.state !== "clarify" && !record.isLost;
    return [canGoOn ? more : null, h("button.link", { type: "button", onclick: () => trace(record) }, "How it came about")].filter(Boolean);
  }

  return { begin, write, doing, show, bringIntoView, hide };
}
